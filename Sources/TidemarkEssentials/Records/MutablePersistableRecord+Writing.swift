// What the public methods that store records have in common, whether they modify the record or not.
//
// What is fetched of a write is kept by whoever asked for it, in the closure that fetches: so nothing here depends on
// its type, which would cost more than all the rest.

extension MutablePersistableRecord {
  @inlinable
  func writer(_ db: Database) throws -> RecordWriter {
    let recordType = type(of: self)
    return try RecordWriter(db, recordType, tableName: recordType.databaseTableName)
  }

  /// A copy that was modified.
  func modified(_ modify: (inout Self) throws -> Void) rethrows -> Self {
    var record = self
    try modify(&record)
    return record
  }

  /// What the record stores, as the writer wants it.
  ///
  /// - precondition: It stores something.
  @inlinable
  func stored(by writer: RecordWriter) throws -> PersistenceContainer {
    var container = writer.emptyContainer
    try encode(to: &container)
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

  /// Inserts the record, or updates the row that is in its way.
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
  /// - parameter columns: The columns to update, or nil for all.
  @inlinable
  func write(
    update resolution: Database.ConflictResolution?, columns: Set<String>?, _ db: Database,
    returning selection: [any SQLSelectable] = [], _ fetch: (Statement) throws -> Void = { _ in }
  ) throws {
    var record = self
    try record.saving(db) { try $0.updateInside(db, resolution, columns, nil, selection, fetch) }
  }

  /// - parameter encoded: What the record stores, where it is known already.
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

  /// Updates the row of the record, or inserts it when there is none.
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
        // The callbacks of an update do not modify a value. An object may be another one after them.
        let encoded = Self.self is AnyClass ? nil : container
        do {
          return try record.updateInside(db, resolution, nil, encoded, selection, fetch) { isMissing = true }
        } catch _ where isMissing {
          // Its callbacks have seen the error. What they made of it does not matter.
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
      return try writer.delete(container)
    }
  }
}

/// How what a statement returns becomes a record.
func fetchingOne<Record: FetchableRecord>(_: Record.Type) -> (Statement) throws -> Record {
  { statement in
    guard let record = try Record.fetchOne(statement) else { throw NoRowReturned() }
    return record
  }
}

/// Writes, and answers what was fetched of it.
///
/// - parameter write: Gives the closure what the write returns, or throws.
func fetching<Source, Fetched>(
  _ fetch: (Source) throws -> Fetched, _ write: ((Source) throws -> Void) throws -> Void
) throws -> Fetched {
  var fetched: Fetched?
  // Neither closure calls the other while it runs: the compiler is told so.
  try withoutActuallyEscaping(fetch) { fetch in
    try write { fetched = try fetch($0) }
  }
  guard let fetched else { preconditionFailure("A write that went well has fetched what it was to fetch") }
  return fetched
}
