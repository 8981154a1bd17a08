// The methods of `MutablePersistableRecord` for records that do not need mutation: they write a copy, or the same
// object.

extension PersistableRecord {
  @inlinable
  func writing<Result>(_ write: (inout Self) throws -> Result) rethrows -> Result {
    var record = self
    return try write(&record)
  }

  // MARK: - Insertion

  /// Inserts the record. It is not copied, because no callback of an insertion can mutate it (Benchmarks: `insert:
  /// record`).
  @inlinable
  func writeUnchanged(
    insert resolution: Database.ConflictResolution?, _ db: Database, returning selection: [any SQLSelectable] = [],
    _ fetch: (Statement) throws -> Void = { _ in }
  ) throws {
    try willSave(db)
    var saved = Outcome<PersistenceSuccess>()
    try aroundSave(db) {
      try saved.keep {
        try willInsert(db)
        var inserted = Outcome<InsertionSuccess>()
        try aroundInsert(db) {
          try inserted.keep {
            let writer = try writer(db)
            let resolution = resolution ?? type(of: self).persistenceConflictPolicy.conflictResolutionForInsert
            return try writer.insert(stored(by: writer), resolution, returning: selection, fetch)
          }
        }
        let success = try inserted.value(of: Self.self, .insert)
        didInsert(success)
        return PersistenceSuccess(success)
      }
    }
    didSave(try saved.value(of: Self.self, .save))
  }

  /// Inserts the record.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Throws: A `DatabaseError`, or an error of the callbacks or of `encode(to:)`.
  @inlinable
  public func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
    try writeUnchanged(insert: conflictResolution, db)
  }

  /// Inserts the record, and fetches the inserted row as a record of another type.
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `insert`; `RecordError.recordNotFound` if the insertion was ignored.
  public func insertAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }

  /// Inserts the record, and fetches selected values of the inserted row.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `insert` and of the closure.
  /// - Precondition: The selection is not empty.
  public func insertAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    let selection = selection.checkedNotEmpty
    return try fetching(fetch) { keep in
      try writeUnchanged(insert: conflictResolution, db, returning: selection, keep)
    }
  }

  /// Inserts the record, and fetches selected values of the inserted row. A closure selects columns of the record type.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `insert` and of the closures.
  /// - Precondition: The selection is not empty.
  public func insertAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
  }

  // MARK: - Update or insertion

  /// Updates the row of the record, or inserts the record if the row does not exist.
  ///
  /// - Parameter db: A database connection.
  /// - Throws: A `DatabaseError`, or an error of the callbacks or of `encode(to:)`.
  @inlinable
  public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
    try writing { try $0.write(save: conflictResolution, db) }
  }

  /// Saves the record, and fetches selected values of its row.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `save` and of the closure.
  /// - Precondition: The selection is not empty.
  public func saveAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) { keep in
      try writing { try $0.write(save: conflictResolution, db, returning: selection.checkedNotEmpty, keep) }
    }
  }

  /// Saves the record, and fetches selected values of its row. A closure selects columns of the record type.
  ///
  /// - Returns: The result of `fetch`.
  /// - Throws: The errors of `save` and of the closures.
  /// - Precondition: The selection is not empty.
  public func saveAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched {
    try saveAndFetch(db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
  }

  /// Saves the record, and fetches its row as a record of another type.
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `save`; `RecordError.recordNotFound` if the insertion was ignored.
  public func saveAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try saveAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }

  // MARK: - Insertion or update

  /// Inserts the record, or updates the conflicting row. See `MutablePersistableRecord.upsert(_:)`.
  ///
  /// - Parameter db: A database connection.
  /// - Throws: A `DatabaseError`, or an error of the callbacks or of `encode(to:)`.
  public func upsert(_ db: Database) throws {
    try writing { try $0.write(upsert: Upsertion(), db) }
  }

  /// Inserts the record or updates the conflicting row, and fetches that row. See
  /// `MutablePersistableRecord.upsertAndFetch(_:onConflict:updating:doUpdate:)`.
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `upsert`; `RecordError.recordNotFound` if a trigger has ignored the row.
  public func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertAndFetch(db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
  }

  /// Inserts the record or updates the conflicting row, and fetches that row as a record of another type. See
  /// `MutablePersistableRecord.upsertAndFetch(_:onConflict:updating:doUpdate:)`.
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `upsert`; `RecordError.recordNotFound` if a trigger has ignored the row.
  public func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: Fetched.Type, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Fetched {
    let upsertion = Upsertion(conflictTarget, strategy, assignments)
    return try fetching(Fetched.init(row:)) { keep in
      try writing { try $0.write(upsert: upsertion, db, returning: Fetched.databaseSelection.checkedNotEmpty, keep) }
    }
  }
}
