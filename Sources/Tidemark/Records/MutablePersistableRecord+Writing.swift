// What the public methods that store records have in common, whether they modify the record or not.
//
// What is fetched of a write is kept by whoever asked for it, in the closure that fetches: so nothing here depends on
// its type, which would cost more than all the rest.

extension MutablePersistableRecord {
  /// What the record stores, as the writer wants it.
  ///
  /// - precondition: It stores something.
  private func stored(by writer: RecordWriter) throws -> PersistenceContainer {
    let container = try encoded(following: writer.plan.columns)
    if container.isEmpty { fatalError("\(type(of: self)): invalid empty persistence container") }
    return container
  }

  /// Inserts the record.
  mutating func write(
    insert resolution: Database.ConflictResolution?, _ db: Database, returning selection: [any SQLSelectable] = [],
    _ fetch: (Statement) throws -> Void = { _ in }
  ) throws {
    try saving(db) { try $0.insertInside(db, resolution, selection, fetch) }
  }

  private mutating func insertInside(
    _ db: Database, _ resolution: Database.ConflictResolution?, _ selection: [any SQLSelectable],
    _ fetch: (Statement) throws -> Void
  ) throws -> PersistenceSuccess {
    try inserting(db) { record in
      let writer = try RecordWriter(db, for: type(of: record))
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
        let writer = try RecordWriter(db, for: type(of: record))
        return try writer.upsert(record.stored(by: writer), upsertion, returning: selection, decode)
      }
    }
  }

  /// Updates the row of the record.
  ///
  /// - parameter columns: The columns to update, or nil for all.
  func write(
    update resolution: Database.ConflictResolution?, columns: Set<String>?, _ db: Database,
    returning selection: [any SQLSelectable] = [], _ fetch: (Statement) throws -> Void = { _ in }
  ) throws {
    var record = self
    try record.saving(db) { try $0.updateInside(db, resolution, columns, selection, fetch) }
  }

  private func updateInside(
    _ db: Database, _ resolution: Database.ConflictResolution?, _ columns: Set<String>?,
    _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> Void, isMissing: () -> Void = {}
  ) throws -> PersistenceSuccess {
    let allColumns = try db.recordPlan(for: type(of: self)).columnNames
    return try updating(db, columns: columns ?? allColumns) {
      let writer = try RecordWriter(db, for: type(of: self))
      let resolution = resolution ?? type(of: self).persistenceConflictPolicy.conflictResolutionForUpdate
      let container = try stored(by: writer)
      if let updated = try writer.update(container, resolution, columns: columns, returning: selection, fetch) {
        return updated
      }
      isMissing()
      throw try writer.plan.recordNotFound(container)
    }
  }

  /// Updates the row of the record, or inserts it when there is none.
  mutating func write(
    save resolution: Database.ConflictResolution?, _ db: Database, returning selection: [any SQLSelectable] = [],
    _ fetch: (Statement) throws -> Void = { _ in }
  ) throws {
    try saving(db) { record in
      var isMissing = false
      if try record.hasKey(db) {
        do {
          return try record.updateInside(db, resolution, nil, selection, fetch) { isMissing = true }
        } catch _ where isMissing {
          // Its callbacks have seen the error. What they made of it does not matter.
        }
      }
      return try record.insertInside(db, resolution, selection, fetch)
    }
  }

  private func hasKey(_ db: Database) throws -> Bool {
    let writer = try RecordWriter(db, for: type(of: self))
    return try writer.hasKey(stored(by: writer))
  }

  /// Deletes the row of the record.
  func writeDeletion(_ db: Database) throws -> Bool {
    try deleting(db) {
      let writer = try RecordWriter(db, for: type(of: self))
      return try writer.delete(encoded(following: writer.plan.columns))
    }
  }
}

/// How what a statement returns becomes a record.
func fetchingOne<Record: FetchableRecord>(_: Record.Type) -> (Statement) throws -> Record {
  { statement in
    guard let record = try Record.fetchOne(statement) else { throw NothingReturned() }
    return record
  }
}

extension Optional {
  /// What was fetched of a write.
  ///
  /// - precondition: The write asked for it: a closure that is not called throws.
  var fetched: Wrapped {
    guard let self else { preconditionFailure("A write that went well has fetched what it was to fetch") }
    return self
  }
}
