// Records by their keys. Each is a line over a request; keys of no row are answered without asking the database.

// MARK: - By primary key

extension FetchableRecord where Self: TableRecord {
  /// A cursor over the records of some primary keys, in any order.
  public static func fetchCursor(
    _ db: Database, keys: some Sequence<some DatabaseValueConvertible>
  ) throws -> RecordCursor<Self> {
    try filter(keys: keys).fetchCursor(db)
  }

  /// The records of some primary keys, in any order. Those that are not there are left out.
  public static func fetchAll(_ db: Database, keys: some Sequence<some DatabaseValueConvertible>) throws -> [Self] {
    let keys = keys.map { KeyValue($0) }
    return keys.allSatisfy { $0.isNull } ? [] : try all().filter(keyValues: keys).fetchAll(db)
  }

  /// The distinct records of some primary keys. Those that are not there are left out.
  public static func fetchSet(
    _ db: Database, keys: some Sequence<some DatabaseValueConvertible>
  ) throws -> Set<Self> where Self: Hashable {
    let keys = keys.map { KeyValue($0) }
    return keys.allSatisfy { $0.isNull } ? [] : try all().filter(keyValues: keys).fetchSet(db)
  }

  /// The record of a primary key, or nil when there is none.
  ///
  /// ```swift
  /// let player = try Player.fetchOne(db, key: 1)
  /// ```
  @inlinable
  public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
    let key = KeyValue(key)
    if key.isNull { return nil }
    let request = try db.keyRequest(for: Self.self, key) {
      try filter(key: false).makePreparedRequest(db, forSingleResult: true)
    }
    return try request.first(WholeRowDecoding<Self>.self)
  }

  /// The record of a primary key.
  ///
  /// - throws: `RecordError.recordNotFound` when there is none.
  public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
    guard let record = try fetchOne(db, key: key) else { throw recordNotFound(db, key: key) }
    return record
  }
}

// MARK: - By any unique key

extension FetchableRecord where Self: TableRecord {
  /// A cursor over the records of some keys, by the names of their columns, in any order.
  public static func fetchCursor(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> RecordCursor<Self> {
    try filter(keys: keys).fetchCursor(db)
  }

  /// The records of some keys, by the names of their columns, in any order. Those that are not there are left out.
  public static func fetchAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> [Self] {
    keys.isEmpty ? [] : try filter(keys: keys).fetchAll(db)
  }

  /// The distinct records of some keys, by the names of their columns. Those that are not there are left out.
  public static func fetchSet(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Set<Self> where Self: Hashable {
    keys.isEmpty ? [] : try filter(keys: keys).fetchSet(db)
  }

  /// The record of a key, by the names of its columns, or nil when there is none.
  ///
  /// ```swift
  /// let player = try Player.fetchOne(db, key: ["email": "arthur@example.com"])
  /// let citizenship = try Citizenship.fetchOne(db, key: ["citizenId": 1, "countryCode": "FR"])
  /// ```
  ///
  /// - throws: A `DatabaseError` unless the columns contain those of the primary key, or those of a unique index.
  public static func fetchOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self? {
    try filter(key: key).fetchOne(db)
  }

  /// The record of a key, by the names of its columns.
  ///
  /// - throws: `RecordError.recordNotFound` when there is none.
  public static func find(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Self {
    guard let record = try fetchOne(db, key: key) else { throw recordNotFound(key: key) }
    return record
  }
}

// MARK: - By identifier

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
  /// A cursor over the records of some identifiers, in any order.
  public static func fetchCursor(_ db: Database, ids: some Collection<ID>) throws -> RecordCursor<Self> {
    try fetchCursor(db, keys: ids)
  }

  /// The records of some identifiers, in any order. Those that are not there are left out.
  public static func fetchAll(_ db: Database, ids: some Collection<ID>) throws -> [Self] {
    try fetchAll(db, keys: ids)
  }

  /// The distinct records of some identifiers. Those that are not there are left out.
  public static func fetchSet(_ db: Database, ids: some Collection<ID>) throws -> Set<Self> where Self: Hashable {
    try fetchSet(db, keys: ids)
  }

  /// The record of an identifier, or nil when there is none.
  @inlinable
  public static func fetchOne(_ db: Database, id: ID) throws -> Self? { try fetchOne(db, key: id) }

  /// The record of an identifier.
  ///
  /// ```swift
  /// let player = try Player.find(db, id: 1)
  /// ```
  ///
  /// - throws: `RecordError.recordNotFound` when there is none.
  public static func find(_ db: Database, id: ID) throws -> Self { try find(db, key: id) }
}

// MARK: - All records

extension FetchableRecord where Self: TableRecord {
  /// A cursor over all records.
  public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> { try all().fetchCursor(db) }

  /// All records.
  public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

  /// All distinct records.
  public static func fetchSet(_ db: Database) throws -> Set<Self> where Self: Hashable { try all().fetchSet(db) }

  /// The first record, or nil when there is none.
  public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }
}
