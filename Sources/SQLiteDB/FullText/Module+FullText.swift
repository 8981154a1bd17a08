extension Module {
  /// An FTS4 table of these columns: `fts4("subject", "body")`.
  public static func FTS4(_ column: any Expressible, _ more: any Expressible...) -> Module { FTS4([column] + more) }

  /// An FTS4 table of these columns: `fts4("subject", "body", tokenize=porter)`.
  public static func FTS4(_ columns: [any Expressible] = [], tokenize tokenizer: Tokenizer? = nil) -> Module {
    FTS4(FTS4Config().columns(columns).tokenizer(tokenizer))
  }

  /// An FTS4 table.
  public static func FTS4(_ config: FTS4Config) -> Module { Module(unquoted: "fts4", config.arguments()) }

  /// An FTS5 table.
  public static func FTS5(_ config: FTS5Config) -> Module { Module(unquoted: "fts5", config.arguments()) }
}

extension VirtualTable {
  /// Returns the rows that a search finds: `WHERE ("emails" MATCH 'wonder*')`.
  ///
  /// - parameter pattern: What is searched.
  /// - returns: The rows of this table that match.
  public func match(_ pattern: String) -> any QueryType { filter(match(pattern) as SQLExpression<Bool>) }

  /// Returns the rows that a search finds: `WHERE ("emails" MATCH "pattern")`.
  ///
  /// - parameter pattern: What is searched.
  /// - returns: The rows of this table that match.
  public func match(_ pattern: SQLExpression<String>) -> any QueryType {
    filter(match(pattern) as SQLExpression<Bool>)
  }

  /// Returns the rows that a search finds: `WHERE ("emails" MATCH "pattern")`.
  ///
  /// - parameter pattern: What is searched.
  /// - returns: The rows of this table that match.
  public func match(_ pattern: SQLExpression<String?>) -> any QueryType {
    filter(match(pattern) as SQLExpression<Bool?>)
  }

  /// Returns whether a row is found by a search: `("emails" MATCH 'wonder*')`.
  ///
  /// - parameter pattern: What is searched.
  /// - returns: A condition.
  public func match(_ pattern: String) -> SQLExpression<Bool> { searched.match(pattern) }

  /// Returns whether a row is found by a search: `("emails" MATCH "pattern")`.
  ///
  /// - parameter pattern: What is searched.
  /// - returns: A condition.
  public func match(_ pattern: SQLExpression<String>) -> SQLExpression<Bool> { searched.match(pattern) }

  /// Returns whether a row is found by a search: `("emails" MATCH "pattern")`.
  ///
  /// - parameter pattern: What is searched.
  /// - returns: A condition, which is NULL where the pattern is.
  public func match(_ pattern: SQLExpression<String?>) -> SQLExpression<Bool?> {
    searched.match(pattern).cast()
  }

  /// The table itself, as the hidden column that is searched.
  private var searched: SQLExpression<String> { SQLExpression(literal: clauses.name) }
}
