// The callbacks of records, around what is written. All the methods that store or delete a record end here.
//
// Invariants:
// 1. A callback that throws stops everything that would follow.
// 2. An "around" callback that does not call its closure is an error of code `SQLITE_MISUSE`: nothing was written. One
//    that hides the error of its closure does not hide it from the caller: nothing is told as written that was not.
// 3. A record is encoded as late as possible: what the callbacks before have given it is stored.
//
// All of it can be inlined: where the type of the record is known, callbacks that do nothing cost nothing. Benchmarks
// (`insert: record`) tell what it is worth: a sixth of the time of an insertion.

extension MutablePersistableRecord {
  /// Runs the callbacks of saving around a write.
  @inlinable
  mutating func saving(_ db: Database, _ write: (inout Self) throws -> PersistenceSuccess) throws {
    try willSave(db)
    var outcome = Outcome<PersistenceSuccess>()
    // The record may be modified in there: who is asked is a copy, or the same object.
    let asked = self
    try asked.aroundSave(db) { try outcome.keep { try write(&self) } }
    didSave(try outcome.value(of: Self.self, .save))
  }

  /// Runs the callbacks of an insertion around it.
  @inlinable
  mutating func inserting(
    _ db: Database, _ insert: (Self) throws -> InsertionSuccess
  ) throws -> PersistenceSuccess {
    try willInsert(db)
    var outcome = Outcome<InsertionSuccess>()
    try aroundInsert(db) { try outcome.keep { try insert(self) } }
    let inserted = try outcome.value(of: Self.self, .insert)
    didInsert(inserted)
    return PersistenceSuccess(inserted)
  }

  /// Runs the callbacks of an update around it.
  @inlinable
  func updating(
    _ db: Database, columns: Set<String>, _ update: () throws -> PersistenceSuccess
  ) throws -> PersistenceSuccess {
    try willUpdate(db, columns: columns)
    var outcome = Outcome<PersistenceSuccess>()
    try aroundUpdate(db, columns: columns) { try outcome.keep(update) }
    let updated = try outcome.value(of: Self.self, .update)
    didUpdate(updated)
    return updated
  }

  /// Runs the callbacks of a deletion around it.
  @inlinable
  func deleting(_ db: Database, _ delete: () throws -> Bool) throws -> Bool {
    try willDelete(db)
    var outcome = Outcome<Bool>()
    try aroundDelete(db) { try outcome.keep(delete) }
    let isDeleted = try outcome.value(of: Self.self, .delete)
    didDelete(deleted: isDeleted)
    return isDeleted
  }
}

/// What came out of the closure that an "around" callback is given.
@usableFromInline
struct Outcome<Value> {
  @usableFromInline var value: Value?
  @usableFromInline var error: (any Error)?

  @inlinable
  init() {}

  /// Runs what the closure runs.
  @inlinable
  mutating func keep(_ run: () throws -> Value) throws -> Value {
    do {
      let value = try run()
      self.value = value
      return value
    } catch {
      self.error = error
      throw error
    }
  }

  @inlinable
  func value(of recordType: Any.Type, _ callback: AroundCallback) throws -> Value {
    if let error { throw error }
    if let value { return value }
    throw callback.errorWithoutCall(of: recordType)
  }
}

/// A callback that is given a closure.
@usableFromInline
enum AroundCallback: String {
  case save, insert, update, delete

  /// The error of a callback that has not called its closure.
  @usableFromInline
  func errorWithoutCall(of recordType: Any.Type) -> DatabaseError {
    let name = "around\(rawValue.prefix(1).uppercased())\(rawValue.dropFirst())"
    return DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "\(recordType).\(name) did not call its \(rawValue) closure: it must, or throw an error")
  }
}
