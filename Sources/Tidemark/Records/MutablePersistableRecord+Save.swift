extension MutablePersistableRecord {
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

  /// Saves a copy of the record, and answers it as an insertion has modified it.
  ///
  /// - throws: What `save` throws.
  public func saved(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    var record = self
    try record.save(db, onConflict: conflictResolution)
    return record
  }

  // MARK: - With RETURNING

  /// Saves the record, and fetches its row.
  ///
  /// - throws: What `save` throws; `RecordError.recordNotFound` when the insertion was ignored.
  public func saveAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
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

  /// Saves the record, and fetches some values of its row.
  ///
  /// The closure is called once when the row was updated; it is also called when there was no row to update, and then
  /// once more when the record has been inserted.
  ///
  /// - throws: What `save` and the closure throw.
  /// - precondition: The selection is not empty.
  public mutating func saveAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    var fetched: Fetched?
    try write(save: conflictResolution, db, returning: selection.checkedNotEmpty) { fetched = try fetch($0) }
    return fetched.fetched
  }
}
