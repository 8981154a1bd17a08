extension MutablePersistableRecord {
  /// Inserts the record, or updates the row that conflicts with its primary key or another unique key.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("id", "name", "score") VALUES (1, 'Arthur', 100)
  /// // ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "score" = "excluded"."score"
  /// // RETURNING "rowid"
  /// try player.upsert(db)
  /// ```
  ///
  /// An existing row keeps its primary key. The callbacks of an insertion are called.
  ///
  /// - Parameter db: A database connection.
  /// - Throws: A `DatabaseError`, or an error of the callbacks or of `encode(to:)`.
  public mutating func upsert(_ db: Database) throws {
    try write(upsert: Upsertion(), db)
  }

  /// Upserts a copy of the record and returns it, as updated by `didInsert`.
  ///
  /// ```swift
  /// let player = try Player(id: 1, name: "Arthur", score: 100).upserted(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The upserted record.
  /// - Throws: The errors of `upsert`.
  public func upserted(_ db: Database) throws -> Self { try modified { try $0.upsert(db) } }

  // MARK: - With RETURNING

  /// Inserts the record or updates the conflicting row, and fetches that row.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100)
  /// // ON CONFLICT("name") DO UPDATE SET "score" = "score" + "excluded"."score"
  /// // RETURNING *, "rowid"
  /// let player = try arthur.upsertAndFetch(db, onConflict: ["name"]) { excluded in
  ///   [Column("score").set(to: Column("score") + excluded[Column("score")])]
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictTarget: The columns of the unique key whose conflicts are resolved. By default, all keys.
  /// - Parameter strategy: Which columns of the existing row are updated without an assignment. By default, all columns
  ///   except its keys.
  /// - Parameter assignments: The assignments to the existing row; `excluded` has the values of the record. Other
  ///   columns are set to these values, too, unless they are marked with `noOverwrite`, or excluded by `strategy`.
  /// - Returns: The fetched record.
  /// - Throws: The errors of `upsert`; `RecordError.recordNotFound` if a trigger has ignored the row.
  public mutating func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertAndFetch(db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
  }

  /// Inserts the record or updates the conflicting row, and fetches that row as a record of another type.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictTarget: The columns of the unique key whose conflicts are resolved. By default, all keys.
  /// - Parameter strategy: Which columns of the existing row are updated without an assignment.
  /// - Parameter assignments: The assignments to the existing row; see
  ///   `upsertAndFetch(_:onConflict:updating:doUpdate:)`.
  /// - Returns: The fetched record.
  /// - Throws: The errors of `upsert`; `RecordError.recordNotFound` if a trigger has ignored the row.
  public mutating func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: Fetched.Type, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Fetched {
    let upsertion = Upsertion(conflictTarget, strategy, assignments)
    return try fetching(Fetched.init(row:)) {
      try write(upsert: upsertion, db, returning: Fetched.databaseSelection.checkedNotEmpty, $0)
    }
  }
}
