// Comparisons of a text with a pattern. Each takes the pattern as a text, or as an expression.

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType == String {
  /// Whether the text is like a pattern, in which `%` and `_` stand for any characters and for one: `("email" LIKE
  /// '%@mac.com')`.
  ///
  /// - parameter pattern: The pattern.
  /// - parameter character: What is written before `%` or `_` when they stand for themselves.
  public func like(_ pattern: String, escape character: Character? = nil) -> SQLExpression<UnderlyingType.Condition> {
    .matching(expression, "LIKE", pattern.expression, escape: character)
  }

  /// Whether the text is like a pattern: `("email" LIKE "pattern")`.
  public func like<P: ExpressionDatatype>(
    _ pattern: SQLExpression<P>, escape character: Character? = nil
  ) -> SQLExpression<UnderlyingType.Condition> where P.WrappedType == String {
    .matching(expression, "LIKE", pattern.expression, escape: character)
  }

  /// Whether the text is like a pattern, in which `*`, `?` and `[…]` stand for characters: `("path" GLOB '*.png')`.
  public func glob(_ pattern: String) -> SQLExpression<UnderlyingType.Condition> {
    .matching(expression, "GLOB", pattern.expression)
  }

  /// Whether the text is like a pattern: `("path" GLOB "pattern")`.
  public func glob<P: ExpressionDatatype>(_ pattern: SQLExpression<P>) -> SQLExpression<UnderlyingType.Condition>
  where P.WrappedType == String {
    .matching(expression, "GLOB", pattern.expression)
  }

  /// Whether the text is found by a full-text search: `("subject" MATCH 'Re:*')`.
  public func match(_ pattern: String) -> SQLExpression<UnderlyingType.Condition> {
    .matching(expression, "MATCH", pattern.expression)
  }

  /// Whether the text is found by a full-text search: `("subject" MATCH "pattern")`.
  public func match<P: ExpressionDatatype>(_ pattern: SQLExpression<P>) -> SQLExpression<UnderlyingType.Condition>
  where P.WrappedType == String {
    .matching(expression, "MATCH", pattern.expression)
  }

  /// Whether the text is like a regular expression: `("email" REGEXP '.+@.+')`.
  ///
  /// SQLite has the operator, and no function behind it: make one with `createFunction("regexp", argumentCount: 2)`.
  public func regexp(_ pattern: String) -> SQLExpression<UnderlyingType.Condition> {
    .matching(expression, "REGEXP", pattern.expression)
  }

  /// Whether the text is like a regular expression: `("email" REGEXP "pattern")`.
  public func regexp<P: ExpressionDatatype>(_ pattern: SQLExpression<P>) -> SQLExpression<UnderlyingType.Condition>
  where P.WrappedType == String {
    .matching(expression, "REGEXP", pattern.expression)
  }
}

extension String {
  /// Whether the text is like a pattern: `('alice' LIKE "pattern")`.
  public func like<P: ExpressionDatatype>(
    _ pattern: SQLExpression<P>, escape character: Character? = nil
  ) -> SQLExpression<P.Condition> where P.WrappedType == String {
    .matching(expression, "LIKE", pattern.expression, escape: character)
  }
}

extension SQLExpression {
  fileprivate static func matching(
    _ text: SQLExpression<Void>, _ operation: String, _ pattern: SQLExpression<Void>, escape: Character? = nil
  ) -> SQLExpression {
    guard let escape else { return .infix(text, operation, pattern) }
    var writer = SQLWriter()
    writer.writeOperand(pattern)
    writer.write(" ESCAPE ")
    writer.writeParameter(String(escape))
    return .infix(text, operation, writer.expression(of: Void.self))
  }
}
