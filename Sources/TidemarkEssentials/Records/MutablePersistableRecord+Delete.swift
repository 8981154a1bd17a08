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
  @inlinable
  public func delete(_ db: Database) throws -> Bool { try writeDeletion(db) }

  /// Whether the primary key of the record is in a row of the table.
  ///
  /// - throws: A `DatabaseError`, and what `encode(to:)` throws.
  public func exists(_ db: Database) throws -> Bool {
    let writer = try writer(db)
    var container = writer.emptyContainer
    try encode(to: &container)
    return try writer.exists(container)
  }
}

extension TableRecord where Self: EncodableRecord {
  /// The error of a record whose primary key is in no row.
  ///
  /// - returns: A `RecordError.recordNotFound`, or the error of the database when it cannot tell what the key is, or
  ///   that of `encode(to:)`.
  public func recordNotFound(_ db: Database) -> any Error {
    do {
      return try db.recordPlan(for: type(of: self), type(of: self).databaseTableName).recordNotFound(encoded())
    } catch {
      return error
    }
  }
}
