// Tables and their columns inside of `SQL` literals.

extension SQLInterpolation {
  /// `\(Player.self)`: the name of the table of a record type.
  ///
  /// ```swift
  /// let request: SQLRequest<Player> = "SELECT * FROM \(Player.self) WHERE score > \(10)"
  /// ```
  public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
    appendInterpolation(identifier: table.databaseTableName)
  }

  /// `\(tableOf: Player.self)`: the name of the table of a record type.
  public mutating func appendInterpolation(tableOf type: any TableRecord.Type) {
    appendInterpolation(identifier: type.databaseTableName)
  }

  /// `\(tableOf: player)`: the name of the table of a record.
  public mutating func appendInterpolation(tableOf record: some TableRecord) {
    appendInterpolation(identifier: type(of: record).databaseTableName)
  }

  /// `\(Table("player"))`: the name of a table.
  ///
  /// ```swift
  /// let rows = try SQLRequest("SELECT * FROM \(Table("player"))").fetchAll(db)
  /// ```
  ///
  /// - Parameter table: The table.
  public mutating func appendInterpolation<RowDecoder>(_ table: Table<RowDecoder>) {
    appendInterpolation(identifier: table.tableName)
  }

  /// `\(columnsOf: Player.self)`: what requests of a record type select: `"player".*`.
  ///
  /// - parameter tableAlias: The name that the table has in the query, if that is another one.
  public mutating func appendInterpolation(columnsOf type: (some TableRecord).Type, tableAlias: String? = nil) {
    let alias = TableAliasBase(userName: tableAlias ?? type.databaseTableName)
    for (index, selectable) in type.databaseSelection.enumerated() {
      if index > 0 { appendLiteral(", ") }
      appendInterpolation(selectable.sqlSelection.ofTable(named: type.databaseTableName).qualified(by: alias))
    }
  }

  /// `COLLATE \(.localizedCompare)`: the name of a collation made in Swift.
  public mutating func appendInterpolation(_ collation: DatabaseCollation) {
    appendLiteral(collation.name.collationSQL)
  }
}
