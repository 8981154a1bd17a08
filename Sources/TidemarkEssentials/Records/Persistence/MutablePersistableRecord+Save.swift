extension MutablePersistableRecord {
  /// Saves a copy of the record and returns it, as updated by `didInsert`.
  ///
  /// ```swift
  /// let player = try Player(id: nil, name: "Arthur", score: 100).saved(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Returns: The saved record.
  /// - Throws: The errors of `save`.
  public func saved(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    try modified { try $0.save(db, onConflict: conflictResolution) }
  }

  /// Updates the row of the record, or inserts the record if the row does not exist.
  ///
  /// A record whose primary key is nil is inserted directly.
  ///
  /// ```swift
  /// var player = Player(id: nil, name: "Arthur", score: 100)
  /// try player.save(db)    // inserts
  /// player.score += 10
  /// try player.save(db)    // updates
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Throws: A `DatabaseError`, or an error of the callbacks or of `encode(to:)`.
  @inlinable
  public mutating func save(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try write(save: conflictResolution, db)
  }

  // MARK: - With RETURNING

  /// Saves the record, and fetches selected values of its row.
  ///
  /// ```swift
  /// let date = try player.saveAndFetch(db, selection: [Column("modificationDate")]) { statement in
  ///   try Date.fetchOne(statement)
  /// }
  /// ```
  ///
  /// The closure is called once, after the update or the insertion.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `save` and of the closure.
  /// - Precondition: The selection is not empty.
  public mutating func saveAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) { try write(save: conflictResolution, db, returning: selection.checkedNotEmpty, $0) }
  }

  /// Saves the record, and fetches selected values of its row. A closure selects columns of the record type.
  ///
  /// ```swift
  /// let score = try player.saveAndFetch(db) { statement in
  ///   try Int.fetchOne(statement)
  /// } select: {
  ///   [$0.score]
  /// }
  /// ```
  ///
  /// - Returns: The result of `fetch`.
  /// - Throws: The errors of `save` and of the closures.
  /// - Precondition: The selection is not empty.
  public mutating func saveAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched {
    try saveAndFetch(db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
  }

  /// Saves the record, and fetches its row as a record of another type.
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `save`; `RecordError.recordNotFound` if the insertion was ignored because of a conflict.
  public mutating func saveAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try saveAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }

  /// Saves the record, and fetches its row.
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `save`; `RecordError.recordNotFound` if the insertion was ignored because of a conflict.
  public func saveAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }
}
