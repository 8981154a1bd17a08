// Fetching records by key. Keys that no row can have, such as NULL, return early without a query.

// MARK: - By primary key

extension FetchableRecord where Self: TableRecord {
  /// Returns a cursor over the records with the given primary keys, in any order.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: The primary keys. Keys without a row are skipped.
  /// - Returns: A cursor over the records. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the keys
  ///   are row IDs.
  public static func fetchCursor(
    _ db: Database, keys: some Sequence<some DatabaseValueConvertible>
  ) throws -> RecordCursor<Self> {
    try filter(keys: keys).fetchCursor(db)
  }

  /// Fetches the records with the given primary keys, in any order.
  ///
  /// ```swift
  /// let players = try Player.fetchAll(db, keys: [1, 2, 3])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: The primary keys. Keys without a row are skipped.
  /// - Returns: The records that exist. Their number may be smaller than the number of keys.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the keys
  ///   are row IDs.
  public static func fetchAll(_ db: Database, keys: some Sequence<some DatabaseValueConvertible>) throws -> [Self] {
    let keys = keys.map { KeyValue($0) }
    return keys.allSatisfy { $0.isNull } ? [] : try all().filter(keyValues: keys).fetchAll(db)
  }

  /// Fetches the set of the records with the given primary keys.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: The primary keys. Keys without a row are skipped.
  /// - Returns: The records that exist.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the keys
  ///   are row IDs.
  public static func fetchSet(
    _ db: Database, keys: some Sequence<some DatabaseValueConvertible>
  ) throws -> Set<Self> where Self: Hashable {
    let keys = keys.map { KeyValue($0) }
    return keys.allSatisfy { $0.isNull } ? [] : try all().filter(keyValues: keys).fetchSet(db)
  }

  /// Fetches the record with the given primary key.
  ///
  /// ```swift
  /// let player = try Player.fetchOne(db, key: 1)
  /// ```
  ///
  /// The SQL of this query is cached, so repeated calls are fast.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: The primary key. NULL matches no row.
  /// - Returns: The record, or nil if no row has this key.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  /// - Precondition: The primary key of the table has exactly one column, or the table has no primary key and the key
  ///   is a row ID.
  @inlinable
  public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
    let key = KeyValue(key)
    if key.isNull { return nil }
    let request = try db.keyRequest(for: Self.self, key) {
      try filter(key: false).makePreparedRequest(db, forSingleResult: true)
    }
    return try request.first(WholeRowDecoding<Self>.self)
  }

  /// Fetches the record with the given primary key, or throws if it does not exist.
  ///
  /// ```swift
  /// let player = try Player.find(db, key: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: The primary key.
  /// - Returns: The record.
  /// - Throws: `RecordError.recordNotFound` if no row has this key, a ``DatabaseError`` if SQLite fails, or a
  ///   decoding error.
  public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
    guard let record = try fetchOne(db, key: key) else { throw recordNotFound(db, key: key) }
    return record
  }
}

// MARK: - By any unique key

