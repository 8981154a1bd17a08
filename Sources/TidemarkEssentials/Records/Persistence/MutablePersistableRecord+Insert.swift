extension MutablePersistableRecord {
  /// Inserts the record.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100)
  /// var player = Player(id: nil, name: "Arthur", score: 100)
  /// try player.insert(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Throws: A `DatabaseError`, or an error of the callbacks or of `encode(to:)`.
  @inlinable
  public mutating func insert(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try write(insert: conflictResolution, db)
  }

  /// Inserts a copy of the record and returns it, as updated by `didInsert`.
  ///
  /// ```swift
  /// let player = try Player(id: nil, name: "Arthur", score: 100).inserted(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Returns: The inserted record.
  /// - Throws: The errors of `insert`.
  public func inserted(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    try modified { try $0.insert(db, onConflict: conflictResolution) }
  }

  // MARK: - With RETURNING

  /// Inserts the record, and fetches the inserted row, which includes the default values of its columns.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING *
  /// let player = try Player(id: nil, name: "Arthur").insertAndFetch(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: The conflict resolution. By default, it is defined by `persistenceConflictPolicy`.
  /// - Returns: The fetched record.
  /// - Throws: The errors of `insert`; `RecordError.recordNotFound` if the insertion was ignored because of a conflict.
  public func insertAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Inserts the record, and fetches the inserted row as a record of another type.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("name") VALUES ('Arthur') RETURNING *
  /// var newcomer = Newcomer(name: "Arthur")
  /// let player = try newcomer.insertAndFetch(db, as: Player.self)
  /// ```
  ///
  /// - Returns: The fetched record.
  /// - Throws: The errors of `insert`; `RecordError.recordNotFound` if the insertion was ignored because of a conflict.
  public mutating func insertAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }

  /// Inserts the record, and fetches selected values of the inserted row.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("name") VALUES ('Arthur') RETURNING "score"
  /// let score = try newcomer.insertAndFetch(db, selection: [Column("score")]) { statement in
  ///   try Int.fetchOne(statement)
  /// }
  /// ```
  ///
  /// The closure may fetch from the statement at most once.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The errors of `insert` and of the closure.
  /// - Precondition: The selection is not empty.
  public mutating func insertAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) { try write(insert: conflictResolution, db, returning: selection.checkedNotEmpty, $0) }
  }

  /// Inserts the record, and fetches selected values of the inserted row. A closure selects columns of the record type.
  ///
  /// ```swift
  /// let score = try newcomer.insertAndFetch(db) { statement in
  ///   try Int.fetchOne(statement)
  /// } select: {
  ///   [$0.score]
  /// }
  /// ```
  ///
  /// - Returns: The result of `fetch`.
  /// - Throws: The errors of `insert` and of the closures.
  /// - Precondition: The selection is not empty.
  public mutating func insertAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> Fetched, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Fetched {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
  }
}

extension [any SQLSelectable] {
  /// The selection of a `RETURNING` clause.
  ///
  /// - Precondition: It is not empty.
  var checkedNotEmpty: Self {
    precondition(!isEmpty, "The selection must not be empty: select a column, or use a method that does not fetch")
    return self
  }
}
