extension TableAlias where RowDecoder: TableRecord {
  /// The columns of the record.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// A column of the record, in the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias<Player>(name: "p")
  /// let request = Player.aliased(p).filter(p.score > 10)   // … WHERE "p"."score" > 10
  /// ```
  public subscript(dynamicMember keyPath: KeyPath<DatabaseComponents, some ColumnExpression>) -> SQLExpression {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// An expression of the record, in the table of the alias.
  public subscript(
    dynamicMember keyPath: KeyPath<DatabaseComponents, some SQLSpecificExpressible>
  ) -> SQLExpression {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// A selection of the record, in the table of the alias.
  public subscript(dynamicMember keyPath: KeyPath<DatabaseComponents, some SQLSelectable>) -> SQLSelection {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// An ordering of the record, in the table of the alias.
  public subscript(dynamicMember keyPath: KeyPath<DatabaseComponents, some SQLOrderingTerm>) -> SQLOrdering {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}

extension TableAliasBase {
  /// Whether there is a row of the table of the alias: its key is not NULL.
  ///
  /// It tells apart, in a request that joins a table with `optional:`, the rows that found one.
  public var exists: SQLExpression {
    SQLExpression(
      .late(
        SQLLateExpression(alias: self) { db, tableName in
          .binary(.notSame, .column(try db.cheapestKeyColumns(of: tableName)[0]), .value(.null))
        }))
  }
}
