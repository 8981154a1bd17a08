// What is asked and changed by key, and all at once. Each is a line over a request.

extension TableRecord {
  /// The number of rows.
  public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// Whether there is a row of a primary key.
  public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try all().exists(db, key: key)
  }

  /// Whether there is a row of a key, by the names of its columns: those of the primary key, or those of another
  /// unique key.
  public static func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try all().exists(db, key: key)
  }

  /// Deletes all rows.
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  /// Deletes the rows of some primary keys.
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: some Sequence<some DatabaseValueConvertible>
  ) throws -> Int {
    try all().deleteAll(db, keys: keys)
  }

  /// Deletes the rows of some keys, by the names of their columns.
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public static func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
    try all().deleteAll(db, keys: keys)
  }

  /// Deletes the row of a primary key.
  ///
  /// - returns: Whether there was one.
  @discardableResult
  public static func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try all().deleteAll(db, keys: CollectionOfOne(key)) > 0
  }

  /// Deletes the row of a key, by the names of its columns.
  ///
  /// ```swift
  /// try Player.deleteOne(db, key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - returns: Whether there was one.
  @discardableResult
  public static func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try all().deleteAll(db, keys: [key]) > 0
  }

  /// Updates all rows.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0
  /// try Player.updateAll(db, [Column("score").set(to: 0)])
  /// ```
  ///
  /// - returns: The number of rows that were updated.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// Updates all rows.
  ///
  /// - returns: The number of rows that were updated.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }
}

extension TableRecord {
  /// Updates all rows, from the columns of the record.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
  }

  /// Updates all rows, from the columns of the record.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Whether there is a row of an identifier.
  public static func exists(_ db: Database, id: ID) throws -> Bool { try exists(db, key: id) }

  /// Deletes the rows of some identifiers.
  ///
  /// - returns: The number of rows that were deleted.
  @discardableResult
  public static func deleteAll(_ db: Database, ids: some Collection<ID>) throws -> Int {
    try deleteAll(db, keys: ids)
  }

  /// Deletes the row of an identifier.
  ///
  /// - returns: Whether there was one.
  @discardableResult
  public static func deleteOne(_ db: Database, id: ID) throws -> Bool { try deleteOne(db, key: id) }
}
