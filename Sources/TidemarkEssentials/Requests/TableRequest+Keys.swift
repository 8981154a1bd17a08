// Rows by their keys. What the key of a table is, is asked when the request is prepared.

extension TableRequest where Self: FilteredRequest {
  /// The row of a primary key. There is none for NULL.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "id" = 1
  /// let request = Player.all().filter(key: 1)
  /// ```
  ///
  /// - precondition: The primary key of the table has one column, or there is none and the key is a row id.
  // Not generic: with one more generic overload, the compiler takes seconds for `filter { … }`.
  public func filter(key: any DatabaseValueConvertible) -> Self { filter(keys: [key.databaseValue]) }

  /// The rows of some primary keys, in any order. There are none for NULL.
  ///
  /// - precondition: The primary key of the table has one column, or there is none and the keys are row ids.
  public func filter(keys: some Sequence<some DatabaseValueConvertible>) -> Self {
    let values = keys.map { $0.databaseValue }.filter { !$0.isNull }
    let tableName = databaseTableName
    if values.isEmpty { return none() }
    return filterWhenConnected { db in
      values.contains(Column(try db.singleKeyColumn(of: tableName, "Requesting by key")))
    }
  }

  /// The row of a key, by the names of its columns: those of the primary key, or those of another unique key.
  ///
  /// ```swift
  /// // SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
  /// let request = Player.all().filter(key: ["email": "arthur@example.com"])
  /// ```
  ///
  /// - precondition: The columns contain those of the primary key, or those of a unique index.
  public func filter(key: [String: (any DatabaseValueConvertible)?]) -> Self { filter(keys: [key]) }

  /// The rows of some keys, by the names of their columns, in any order.
  ///
  /// - precondition: The columns of each contain those of the primary key, or those of a unique index.
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
  /// The row of an identifier.
  public func filter(id: RowDecoder.ID) -> Self { filter(key: id) }

  /// The rows of some identifiers, in any order.
  public func filter(ids: some Collection<RowDecoder.ID>) -> Self { filter(keys: ids) }
}

// MARK: - The keys of a table

extension Database {
  /// The one column of the primary key of a table, or the row id when there is no primary key.
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

  /// The names of a key in the order of the columns of the index that they belong to; others follow.
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
