extension MutablePersistableRecord {
  /// Deletes the row of the record.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "id"=1
  /// try player.delete(db)
  /// ```
  ///
  /// - returns: Whether there was a row. A record whose primary key is nil has none.
  /// - throws: A `DatabaseError`, and what the callbacks and `encode(to:)` throw.
  @discardableResult
  public func delete(_ db: Database) throws -> Bool { try writeDeletion(db) }

  /// Whether the primary key of the record is in a row of the table.
  ///
  /// - throws: A `DatabaseError`, and what `encode(to:)` throws.
  public func exists(_ db: Database) throws -> Bool {
    let writer = try RecordWriter(db, for: type(of: self))
    return try writer.exists(encoded(following: writer.plan.columns))
  }
}
