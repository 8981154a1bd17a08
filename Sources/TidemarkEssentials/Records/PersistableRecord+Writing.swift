// The methods of `MutablePersistableRecord` that may modify a record, for records that they do not modify: a copy is
// written, or the same object.

extension PersistableRecord {
  @inlinable
  func writing<Result>(_ write: (inout Self) throws -> Result) rethrows -> Result {
    var record = self
    return try write(&record)
  }

  // MARK: - Insertion

  /// Inserts the record.
  ///
  /// - parameter conflictResolution: What is done with rows that break a constraint. By default, what
  ///   `persistenceConflictPolicy` says.
  /// - throws: A `DatabaseError`, and what the callbacks and `encode(to:)` throw.
  @inlinable
  public func insert(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
    try writing { try $0.write(insert: conflictResolution, db) }
  }

  /// Inserts the record, and fetches what was inserted as a record of another type.
  ///
  /// - throws: What `insert` throws; `RecordError.recordNotFound` when the insertion was ignored.
  public func insertAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }

  /// Inserts the record, and fetches some values of what was inserted.
  ///
  /// - throws: What `insert` and the closure throw.
  /// - precondition: The selection is not empty.
  public func insertAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    let selection = selection.checkedNotEmpty
    return try fetching(fetch) { keep in
      try writing { try $0.write(insert: conflictResolution, db, returning: selection, keep) }
    }
  }

  /// Inserts the record, and fetches some values of what was inserted, which are told by the columns of the type.
  ///
  /// - throws: What `insert` and the closures throw.
  /// - precondition: The selection is not empty.
  public func insertAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
  }

  // MARK: - Update or insertion

  /// Updates the row of the record, or inserts the record when there is none.
  ///
  /// - throws: A `DatabaseError`, and what the callbacks and `encode(to:)` throw.
  @inlinable
  public func save(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
    try writing { try $0.write(save: conflictResolution, db) }
  }

  /// Saves the record, and fetches some values of its row.
  ///
  /// - throws: What `save` and the closure throw.
  /// - precondition: The selection is not empty.
  public func saveAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) { keep in
      try writing { try $0.write(save: conflictResolution, db, returning: selection.checkedNotEmpty, keep) }
    }
  }

  /// Saves the record, and fetches its row as a record of another type.
  ///
  /// - throws: What `save` throws; `RecordError.recordNotFound` when the insertion was ignored.
  public func saveAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try saveAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }

  // MARK: - Insertion or update

  /// Inserts the record, or updates the row that is in its way. See `MutablePersistableRecord.upsert(_:)`.
  ///
  /// - throws: A `DatabaseError`, and what the callbacks and `encode(to:)` throw.
  public func upsert(_ db: Database) throws {
    try writing { try $0.write(upsert: Upsertion(), db) }
  }

  /// Inserts the record, or updates the row that is in its way, and fetches that row. See
  /// `MutablePersistableRecord.upsertAndFetch(_:onConflict:doUpdate:)`.
  ///
  /// - throws: What `upsert` throws; `RecordError.recordNotFound` when a trigger left the row out.
  public func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertAndFetch(db, as: Self.self, onConflict: conflictTarget, doUpdate: assignments)
  }

  /// Inserts the record, or updates the row that is in its way, and fetches that row as a record of another type. See
  /// `MutablePersistableRecord.upsertAndFetch(_:onConflict:doUpdate:)`.
  ///
  /// - throws: What `upsert` throws; `RecordError.recordNotFound` when a trigger left the row out.
  public func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: Fetched.Type, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Fetched {
    let upsertion = Upsertion(conflictTarget, assignments)
    return try fetching(Fetched.init(row:)) { keep in
      try writing { try $0.write(upsert: upsertion, db, returning: Fetched.databaseSelection.checkedNotEmpty, keep) }
    }
  }
}
