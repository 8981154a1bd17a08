// Expressions as terms of orderings and selections, and text comparisons.

extension SQLSpecificExpressible {
  /// Ascending order: `a ASC`. NULL values come first.
  public var asc: SQLOrdering { ordered(.ascending) }

  /// Descending order: `a DESC`. NULL values come last.
  public var desc: SQLOrdering { ordered(.descending) }

  /// Ascending order, with NULL values last: `a ASC NULLS LAST`.
  public var ascNullsLast: SQLOrdering { ordered(.ascendingNullsLast) }

  /// Descending order, with NULL values first: `a DESC NULLS FIRST`.
  public var descNullsFirst: SQLOrdering { ordered(.descendingNullsFirst) }

  private func ordered(_ direction: SQLOrdering.Direction) -> SQLOrdering {
    SQLOrdering(.expression(sqlExpression, direction))
  }

  /// Returns a selection of this expression under a name: `a AS "name"`.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// let request = Player.annotated(with: (Column("score") + Column("bonus")).forKey("total"))
  /// ```
  ///
  /// - Parameter key: The name of the column in fetched rows.
  public func forKey(_ key: String) -> SQLSelection { .named(sqlExpression, key) }

  /// Returns a selection of this expression under the name of a coding key: `a AS "name"`.
  ///
  /// - Parameter key: The coding key that names the column in fetched rows.
  public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }
}

// MARK: - Comparing texts

extension SQLSpecificExpressible {
  /// Returns this expression with a collation of SQLite: `a COLLATE NOCASE`.
  ///
  /// ```swift
  /// Column("name").collating(.nocase) == "arthur"   // "name" = ? COLLATE NOCASE
  /// ```
  ///
  /// - Parameter collation: The collation that comparisons and orderings of the expression use.
  public func collating(_ collation: Database.CollationName) -> SQLExpression {
    sqlExpression.collated(collation.rawValue)
  }

  /// Returns this expression with a collation that is implemented in Swift: `a COLLATE swiftLocalizedCompare`.
  ///
  /// ```swift
  /// let request = Player.order(Column("name").collating(.localizedCaseInsensitiveCompare))
  /// ```
  ///
  /// The collations of Tidemark are part of every connection. Other collations must be added to each connection.
  ///
  /// - Parameter collation: The collation that comparisons and orderings of the expression use.
  public func collating(_ collation: DatabaseCollation) -> SQLExpression { sqlExpression.collated(collation.name) }

  /// Returns an expression that is true if a text matches a pattern: `a LIKE ?`.
  ///
  /// In the pattern, `%` matches any text and `_` matches any character. By default, SQLite ignores the case of ASCII
  /// letters.
  ///
  /// ```swift
  /// Column("email").like("%@example.com")
  /// Column("title").like("100\\%", escape: "\\")
  /// ```
  ///
  /// - Parameter pattern: The pattern.
  /// - Parameter escape: A character that precedes a literal `%` or `_` in the pattern, or nil if there is none.
  public func like(_ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
    let operands = [sqlExpression, pattern.sqlExpression] + (escape.map { [$0.sqlExpression] } ?? [])
    return SQLExpression(.operation(.like(), operands))
  }
}

// MARK: - Columns

extension ColumnExpression {
  /// This column as an expression that is never qualified with the name of its table.
  ///
  /// Use it to refer to a column that the selection defines, or to a column that several tables share:
  ///
  /// ```swift
  /// let total = (Column("score") + Column("bonus")).forKey("total")
  /// let request = Player.annotated(with: total).order(Column("total").detached)
  /// ```
  public var detached: SQLExpression { SQLExpression(.column(name, of: .unnamed)) }
}

extension ColumnExpression where Self == Column {
  /// The hidden `rowid` column.
  public static var rowID: Self { Column("rowid") }
}

extension SQLExpressible where Self == Column {
  /// The hidden `rowid` column.
  public static var rowID: Self { Column("rowid") }
}

extension SQLSelectable where Self == Column {
  /// The hidden `rowid` column.
  public static var rowID: Self { Column("rowid") }
}

extension SQLSpecificExpressible where Self == Column {
  /// The hidden `rowid` column.
  public static var rowID: Self { Column("rowid") }
}
