extension TableAliasBase {
  /// Returns a JSON expression on columns of the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias(name: "p")
  /// let request = Player.aliased(p).filter(p[Player.Columns.info]["city"] == "Rome")
  /// ```
  ///
  /// - Parameter expression: A JSON expression whose columns belong to the table.
  public subscript<T>(_ expression: T) -> AnySQLJSONExpressible
  where T: SQLJSONExpressible & SQLSpecificExpressible & SQLSelectable & SQLOrderingTerm {
    AnySQLJSONExpressible(declaring: expression.sqlExpression.qualified(by: self))
  }

  /// Returns a JSON column of the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias(name: "p")
  /// // SELECT "p".* FROM "player" "p" WHERE ("p"."info" ->> 'city') = 'Rome'
  /// let request = Player.aliased(p).filter(p[JSONColumn("info")]["city"] == "Rome")
  /// ```
  ///
  /// - Parameter column: A JSON column of the table.
  public subscript<T>(_ column: T) -> AnySQLJSONExpressible where T: ColumnExpression & SQLJSONExpressible {
    AnySQLJSONExpressible(declaring: column.sqlExpression.qualified(by: self))
  }
}

extension TableAlias where RowDecoder: TableRecord {
  /// Returns a JSON expression of the record, in the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias<Player>(name: "p")
  /// let request = Player.aliased(p).filter(p.info["city"] == "Rome")   // … WHERE ("p"."info" ->> 'city') = 'Rome'
  /// ```
  ///
  /// - Parameter keyPath: The JSON expression.
  public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> AnySQLJSONExpressible
  where T: SQLJSONExpressible & SQLSpecificExpressible & SQLSelectable & SQLOrderingTerm {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// Returns a JSON column of the record, in the table of the alias.
  ///
  /// - Parameter keyPath: The JSON column.
  public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> AnySQLJSONExpressible
  where T: ColumnExpression & SQLJSONExpressible {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}
