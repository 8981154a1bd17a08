// Runs the callbacks of records around writes. All methods that store or delete a record call these functions.
//
// Invariants:
// 1. If a callback throws, no later callback is called and no later statement is executed.
// 2. An "around" callback that does not call its closure throws an error of code `SQLITE_MISUSE`, since nothing was
//    written. If it ignores the error of its closure, the caller still receives that error.
// 3. A record is encoded as late as possible, so that changes made by earlier callbacks are stored.
//
// All functions are inlinable: when the record type is known at compile time, empty callbacks have no cost. This saves
// a sixth of the time of an insertion (benchmark `insert: record`).

extension MutablePersistableRecord {
  /// Calls the save callbacks around a write.
  @inlinable
  mutating func saving(_ db: Database, _ write: (inout Self) throws -> PersistenceSuccess) throws {
    try willSave(db)
    var outcome = Outcome<PersistenceSuccess>()
    // The closure may modify the record, so the callback is called on a copy (or on the same object).
    let asked = self
    try asked.aroundSave(db) { try outcome.keep { try write(&self) } }
    didSave(try outcome.value(of: Self.self, .save))
  }

  /// Calls the insertion callbacks around an insertion.
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

  /// Calls the update callbacks around an update.
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

  /// Calls the deletion callbacks around a deletion.
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

/// The result of the closure passed to an "around" callback.
@usableFromInline
struct Outcome<Value> {
  @usableFromInline var value: Value?
  @usableFromInline var error: (any Error)?

  @inlinable
  init() {}

  /// Calls the closure and stores its result.
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

/// The names of the "around" callbacks.
@usableFromInline
enum AroundCallback: String {
  case save, insert, update, delete

  /// Returns the error of a callback that has not called its closure.
  @usableFromInline
  func errorWithoutCall(of recordType: Any.Type) -> DatabaseError {
    let name = "around\(rawValue.prefix(1).uppercased())\(rawValue.dropFirst())"
    return DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "\(recordType).\(name) did not call its \(rawValue) closure: call it once, or throw an error")
  }
}
