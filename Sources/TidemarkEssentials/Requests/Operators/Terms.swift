// What an expression becomes in an ordering or in a selection, and how it compares texts.

extension SQLSpecificExpressible {
  /// In ascending order: `a ASC`. NULL comes first.
  public var asc: SQLOrdering { ordered(.ascending) }

  /// In descending order: `a DESC`. NULL comes last.
  public var desc: SQLOrdering { ordered(.descending) }

  /// In ascending order, with NULL last: `a ASC NULLS LAST`.
  public var ascNullsLast: SQLOrdering { ordered(.ascendingNullsLast) }

  /// In descending order, with NULL first: `a DESC NULLS FIRST`.
  public var descNullsFirst: SQLOrdering { ordered(.descendingNullsFirst) }

  private func ordered(_ direction: SQLOrdering.Direction) -> SQLOrdering {
    SQLOrdering(.expression(sqlExpression, direction))
  }

  /// Selected under a name: `a AS "name"`.
  ///
  /// ```swift
  /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
  /// let request = Player.annotated(with: (Column("score") + Column("bonus")).forKey("total"))
  /// ```
  public func forKey(_ key: String) -> SQLSelection { .named(sqlExpression, key) }

  /// Selected under a name: `a AS "name"`.
  public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }
}

// MARK: - Comparing texts

extension SQLSpecificExpressible {
  /// Compared by a collation of SQLite: `a COLLATE NOCASE`.
  ///
  /// ```swift
  /// Column("name").collating(.nocase) == "arthur"   // "name" = ? COLLATE NOCASE
  /// ```
  public func collating(_ collation: Database.CollationName) -> SQLExpression {
    sqlExpression.collated(collation.rawValue)
  }

  /// Compared by a collation made in Swift: `a COLLATE swiftLocalizedCompare`.
  public func collating(_ collation: DatabaseCollation) -> SQLExpression { sqlExpression.collated(collation.name) }

  /// Whether a text is of a pattern, where `%` is any text and `_` any character: `a LIKE ?`.
  ///
  /// ```swift
  /// Column("email").like("%@example.com")
  /// Column("title").like("100\\%", escape: "\\")
  /// ```
  ///
  /// - parameter escape: A character that takes the meaning of the `%` or `_` behind it away.
  public func like(_ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil) -> SQLExpression {
    let operands = [sqlExpression, pattern.sqlExpression] + (escape.map { [$0.sqlExpression] } ?? [])
    return SQLExpression(.operation(.like(), operands))
  }
}

// MARK: - Columns

extension ColumnExpression {
  /// The column as an expression that is never qualified with the name of its table.
  ///
  /// It finds columns that a selection names, and those of several tables alike:
  ///
  /// ```swift
  /// let total = (Column("score") + Column("bonus")).forKey("total")
  /// let request = Player.annotated(with: total).order(Column("total").detached)
  /// ```
  public var detached: SQLExpression { SQLExpression(.column(name, of: .unnamed)) }
}

extension ColumnExpression where Self == Column {
  /// The hidden column that holds the row id.
  public static var rowID: Self { Column("rowid") }
}

extension SQLExpressible where Self == Column {
  /// The hidden column that holds the row id.
  public static var rowID: Self { Column("rowid") }
}

extension SQLSelectable where Self == Column {
  /// The hidden column that holds the row id.
  public static var rowID: Self { Column("rowid") }
}

extension SQLSpecificExpressible where Self == Column {
  /// The hidden column that holds the row id.
  public static var rowID: Self { Column("rowid") }
}