extension FetchableRecord where Self: TableRecord {
  /// Returns a cursor over the records with the given unique keys, in any order.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: Dictionaries of column names and values. Keys without a row are skipped.
  /// - Returns: A cursor over the records. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  /// - Precondition: The columns of each key include all columns of the primary key or of a unique index.
  public static func fetchCursor(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> RecordCursor<Self> {
    try filter(keys: keys).fetchCursor(db)
  }

  /// Fetches the records with the given unique keys, in any order.
  ///
  /// ```swift
  /// let players = try Player.fetchAll(db, keys: [["email": "arthur@example.com"], ["email": "barbara@example.com"]])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: Dictionaries of column names and values. Keys without a row are skipped.
  /// - Returns: The records that exist.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  /// - Precondition: The columns of each key include all columns of the primary key or of a unique index.
  public static func fetchAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> [Self] {
    keys.isEmpty ? [] : try filter(keys: keys).fetchAll(db)
  }

  /// Fetches the set of the records with the given unique keys.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter keys: Dictionaries of column names and values. Keys without a row are skipped.
  /// - Returns: The records that exist.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  /// - Precondition: The columns of each key include all columns of the primary key or of a unique index.
  public static func fetchSet(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Set<Self> where Self: Hashable {
    keys.isEmpty ? [] : try filter(keys: keys).fetchSet(db)
  }

  /// Fetches the record with the given unique key.
  ///
  /// ```swift
  /// let player = try Player.fetchOne(db, key: ["email": "arthur@example.com"])
  /// let citizenship = try Citizenship.fetchOne(db, key: ["citizenId": 1, "countryCode": "FR"])
  /// ```
  ///
  /// - Throws: A `DatabaseError` unless the columns contain a primary key or a unique key.
  public static func fetchOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self? {
    try filter(key: key).fetchOne(db)
  }

  /// Fetches the record with the given unique key, or throws if it does not exist.
  ///
  /// ```swift
  /// let player = try Player.find(db, key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter key: A dictionary of column names and values.
  /// - Returns: The record.
  /// - Throws: `RecordError.recordNotFound` if no row has this key, a ``DatabaseError`` if SQLite fails, or a
  ///   decoding error.
  /// - Precondition: The columns of the key include all columns of the primary key or of a unique index.
  public static func find(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self {
    guard let record = try fetchOne(db, key: key) else { throw recordNotFound(key: key) }
    return record
  }
}

// MARK: - By identifier

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
  /// Returns a cursor over the records with the given identifiers, in any order.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter ids: The identifiers. Identifiers without a row are skipped.
  /// - Returns: A cursor over the records. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public static func fetchCursor(_ db: Database, ids: some Collection<ID>) throws -> RecordCursor<Self> {
    try fetchCursor(db, keys: ids)
  }

  /// Fetches the records with the given identifiers, in any order.
  ///
  /// ```swift
  /// let players = try Player.fetchAll(db, ids: [1, 2, 3])
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter ids: The identifiers. Identifiers without a row are skipped.
  /// - Returns: The records that exist.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public static func fetchAll(_ db: Database, ids: some Collection<ID>) throws -> [Self] {
    try fetchAll(db, keys: ids)
  }

  /// Fetches the set of the records with the given identifiers.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter ids: The identifiers. Identifiers without a row are skipped.
  /// - Returns: The records that exist.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public static func fetchSet(_ db: Database, ids: some Collection<ID>) throws -> Set<Self> where Self: Hashable {
    try fetchSet(db, keys: ids)
  }

  /// Fetches the record with the given identifier.
  ///
  /// ```swift
  /// let player = try Player.fetchOne(db, id: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter id: The identifier.
  /// - Returns: The record, or nil if no row has this identifier.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  @inlinable
  public static func fetchOne(_ db: Database, id: ID) throws -> Self? { try fetchOne(db, key: id) }

  /// Fetches the record with the given identifier, or throws if it does not exist.
  ///
  /// ```swift
  /// let player = try Player.find(db, id: 1)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Parameter id: The identifier.
  /// - Returns: The record.
  /// - Throws: `RecordError.recordNotFound` if no row has this identifier, a ``DatabaseError`` if SQLite
  ///   fails, or a decoding error.
  public static func find(_ db: Database, id: ID) throws -> Self { try find(db, key: id) }
}

// MARK: - All records

extension FetchableRecord where Self: TableRecord {
  /// Returns a cursor over all records of the table.
  ///
  /// ```swift
  /// let players = try Player.fetchCursor(db)
  /// while let player = try players.next() {
  ///   print(player.name)
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: A cursor over the records. Use it only inside the database access that created it.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> { try all().fetchCursor(db) }

  /// Fetches all records of the table.
  ///
  /// ```swift
  /// let players = try Player.fetchAll(db)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The records, in any order.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

  /// Fetches the set of all records of the table.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The records, without duplicates.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public static func fetchSet(_ db: Database) throws -> Set<Self> where Self: Hashable { try all().fetchSet(db) }

  /// Fetches one record of the table.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The first record in SQLite's order, or nil if the table is empty.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or a decoding error.
  public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }
}
