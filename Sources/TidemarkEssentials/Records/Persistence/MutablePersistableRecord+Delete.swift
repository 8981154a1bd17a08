extension MutablePersistableRecord {
  /// Deletes the row of the record.
  ///
  /// ```swift
  /// // DELETE FROM "player" WHERE "id"=1
  /// try player.delete(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: Whether a row was deleted. A record whose primary key is nil has no row.
  /// - Throws: A `DatabaseError`, or an error of the callbacks or of `encode(to:)`.
  @discardableResult
  @inlinable
  public func delete(_ db: Database) throws -> Bool { try writeDeletion(db) }

  /// Returns whether the table contains a row with the primary key of the record.
  ///
  /// ```swift
  /// // SELECT EXISTS (SELECT 1 FROM "player" WHERE "id"=1)
  /// if try player.exists(db) { … }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: Whether the row exists.
  /// - Throws: A `DatabaseError`, or an error of `encode(to:)`.
  public func exists(_ db: Database) throws -> Bool {
    let writer = try writer(db)
    var container = writer.emptyContainer
    try encode(to: &container)
    return try writer.exists(container)
  }
}

extension TableRecord where Self: EncodableRecord {
  /// Returns the error that reports the primary key of the record as missing from the table.
  ///
  /// ```swift
  /// guard try player.exists(db) else { throw player.recordNotFound(db) }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: A `RecordError.recordNotFound`. If the primary key cannot be determined, the error of the database or
  ///   of `encode(to:)`.
  public func recordNotFound(_ db: Database) -> any Error {
    do {
      return try db.recordPlan(for: type(of: self), type(of: self).databaseTableName).recordNotFound(encoded())
    } catch {
      return error
    }
  }
}
