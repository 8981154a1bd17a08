// Tables and their columns inside `SQL` literals.

extension SQLInterpolation {
  /// Interpolates the name of the table of a record type: `\(Player.self)`.
  ///
  /// ```swift
  /// let request: SQLRequest<Player> = "SELECT * FROM \(Player.self) WHERE score > \(10)"
  /// ```
  ///
  /// - Parameter table: A record type.
  public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
    appendInterpolation(identifier: table.databaseTableName)
  }

  /// Interpolates the name of the table of a record type: `\(tableOf: Player.self)`.
  ///
  /// Use it for a type that is known at run time only.
  ///
  /// ```swift
  /// let recordType: any TableRecord.Type = Player.self
  /// let request: SQLRequest<Row> = "SELECT * FROM \(tableOf: recordType)"
  /// ```
  ///
  /// - Parameter type: A record type.
  public mutating func appendInterpolation(tableOf type: any TableRecord.Type) {
    appendInterpolation(identifier: type.databaseTableName)
  }

  /// Interpolates the name of the table of a record: `\(tableOf: player)`.
  ///
  /// ```swift
  /// try db.execute(literal: "DELETE FROM \(tableOf: player)")
  /// ```
  ///
  /// - Parameter record: A record.
  public mutating func appendInterpolation(tableOf record: some TableRecord) {
    appendInterpolation(identifier: type(of: record).databaseTableName)
  }

  /// `\(Table("player"))`: the name of a table.
  ///
  /// ```swift
  /// let request: SQLRequest<Row> = "SELECT * FROM \(Table("player"))"
  /// ```
  ///
  /// - Parameter table: The table.
  public mutating func appendInterpolation<RowDecoder>(_ table: Table<RowDecoder>) {
    appendInterpolation(identifier: table.tableName)
  }

  /// `\(columnsOf: Player.self)`: what requests of a record type select: `"player".*`.
  ///
  /// ```swift
  /// // SELECT "player".* FROM "player"
  /// let request: SQLRequest<Player> = "SELECT \(columnsOf: Player.self) FROM \(Player.self)"
  /// ```
  ///
  /// - Parameter type: A record type.
  /// - Parameter tableAlias: The alias of the table in the query, or nil if the query uses the name of the table.
  public mutating func appendInterpolation(columnsOf type: (some TableRecord).Type, tableAlias: String? = nil) {
    let alias = TableAliasBase(userName: tableAlias ?? type.databaseTableName)
    for (index, selectable) in type.databaseSelection.enumerated() {
      if index > 0 { appendLiteral(", ") }
      appendInterpolation(selectable.sqlSelection.ofTable(named: type.databaseTableName).qualified(by: alias))
    }
  }

  /// Interpolates the name of a collation that is implemented in Swift: `COLLATE \(.localizedCompare)`.
  ///
  /// - Parameter collation: The collation.
  public mutating func appendInterpolation(_ collation: DatabaseCollation) {
    appendLiteral(collation.name.collationSQL)
  }

  /// Appends the name of a common table expression.
  ///
  /// ```swift
  /// let request: SQLRequest<Row> = "WITH \(definitionFor: best) SELECT * FROM \(best)"
  /// ```
  ///
  /// - Parameter cte: A common table expression.
  public mutating func appendInterpolation(_ cte: CommonTableExpression<some Any>) {
    appendInterpolation(identifier: cte.tableName)
  }

  /// Appends the definition of a common table expression, as in a `WITH` clause: `"name"("column") AS (SELECT …)`.
  ///
  /// - Parameter cte: A common table expression.
  public mutating func appendInterpolation(definitionFor cte: CommonTableExpression<some Any>) {
    appendInterpolation(identifier: cte.tableName)
    if let columns = cte.commonTable.columns, !columns.isEmpty {
      appendLiteral("(")
      for (index, column) in columns.enumerated() {
        if index > 0 { appendLiteral(", ") }
        appendInterpolation(identifier: column)
      }
      appendLiteral(")")
    }
    appendLiteral(" AS (")
    appendInterpolation(cte.commonTable.definition)
    appendLiteral(")")
  }
}
