// The common implementation of the public methods that store records.
//
// The closure that fetches returned values also stores them, so that this code does not depend on their type. A generic
// implementation would cost more than all the rest.

extension MutablePersistableRecord {
  @inlinable
  func writer(_ db: Database) throws -> RecordWriter {
    let recordType = type(of: self)
    return try RecordWriter(db, recordType, tableName: recordType.databaseTableName)
  }

  /// Returns a modified copy.
  func modified(_ modify: (inout Self) throws -> Void) rethrows -> Self {
    var record = self
    try modify(&record)
    return record
  }

  /// Returns the encoded values of the record.
  ///
  /// - Precondition: It stores at least one value.
  @inlinable
  func stored(by writer: RecordWriter) throws -> PersistenceContainer {
    var container = writer.emptyContainer
    try encode(to: &container)
    writer.keepEncoder(of: &container)
    if container.isEmpty { writer.trapEmpty(type(of: self)) }
    return container
  }

  /// Inserts the record.
  @inlinable
  mutating func write(
    insert resolution: Database.ConflictResolution?, _ db: Database, returning selection: [any SQLSelectable] = [],
    _ fetch: (Statement) throws -> Void = { _ in }
  ) throws {
    try saving(db) { try $0.insertInside(db, resolution, selection, fetch) }
  }

  @inlinable
  mutating func insertInside(
    _ db: Database, _ resolution: Database.ConflictResolution?, _ selection: [any SQLSelectable],
    _ fetch: (Statement) throws -> Void
  ) throws -> PersistenceSuccess {
    try inserting(db) { record in
      let writer = try record.writer(db)
      let resolution = resolution ?? type(of: record).persistenceConflictPolicy.conflictResolutionForInsert
      return try writer.insert(record.stored(by: writer), resolution, returning: selection, fetch)
    }
  }

  /// Inserts the record, or updates the conflicting row.
  mutating func write(
    upsert upsertion: Upsertion, _ db: Database, returning selection: [any SQLSelectable] = [],
    _ decode: (Row) throws -> Void = { _ in }
  ) throws {
    try saving(db) { record in
      try record.inserting(db) { record in
        let writer = try record.writer(db)
        return try writer.upsert(record.stored(by: writer), upsertion, returning: selection, decode)
      }
    }
  }

  /// Updates the row of the record.
  ///
  /// - Parameter columns: The columns to update, or nil for all.
  @inlinable
  func write(
    update resolution: Database.ConflictResolution?, columns: Set<String>?, _ db: Database,
    returning selection: [any SQLSelectable] = [], _ fetch: (Statement) throws -> Void = { _ in }
  ) throws {
    var record = self
    try record.saving(db) { try $0.updateInside(db, resolution, columns, nil, selection, fetch) }
  }

  /// - Parameter encoded: The encoded values, if they are known already.
  @inlinable
  func updateInside(
    _ db: Database, _ resolution: Database.ConflictResolution?, _ columns: Set<String>?,
    _ encoded: PersistenceContainer?, _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> Void,
    isMissing: () -> Void = {}
  ) throws -> PersistenceSuccess {
    try updating(db, columns: columns ?? writer(db).columnNames) {
      let writer = try writer(db)
      let resolution = resolution ?? type(of: self).persistenceConflictPolicy.conflictResolutionForUpdate
      let container = try encoded ?? stored(by: writer)
      if let updated = try writer.update(container, resolution, columns: columns, returning: selection, fetch) {
        return updated
      }
      isMissing()
      throw try writer.recordNotFound(container)
    }
  }

  /// Updates the row of the record, or inserts it if there is none.
  @inlinable
  mutating func write(
    save resolution: Database.ConflictResolution?, _ db: Database, returning selection: [any SQLSelectable] = [],
    _ fetch: (Statement) throws -> Void = { _ in }
  ) throws {
    try saving(db) { record in
      let writer = try record.writer(db)
      let container = try record.stored(by: writer)
      var isMissing = false
      if try writer.hasKey(container) {
        // The callbacks of an update cannot modify a structure. They may modify an object.
        let encoded = Self.self is AnyClass ? nil : container
        do {
          return try record.updateInside(db, resolution, nil, encoded, selection, fetch) { isMissing = true }
        } catch _ where isMissing {
          // The callbacks have received the error. An error that they throw is ignored.
        }
      }
      return try record.insertInside(db, resolution, selection, fetch)
    }
  }

  /// Deletes the row of the record.
  @inlinable
  func writeDeletion(_ db: Database) throws -> Bool {
    try deleting(db) {
      let writer = try writer(db)
      var container = writer.emptyContainer
      try encode(to: &container)
      writer.keepEncoder(of: &container)
      return try writer.delete(container)
    }
  }
}

/// Returns a closure that decodes a record from the returned row.
func fetchingOne<Record: FetchableRecord>(_: Record.Type) -> (Statement) throws -> Record {
  { statement in
    guard let record = try Record.fetchOne(statement) else { throw NoRowReturned() }
    return record
  }
}

/// Performs a write, and returns the value fetched from its returned row.
///
/// - Parameter write: Calls the closure with the returned statement, or throws.
func fetching<Source, Fetched>(
  _ fetch: (Source) throws -> Fetched, _ write: ((Source) throws -> Void) throws -> Void
) throws -> Fetched {
  var fetched: Fetched?
  // The closures do not call each other recursively, as this declares.
  try withoutActuallyEscaping(fetch) { fetch in
    try write { fetched = try fetch($0) }
  }
  guard let fetched else { preconditionFailure("A successful write must have called the fetch closure") }
  return fetched
}
