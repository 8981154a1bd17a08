extension MutablePersistableRecord {
  /// Inserts the record.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100)
  /// var player = Player(id: nil, name: "Arthur", score: 100)
  /// try player.insert(db)
  /// ```
  ///
  /// - parameter conflictResolution: What is done with rows that break a constraint. By default, what
  ///   `persistenceConflictPolicy` says.
  /// - throws: A `DatabaseError`, and what the callbacks and `encode(to:)` throw.
  @inlinable
  public mutating func insert(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try write(insert: conflictResolution, db)
  }

  /// Inserts a copy of the record, and answers it as the insertion has modified it.
  ///
  /// ```swift
  /// let player = try Player(id: nil, name: "Arthur", score: 100).inserted(db)
  /// ```
  ///
  /// - throws: What `insert` throws.
  public func inserted(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    try modified { try $0.insert(db, onConflict: conflictResolution) }
  }

  // MARK: - With RETURNING

  /// Inserts the record, and fetches what was inserted: with the values that the database gave by itself.
  ///
  /// - throws: What `insert` throws; `RecordError.recordNotFound` when the insertion was ignored.
  public func insertAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Inserts the record, and fetches what was inserted as a record of another type.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("name") VALUES ('Arthur') RETURNING *
  /// var newcomer = Newcomer(name: "Arthur")
  /// let player = try newcomer.insertAndFetch(db, as: Player.self)
  /// ```
  ///
  /// - throws: What `insert` throws; `RecordError.recordNotFound` when the insertion was ignored.
  public mutating func insertAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, as returnedType: Fetched.Type
  ) throws -> Fetched {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: Fetched.databaseSelection, fetch: fetchingOne(returnedType))
  }

  /// Inserts the record, and fetches some values of what was inserted.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("name") VALUES ('Arthur') RETURNING "score"
  /// let score = try newcomer.insertAndFetch(db, selection: [Column("score")]) { statement in
  ///   try Int.fetchOne(statement)
  /// }
  /// ```
  ///
  /// The closure may fetch once from the statement, or not at all.
  ///
  /// - throws: What `insert` and the closure throw.
  /// - precondition: The selection is not empty.
  public mutating func insertAndFetch<Fetched>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> Fetched
  ) throws -> Fetched {
    try fetching(fetch) { try write(insert: conflictResolution, db, returning: selection.checkedNotEmpty, $0) }
  }

  /// Inserts the record, and fetches some values of what was inserted, which are told by the columns of the type.
  ///
  /// ```swift
  /// let score = try newcomer.insertAndFetch(db) { statement in
  ///   try Int.fetchOne(statement)
  /// } select: {
  ///   [$0.score]
  /// }
  /// ```
  ///
  /// - throws: What `insert` and the closures throw.
  /// - precondition: The selection is not empty.
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
  /// - precondition: It is not empty.
  var checkedNotEmpty: Self {
    precondition(!isEmpty, "The selection is empty: select a column at least, or use a method that fetches nothing")
    return self
  }
}
