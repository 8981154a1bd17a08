// Queries and changes by key, and of all rows. Each method is a short form of a request.

extension TableRecord {
  /// Fetches the number of rows of the table.
  ///
  /// ```swift
  /// let count = try Player.fetchCount(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The number of rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// Fetches whether a row with the given primary key exists.
  ///
  /// ```swift
  /// let isKnown = try Player.exists(db, key: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: The primary key. NULL matches no row.
  /// - Returns: True if the row exists.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the key
  ///   is a row ID.
  public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try all().exists(db, key: key)
  }

  /// Fetches whether a row with the given unique key exists.
  ///
  /// ```swift
  /// let isTaken = try Player.exists(db, key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: A dictionary of column names and values.
  /// - Returns: True if the row exists.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The columns of the key include all columns of the primary key or of a unique index.
  public static func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try all().exists(db, key: key)
  }

  /// Deletes all rows of the table.
  ///
  /// Persistence callbacks of the record type, such as `willDelete(_:)`, do not run.
  ///
  /// ```swift
  /// try Player.deleteAll(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  @discardableResult
  public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  /// Deletes the rows with the given primary keys.
  ///
  /// ```swift
  /// let count = try Player.deleteAll(db, keys: [1, 2, 3])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: The primary keys. Keys without a row are skipped.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the keys
  ///   are row IDs.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: some Sequence<some DatabaseValueConvertible>
  ) throws -> Int {
    try all().deleteAll(db, keys: keys)
  }

  /// Deletes the rows with the given unique keys.
  ///
  /// ```swift
  /// try Player.deleteAll(db, keys: [["email": "arthur@example.com"], ["email": "barbara@example.com"]])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: Dictionaries of column names and values. Keys without a row are skipped.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The columns of each key include all columns of the primary key or of a unique index.
  @discardableResult
  public static func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
    try all().deleteAll(db, keys: keys)
  }

  /// Deletes the row with the given primary key.
  ///
  /// ```swift
  /// try Player.deleteOne(db, key: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: The primary key. NULL matches no row.
  /// - Returns: True if a row was deleted.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the key
  ///   is a row ID.
  @discardableResult
  public static func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try all().deleteAll(db, keys: CollectionOfOne(key)) > 0
  }

  /// Deletes the row with the given unique key.
  ///
  /// ```swift
  /// try Player.deleteOne(db, key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: A dictionary of column names and values.
  /// - Returns: True if a row was deleted.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The columns of the key include all columns of the primary key or of a unique index.
  @discardableResult
  public static func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try all().deleteAll(db, keys: [key]) > 0
  }

  /// Updates all rows of the table.
  ///
  /// ```swift
  /// // UPDATE "player" SET "score" = 0
  /// try Player.updateAll(db, [Column("score").set(to: 0)])
  /// ```
  ///
  /// Persistence callbacks of the record type, such as `willUpdate(_:columns:)`, do not run.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: The changes of columns. If no assignment sets a value, nothing is executed.
  /// - Returns: The number of updated rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// Updates all rows of the table.
  ///
  /// ```swift
  /// try Player.updateAll(db, Column("score").set(to: 0), Column("bonus") += 10)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: The changes of columns.
  /// - Returns: The number of updated rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }
}

extension TableRecord {
  /// Updates one of the record's columns in all rows of the table.
  ///
  /// ```swift
  /// try Player.updateAll(db) { $0.score += 10 }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignment: A closure that returns the change of a column.
  /// - Returns: The number of updated rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or the error that `assignment` throws.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
  }

  /// Updates some of the record's columns in all rows of the table.
  ///
  /// ```swift
  /// try Player.updateAll(db) { [$0.score.set(to: 0), $0.bonus += 10] }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter conflictResolution: How SQLite resolves constraint violations. By default, the conflict policy for
  ///   updates of the record type, or `ABORT`.
  /// - Parameter assignments: A closure that returns the changes of columns.
  /// - Returns: The number of updated rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or the error that `assignments` throws.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Fetches whether a row with the given identifier exists.
  ///
  /// ```swift
  /// let isKnown = try Player.exists(db, id: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter id: The identifier.
  /// - Returns: True if the row exists.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public static func exists(_ db: Database, id: ID) throws -> Bool { try exists(db, key: id) }

  /// Deletes the rows with the given identifiers.
  ///
  /// ```swift
  /// let count = try Player.deleteAll(db, ids: [1, 2, 3])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter ids: The identifiers. Identifiers without a row are skipped.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  @discardableResult
  public static func deleteAll(_ db: Database, ids: some Collection<ID>) throws -> Int {
    try deleteAll(db, keys: ids)
  }

  /// Deletes the row with the given identifier.
  ///
  /// ```swift
  /// try Player.deleteOne(db, id: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter id: The identifier.
  /// - Returns: True if a row was deleted.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  @discardableResult
  public static func deleteOne(_ db: Database, id: ID) throws -> Bool { try deleteOne(db, key: id) }
}
