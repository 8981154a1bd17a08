// Queries and changes by key. Each method is a short form of a request.

extension Table {
  /// Fetches whether a row with the given primary key exists.
  ///
  /// ```swift
  /// let isKnown = try Table("player").exists(db, key: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: The primary key. NULL matches no row.
  /// - Returns: True if the row exists.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the key
  ///   is a row ID.
  public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try all().exists(db, key: key)
  }

  /// Fetches whether a row with the given unique key exists.
  ///
  /// ```swift
  /// let isTaken = try Table("player").exists(db, key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: A dictionary of column names and values.
  /// - Returns: True if the row exists.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The columns of the key include all columns of the primary key or of a unique index.
  public func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try all().exists(db, key: key)
  }

  /// Deletes the rows with the given primary keys.
  ///
  /// ```swift
  /// let count = try Table("player").deleteAll(db, keys: [1, 2, 3])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: The primary keys. Keys without a row are skipped.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the keys
  ///   are row IDs.
  @discardableResult
  public func deleteAll(
    _ db: Database, keys: some Sequence<some DatabaseValueConvertible>
  ) throws -> Int {
    try all().deleteAll(db, keys: keys)
  }

  /// Deletes the rows with the given unique keys.
  ///
  /// ```swift
  /// try Table("player").deleteAll(db, keys: [["email": "arthur@example.com"], ["email": "barbara@example.com"]])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: Dictionaries of column names and values. Keys without a row are skipped.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The columns of each key include all columns of the primary key or of a unique index.
  @discardableResult
  public func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
    try all().deleteAll(db, keys: keys)
  }

  /// Deletes the row with the given primary key.
  ///
  /// ```swift
  /// try Table("player").deleteOne(db, key: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: The primary key. NULL matches no row.
  /// - Returns: True if a row was deleted.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the key
  ///   is a row ID.
  @discardableResult
  public func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try all().deleteAll(db, keys: CollectionOfOne(key)) > 0
  }

  /// Deletes the row with the given unique key.
  ///
  /// ```swift
  /// try Table("player").deleteOne(db, key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: A dictionary of column names and values.
  /// - Returns: True if a row was deleted.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The columns of the key include all columns of the primary key or of a unique index.
  @discardableResult
  public func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
    try all().deleteAll(db, keys: [key]) > 0
  }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Fetches whether a row with the given identifier exists.
  ///
  /// ```swift
  /// let isKnown = try Table<Player>("player").exists(db, id: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter id: The identifier.
  /// - Returns: True if the row exists.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool { try exists(db, key: id) }

  /// Deletes the rows with the given identifiers.
  ///
  /// ```swift
  /// let count = try Table<Player>("player").deleteAll(db, ids: [1, 2, 3])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter ids: The identifiers. Identifiers without a row are skipped.
  /// - Returns: The number of deleted rows.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  @discardableResult
  public func deleteAll(_ db: Database, ids: some Collection<RowDecoder.ID>) throws -> Int {
    try deleteAll(db, keys: ids)
  }

  /// Deletes the row with the given identifier.
  ///
  /// ```swift
  /// try Table<Player>("player").deleteOne(db, id: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter id: The identifier.
  /// - Returns: True if a row was deleted.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  @discardableResult
  public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool { try deleteOne(db, key: id) }
}
