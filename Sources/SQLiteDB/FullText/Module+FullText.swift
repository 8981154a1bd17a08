extension Module {
  /// An FTS4 table of these columns: `fts4("subject", "body")`.
  public static func FTS4(_ column: any Expressible, _ more: any Expressible...) -> Module { FTS4([column] + more) }

  /// An FTS4 table of these columns: `fts4("subject", "body", tokenize=porter)`.
  public static func FTS4(_ columns: [any Expressible] = [], tokenize tokenizer: Tokenizer? = nil) -> Module {
    FTS4(FTS4Config().columns(columns).tokenizer(tokenizer))
  }

  /// An FTS4 table.
  public static func FTS4(_ config: FTS4Config) -> Module { Module("fts4", config.arguments()) }

  /// An FTS5 table.
  public static func FTS5(_ config: FTS5Config) -> Module { Module("fts5", config.arguments()) }
}

extension VirtualTable {
  /// The rows that a search finds: `WHERE ("emails" MATCH 'wonder*')`.
  public func match(_ pattern: String) -> any QueryType { filter(match(pattern) as SQLExpression<Bool>) }

  /// The rows that a search finds: `WHERE ("emails" MATCH "pattern")`.
  public func match<P: ExpressionDatatype>(_ pattern: SQLExpression<P>) -> any QueryType
  where P.WrappedType == String {
    filter(match(pattern) as SQLExpression<Bool>)
  }

  /// Whether a row is found by a search: `("emails" MATCH 'wonder*')`.
  public func match(_ pattern: String) -> SQLExpression<Bool> { searched.match(pattern) }

  /// Whether a row is found by a search: `("emails" MATCH "pattern")`.
  public func match<P: ExpressionDatatype>(_ pattern: SQLExpression<P>) -> SQLExpression<Bool>
  where P.WrappedType == String {
    searched.match(pattern)
  }

  /// The table itself, as the hidden column that is searched.
  private var searched: SQLExpression<String> { SQLExpression(literal: clauses.name) }
}
