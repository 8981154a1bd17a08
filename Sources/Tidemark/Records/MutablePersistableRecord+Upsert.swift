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
}
