// Filters by key. The columns of the key are looked up when the request is prepared.

extension TableRequest where Self: FilteredRequest {
  /// Returns a request of the row with the given primary key.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "id" = 1
  /// let request = Player.all().filter(key: 1)
  /// ```
  ///
  /// - parameter key: The primary key. NULL matches no row.
  /// - precondition: The primary key of the table has exactly one column, or the table has no primary key and the key
  ///   is a row ID. This is checked when the request is prepared.
  // Not generic: with one more generic overload, the compiler takes seconds for `filter { … }`.
  public func filter(key: any DatabaseValueConvertible) -> Self { filter(keys: [key.databaseValue]) }

  /// Returns a request of the rows with the given primary keys, in any order.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
  /// let request = Player.all().filter(keys: [1, 2, 3])
  /// ```
  ///
  /// - parameter keys: The primary keys. NULL matches no row.
  /// - precondition: The primary key of the table has exactly one column, or the table has no primary key and the keys
  ///   are row IDs. This is checked when the request is prepared.
  public func filter(keys: some Sequence<some DatabaseValueConvertible>) -> Self {
    let values = keys.map { $0.databaseValue }.filter { !$0.isNull }
    let tableName = databaseTableName
    if values.isEmpty { return none() }
    return filterWhenConnected { db in
      values.contains(Column(try db.singleKeyColumn(of: tableName, "Requesting by key")))
    }
  }

  /// Returns a request of the row with the given unique key.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
  /// let request = Player.all().filter(key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - parameter key: A dictionary of column names and values.
  /// - precondition: The columns of the key include all columns of the primary key or of a unique index. This is
  ///   checked when the request is prepared.
  public func filter(key: [String: (any DatabaseValueConvertible)?]) -> Self { filter(keys: [key]) }

  /// Returns a request of the rows with the given unique keys, in any order.
  ///
  /// ```swift
  /// let request = Citizenship.all().filter(keys: [
  ///   ["citizenId": 1, "countryCode": "FR"],
  ///   ["citizenId": 2, "countryCode": "US"],
  /// ])
  /// ```
  ///
  /// - parameter keys: Dictionaries of column names and values.
  /// - precondition: The columns of each key include all columns of the primary key or of a unique index. This is
  ///   checked when the request is prepared.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
    if keys.isEmpty { return none() }
    let keys = keys.map { $0.mapValues { $0?.databaseValue ?? .null } }
    let tableName = databaseTableName
    return filterWhenConnected { db in
      try keys.map { key in
        try db.orderedKeyColumns(Array(key.keys), of: tableName)
          .map { Column($0.column) == key[$0.name] }
          .joined(operator: .and)
      }
      .joined(operator: .or)
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
  /// - parameter id: The identifier.
  public func filter(id: RowDecoder.ID) -> Self { filter(key: id) }

  /// Returns a request of the rows with the given identifiers, in any order.
  ///
  /// ```swift
  /// let request = Player.all().filter(ids: [1, 2, 3])
  /// ```
  ///
  /// - parameter ids: The identifiers.
  public func filter(ids: some Collection<RowDecoder.ID>) -> Self { filter(keys: ids) }
}

// MARK: - The keys of a table

extension Database {
  /// Returns the single column of the primary key of a table, or the row ID if the table has no primary key.
  func singleKeyColumn(of tableName: String, _ what: String) throws -> String {
    let columns = try primaryKey(tableName).columns
    precondition(
      columns.count == 1,
      """
      \(what) requires a single-column primary key in the table \(tableName), and it has \(columns.count) \
      (\(columns.joined(separator: ", "))): name them, as in ["\(columns[0])": …]
      """)
    return columns[0]
  }

  /// Returns the columns of a key, in the order of the columns of the matching unique index, followed by the other
  /// columns.
  fileprivate func orderedKeyColumns(
    _ names: [String], of tableName: String
  ) throws -> [(column: String, name: String)] {
    guard let key = try columnsForUniqueKey(names, in: tableName) else {
      let kind = try viewExists(tableName) ? "database view" : "table"
      let columns = names.sorted().joined(separator: ", ")
      preconditionFailure("\(kind) \(tableName) has no unique key on column(s) \(columns)")
    }
    var others = names.sorted()
    let found = key.compactMap { column in
      others.firstIndex { $0.asciiLowercased == column.asciiLowercased }.map { (column, others.remove(at: $0)) }
    }
    return found + others.map { ($0, $0) }
  }
}
