extension TableAlias where RowDecoder: TableRecord {
  /// The type of the columns of the record.
  public typealias DatabaseComponents = RowDecoder.DatabaseComponents

  /// Returns a column of the record, in the table of the alias.
  ///
  /// ```swift
  /// let p = TableAlias<Player>(name: "p")
  /// let request = Player.aliased(p).filter(p.score > 10)   // … WHERE "p"."score" > 10
  /// ```
  ///
  /// - Parameter keyPath: The column.
  public subscript(dynamicMember keyPath: KeyPath<DatabaseComponents, some ColumnExpression>) -> SQLExpression {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// Returns an expression of the record, in the table of the alias.
  ///
  /// - Parameter keyPath: The expression.
  public subscript(
    dynamicMember keyPath: KeyPath<DatabaseComponents, some SQLSpecificExpressible>
  ) -> SQLExpression {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// Returns a selection of the record, in the table of the alias.
  ///
  /// - Parameter keyPath: The selection.
  public subscript(dynamicMember keyPath: KeyPath<DatabaseComponents, some SQLSelectable>) -> SQLSelection {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }

  /// Returns an ordering of the record, in the table of the alias.
  ///
  /// - Parameter keyPath: The ordering.
  public subscript(dynamicMember keyPath: KeyPath<DatabaseComponents, some SQLOrderingTerm>) -> SQLOrdering {
    self[RowDecoder.databaseComponents[keyPath: keyPath]]
  }
}

extension TableAliasBase {
  /// A condition that is true if the table of the alias has a row: its key is not NULL.
  ///
  /// In a request that joins a table with `optional:`, it identifies the rows for which a row of this table was found:
  ///
  /// ```swift
  /// // SELECT "book".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
  /// // WHERE "author"."id" IS NOT NULL
  /// let author = TableAlias<Author>()
  /// let request = Book.joining(optional: Book.author.aliased(author)).filter(author.exists)
  /// ```
  public var exists: SQLExpression {
    SQLExpression(
      .deferred(
        SQLDeferredExpression(alias: self) { db, tableName in
          // Only rows without primary key can be NULL in some of the columns.
          let table = try db.existingTable(tableName)
          let columns = table.kind == .view ? table.columns.map(\.name) : try db.cheapestKeyColumns(of: tableName)
          return SQLExpression(.operation(.rowExists(), columns.map { .column($0) }))
        }))
  }
}
