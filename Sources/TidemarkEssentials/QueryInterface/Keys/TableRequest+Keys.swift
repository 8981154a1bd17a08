// Filters by key. The columns of the key are looked up when the request is prepared.

extension TableRequest where Self: FilteredRequest {
  /// Returns a request of the row with the given primary key.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "id" = 1
  /// let request = Player.all().filter(key: 1)
  /// ```
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, it is a row ID.
  // Not generic: with one more generic overload, the compiler takes seconds for `filter { … }`.
  public func filter(key: any DatabaseValueConvertible) -> Self { filter(keyValues: [KeyValue(key)]) }

  /// Returns a request of the rows with the given primary keys, in any order.
  ///
  /// Fetching throws a `DatabaseError` if the primary key has several columns. Without a primary key, keys are row IDs.
  public func filter(keys: some Sequence<some DatabaseValueConvertible>) -> Self {
    filter(keyValues: keys.map { KeyValue($0) })
  }

  /// The rows of some primary keys, which are looked for as the record type stores them.
  func filter(keyValues keys: [KeyValue]) -> Self {
    let keys = keys.filter { !$0.isNull }
    if keys.isEmpty { return none() }
    let tableName = databaseTableName
    let strategies = Self.keyStrategies
    return filterWhenConnected { db in
      let column = try db.singleKeyColumn(of: tableName, "Requesting by key")
      let values = try keys.map { try $0.databaseValue(in: column, of: strategies.recordType) }.filter { !$0.isNull }
      return db.fixedPart(values.isEmpty ? .value(false) : values.contains(Column(column)))
    }
  }

  /// Returns a request of the row with the given unique key.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
  /// let request = Player.all().filter(key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// Fetching throws a `DatabaseError` unless the columns contain a primary key or a unique key.
  public func filter(key: [String: (any DatabaseValueConvertible)?]) -> Self { filter(keys: [key]) }

  /// Returns a request of the rows with the given unique keys, in any order.
  ///
  /// Fetching throws a `DatabaseError` unless the columns of each key contain a primary key or a unique key.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
    if keys.isEmpty { return none() }
    let keys = keys.map { $0.mapValues { KeyValue(optional: $0) } }
    let tableName = databaseTableName
    let strategies = Self.keyStrategies
    return filterWhenConnected { db in
      let conditions = try keys.map { key in
        try db.orderedKeyColumns(Array(key.keys), of: tableName)
          .map { Column($0.column) == (try key[$0.name]?.databaseValue(in: $0.column, of: strategies.recordType)) }
          .joined(operator: .and)
      }
      return db.fixedPart(conditions.joined(operator: .or))
    }
  }
}

extension TableRequest
where Self: FilteredRequest & TypedRequest, RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Returns a request of the row with the given identifier.
  ///
  /// ```swift
  /// let request = Player.all().filter(id: 1)
  /// ```
  ///
  /// - Parameter id: The identifier.
  public func filter(id: RowDecoder.ID) -> Self { filter(key: id) }

  /// Returns a request of the rows with the given identifiers, in any order.
  ///
  /// ```swift
  /// let request = Player.all().filter(ids: [1, 2, 3])
  /// ```
  ///
  /// - Parameter ids: The identifiers.
  public func filter(ids: some Collection<RowDecoder.ID>) -> Self { filter(keys: ids) }
}

// MARK: - The keys of a table

extension TableRequest {
  /// How the record type of the request stores keys.
  fileprivate static var keyStrategies: KeyStrategies {
    func rowDecoder<Request: TypedRequest>(_: Request.Type) -> Any.Type { Request.RowDecoder.self }
    guard let requestType = self as? any TypedRequest.Type else { return KeyStrategies(recordType: nil) }
    return KeyStrategies(recordType: rowDecoder(requestType) as? any EncodableRecord.Type)
  }
}

/// How a record type stores keys.
///
/// It is safe on any thread: a type has no state, and its strategies are asked for at each use.
private struct KeyStrategies: @unchecked Sendable {
  /// Nil when keys are stored as their values are: the rows of the request become something else than records.
  let recordType: (any EncodableRecord.Type)?
}

extension Database {
  /// The value that is stored for the primary key of a record.
  func databaseValue(ofKey key: KeyValue, for recordType: any TableRecord.Type) throws -> DatabaseValue {
    if case .value(let value) = key { return value }
    let column = try singleKeyColumn(of: recordType.databaseTableName, "Requesting by key")
    return try key.databaseValue(in: column, of: recordType as? any EncodableRecord.Type)
  }
}

extension Database {
  /// The only column of the primary key of a table, or the row ID if the table has no primary key.
  ///
  /// - Throws: A `DatabaseError` when the key has several columns: the table may come from a file that the program does
  ///   not know.
  func singleKeyColumn(of tableName: String, _ what: String) throws -> String {
    let columns = try primaryKey(tableName).columns
    if columns.count == 1 { return columns[0] }
    throw DatabaseError(
      message: """
        \(what) requires a single-column primary key in the table \(tableName), and it has \(columns.count) \
        (\(columns.joined(separator: ", "))): name them, as in ["\(columns[0])": …]
        """)
  }

  /// Returns the columns of a key, in the order of the columns of the matching unique index, followed by the other
  /// columns.
  fileprivate func orderedKeyColumns(
    _ names: [String], of tableName: String
  ) throws -> [(column: String, name: String)] {
    guard let key = try columnsForUniqueKey(names, in: tableName) else {
      let kind = try viewExists(tableName) ? "database view" : "table"
      let columns = names.sorted().joined(separator: ", ")
      throw DatabaseError(message: "\(kind) \(tableName) has no unique key on column(s) \(columns)")
    }
    var others = names.sorted()
    let found = key.compactMap { column in
      others.firstIndex { $0.asciiLowercased == column.asciiLowercased }.map { (column, others.remove(at: $0)) }
    }
    return found + others.map { ($0, $0) }
  }
}
