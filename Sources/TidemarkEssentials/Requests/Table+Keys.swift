// What is asked and changed by key. Each is a line over a request.

extension Table {
  /// Whether there is a row of a primary key.
  public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try all().exists(db, key: key)
  }

  /// Whether there is a row of a key, by the names of its columns: those of the primary key, or those of another
  /// unique key.
  public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try all().exists(db, key: key)
  }

  /// Deletes the rows of some primary keys.
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public func deleteAll(
    _ db: Database, keys: some Sequence<some DatabaseValueConvertible>
  ) throws -> Int {
    try all().deleteAll(db, keys: keys)
  }

  /// Deletes the rows of some keys, by the names of their columns.
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
    try all().deleteAll(db, keys: keys)
  }

  /// Deletes the row of a primary key.
  ///
  /// - returns: Whether there was one.
  @discardableResult
  public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try all().deleteAll(db, keys: CollectionOfOne(key)) > 0
  }

  /// Deletes the row of a key, by the names of its columns.
  ///
  /// ```swift
  /// try Table("player").deleteOne(db, key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - returns: Whether there was one.
  @discardableResult
  public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try all().deleteAll(db, keys: [key]) > 0
  }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Whether there is a row of an identifier.
  public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool { try exists(db, key: id) }

  /// Deletes the rows of some identifiers.
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public func deleteAll(_ db: Database, ids: some Collection<RowDecoder.ID>) throws -> Int {
    try deleteAll(db, keys: ids)
  }

  /// Deletes the row of an identifier.
  ///
  /// - returns: Whether there was one.
  @discardableResult
  public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool { try deleteOne(db, key: id) }
}
