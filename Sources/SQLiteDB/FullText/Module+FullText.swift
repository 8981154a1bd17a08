extension Module {
  /// Returns an FTS4 module with columns: `fts4("subject", "body")`.
  ///
  /// ```swift
  /// try db.run(emails.create(.FTS4(subject, body)))
  /// ```
  ///
  /// - Parameters:
  ///   - column: The first column.
  ///   - more: Further columns.
  /// - Returns: The module, for `VirtualTable.create(_:ifNotExists:)`.
  public static func FTS4(_ column: any Expressible, _ more: any Expressible...) -> Module { FTS4([column] + more) }

  /// Returns an FTS4 module with columns and a tokenizer: `fts4("subject", "body", tokenize=porter)`.
  ///
  /// ```swift
  /// try db.run(emails.create(.FTS4([subject, body], tokenize: .Porter)))
  /// ```
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - tokenizer: The tokenizer; nil for SQLite's default tokenizer.
  /// - Returns: The module, for `VirtualTable.create(_:ifNotExists:)`.
  public static func FTS4(_ columns: [any Expressible] = [], tokenize tokenizer: Tokenizer? = nil) -> Module {
    FTS4(FTS4Config().columns(columns).tokenizer(tokenizer))
  }

  /// Returns an FTS4 module with a configuration.
  ///
  /// ```swift
  /// try db.run(emails.create(.FTS4(FTS4Config().column(subject).column(body, [.unindexed]))))
  /// ```
  ///
  /// - Parameter config: The configuration.
  /// - Returns: The module, for `VirtualTable.create(_:ifNotExists:)`.
  public static func FTS4(_ config: FTS4Config) -> Module { Module(unquoted: "fts4", config.arguments()) }

  /// Returns an FTS5 module with a configuration.
  ///
  /// ```swift
  /// try db.run(emails.create(.FTS5(FTS5Config().columns([subject, body]))))
  /// ```
  ///
  /// - Parameter config: The configuration.
  /// - Returns: The module, for `VirtualTable.create(_:ifNotExists:)`.
  public static func FTS5(_ config: FTS5Config) -> Module { Module(unquoted: "fts5", config.arguments()) }
}

extension VirtualTable {
  /// Returns a query of the rows that match a search: `WHERE ("emails" MATCH 'wonder*')`.
  ///
  /// ```swift
  /// let found: any QueryType = emails.match("wonder*")
  /// ```
  ///
  /// - Parameter pattern: The search expression.
  /// - Returns: The query.
  public func match(_ pattern: String) -> any QueryType { filter(match(pattern) as SQLExpression<Bool>) }

  /// Returns a query of the rows that match a search: `WHERE ("emails" MATCH "pattern")`.
  ///
  /// ```swift
  /// let found: any QueryType = emails.match(SQLExpression<String>(value: "wonder*"))
  /// ```
  ///
  /// - Parameter pattern: The search expression.
  /// - Returns: The query.
  public func match(_ pattern: SQLExpression<String>) -> any QueryType {
    filter(match(pattern) as SQLExpression<Bool>)
  }

  /// Returns a query of the rows that match a search: `WHERE ("emails" MATCH "pattern")`.
  ///
  /// ```swift
  /// let found: any QueryType = emails.match(SQLExpression<String?>(value: "wonder*"))
  /// ```
  ///
  /// - Parameter pattern: The search expression. If it is NULL, no row matches.
  /// - Returns: The query.
  public func match(_ pattern: SQLExpression<String?>) -> any QueryType {
    filter(match(pattern) as SQLExpression<Bool?>)
  }

  /// Returns the condition that a row matches a search: `("emails" MATCH 'wonder*')`.
  ///
  /// ```swift
  /// let condition: SQLExpression<Bool> = emails.match("wonder*")
  /// ```
  ///
  /// - Parameter pattern: The search expression.
  /// - Returns: The condition.
  public func match(_ pattern: String) -> SQLExpression<Bool> { searched.match(pattern) }

  /// Returns the condition that a row matches a search: `("emails" MATCH "pattern")`.
  ///
  /// ```swift
  /// let condition: SQLExpression<Bool> = emails.match(SQLExpression<String>(value: "wonder*"))
  /// ```
  ///
  /// - Parameter pattern: The search expression.
  /// - Returns: The condition.
  public func match(_ pattern: SQLExpression<String>) -> SQLExpression<Bool> { searched.match(pattern) }

  /// Returns the condition that a row matches a search: `("emails" MATCH "pattern")`.
  ///
  /// ```swift
  /// let condition: SQLExpression<Bool?> = emails.match(SQLExpression<String?>(value: "wonder*"))
  /// ```
  ///
  /// - Parameter pattern: The search expression.
  /// - Returns: The condition, which is NULL if the pattern is NULL.
  public func match(_ pattern: SQLExpression<String?>) -> SQLExpression<Bool?> {
    searched.match(pattern).cast()
  }

  /// The hidden column of the table, which has the name of the table and stands for all columns.
  private var searched: SQLExpression<String> {
    let column = SQLExpression<String>(clauses.source.name)
    return clauses.name == column.template ? column : namespace(column)
  }
}
