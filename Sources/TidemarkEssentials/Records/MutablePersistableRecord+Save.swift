extension MutablePersistableRecord {
  /// Saves a copy of the record, and answers it as an insertion has modified it.
  ///
  /// - throws: What `save` throws.
  public func saved(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    try modified { try $0.save(db, onConflict: conflictResolution) }
  }

  /// Updates the row of the record, or inserts the record when there is none.
  ///
  /// A record whose primary key is nil is inserted at once.
  ///
  /// - parameter conflictResolution: What is done with rows that break a constraint. By default, what
  ///   `persistenceConflictPolicy` says.
  /// - throws: A `DatabaseError`, and what the callbacks and `encode(to:)` throw.
  @inlinable
  public mutating func save(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try write(save: conflictResolution, db)
  }

  // MARK: - With RETURNING

  /// Saves the record, and fetches some values of its row.
  ///
  /// The closure is called once: when the row was updated, or when the record was inserted.
  ///
  /// - throws: What `save` and the closure throw.
  /// - precondition: The selection is not empty.
  public mutating func saveAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) { try write(save: conflictResolution, db, returning: selection.checkedNotEmpty, $0) }
  }

  /// Saves the record, and fetches its row as a record of another type.
  ///
  /// - throws: What `save` throws; `RecordError.recordNotFound` when the insertion was ignored.
  public mutating func saveAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try saveAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }

  /// Saves the record, and fetches its row.
  ///
  /// - throws: What `save` throws; `RecordError.recordNotFound` when the insertion was ignored.
  public func saveAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }
}
