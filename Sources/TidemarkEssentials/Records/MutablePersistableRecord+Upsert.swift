extension MutablePersistableRecord {
  /// Inserts the record, or updates the row that is in its way: the one that has its primary key, or another of its
  /// unique keys.
  ///
  /// ```swift
  /// // INSERT INTO "player" ("id", "name", "score") VALUES (1, 'Arthur', 100)
  /// // ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "score" = "excluded"."score"
  /// // RETURNING "rowid"
  /// try player.upsert(db)
  /// ```
  ///
  /// The primary key of a row that is there already stays. What is called are the callbacks of an insertion.
  ///
  /// - throws: A `DatabaseError`, and what the callbacks and `encode(to:)` throw.
  public mutating func upsert(_ db: Database) throws {
    try write(upsert: Upsertion(), db)
  }

  // MARK: - With RETURNING

  /// Inserts the record, or updates the row that is in its way, and fetches that row.
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
  /// - parameter conflictTarget: The columns of the unique key whose conflicts are meant. By default, those of all
  ///   keys.
  /// - parameter assignments: What the row that is there is given; `excluded` has the values that would have been
  ///   inserted. Columns that are not named take those, too, unless they are marked with `noOverwrite`.
  /// - throws: What `upsert` throws; `RecordError.recordNotFound` when a trigger left the row out.
  public mutating func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertAndFetch(db, as: Self.self, onConflict: conflictTarget, doUpdate: assignments)
  }

  /// Inserts the record, or updates the row that is in its way, and fetches that row as a record of another type.
  ///
  /// - parameter conflictTarget: The columns of the unique key whose conflicts are meant. By default, those of all
  ///   keys.
  /// - parameter assignments: What the row that is there is given; see `upsertAndFetch(_:onConflict:doUpdate:)`.
  /// - throws: What `upsert` throws; `RecordError.recordNotFound` when a trigger left the row out.
  public mutating func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: Fetched.Type, onConflict conflictTarget: [String] = [],
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Fetched {
    let upsertion = Upsertion(conflictTarget, assignments)
    return try fetching(Fetched.init(row:)) {
      try write(upsert: upsertion, db, returning: Fetched.databaseSelection.checkedNotEmpty, $0)
    }
  }
}
