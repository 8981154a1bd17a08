// Operators that compare text with a pattern. The pattern is a string or an expression.

extension ExpressionType where UnderlyingType: ExpressionDatatype, UnderlyingType.WrappedType == String {
  /// Returns the condition that the text matches a LIKE pattern: `("email" LIKE '%@mac.com')`.
  ///
  /// In the pattern, `%` matches any characters and `_` matches a single one. ASCII letters match in any case.
  ///
  /// ```swift
  /// let query = users.filter(email.like("%@mac.com"))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - character: The character that escapes a literal `%` or `_`; nil for none.
  /// - Returns: The condition.
  public func like(_ pattern: String, escape character: Character? = nil) -> SQLExpression<UnderlyingType.Condition> {
    .matching(expression, "LIKE", pattern.expression, escape: character)
  }

  /// Returns the condition that the text matches a LIKE pattern: `("email" LIKE "pattern")`.
  ///
  /// ```swift
  /// let query = users.filter(email.like(SQLExpression<String>("pattern"), escape: "\\"))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - character: The character that escapes a literal `%` or `_`; nil for none.
  /// - Returns: The condition.
  public func like<P: ExpressionDatatype>(
    _ pattern: SQLExpression<P>, escape character: Character? = nil
  ) -> SQLExpression<UnderlyingType.Condition> where P.WrappedType == String {
    .matching(expression, "LIKE", pattern.expression, escape: character)
  }

  /// Returns the condition that the text matches a GLOB pattern: `("path" GLOB '*.png')`.
  ///
  /// In the pattern, `*` matches any characters, `?` matches a single one, and `[…]` matches one of a set. Matching is
  /// case-sensitive.
  ///
  /// ```swift
  /// let query = posts.filter(title.glob("SQLite*"))
  /// ```
  ///
  /// - Parameter pattern: The pattern.
  /// - Returns: The condition.
  public func glob(_ pattern: String) -> SQLExpression<UnderlyingType.Condition> {
    .matching(expression, "GLOB", pattern.expression)
  }

  /// Returns the condition that the text matches a GLOB pattern: `("path" GLOB "pattern")`.
  ///
  /// ```swift
  /// let query = posts.filter(title.glob(SQLExpression<String>("pattern")))
  /// ```
  ///
  /// - Parameter pattern: The pattern.
  /// - Returns: The condition.
  public func glob<P: ExpressionDatatype>(_ pattern: SQLExpression<P>) -> SQLExpression<UnderlyingType.Condition>
  where P.WrappedType == String {
    .matching(expression, "GLOB", pattern.expression)
  }

  /// Returns the condition that a column of a full-text table matches a search: `("subject" MATCH 'Re:*')`.
  ///
  /// ```swift
  /// let replies = emails.filter(subject.match("Re:*"))
  /// ```
  ///
  /// - Parameter pattern: The search expression.
  /// - Returns: The condition.
  public func match(_ pattern: String) -> SQLExpression<UnderlyingType.Condition> {
    .matching(expression, "MATCH", pattern.expression)
  }

  /// Returns the condition that a column of a full-text table matches a search: `("subject" MATCH "pattern")`.
  ///
  /// ```swift
  /// let found = emails.filter(subject.match(SQLExpression<String>("pattern")))
  /// ```
  ///
  /// - Parameter pattern: The search expression.
  /// - Returns: The condition.
  public func match<P: ExpressionDatatype>(_ pattern: SQLExpression<P>) -> SQLExpression<UnderlyingType.Condition>
  where P.WrappedType == String {
    .matching(expression, "MATCH", pattern.expression)
  }

  /// Returns the condition that the text matches a regular expression: `("email" REGEXP '.+@.+')`.
  ///
  /// SQLite has the operator, but not the function that implements it. The program adds the function:
  ///
  /// ```swift
  /// db.createFunction("regexp", argumentCount: 2, deterministic: true) { args in
  ///   guard let pattern = args[0] as? String, let text = args[1] as? String else { return nil }
  ///   return text.range(of: pattern, options: .regularExpression) != nil
  /// }
  /// let query = users.filter(email.regexp(".+@.+"))
  /// ```
  ///
  /// - Parameter pattern: The regular expression.
  /// - Returns: The condition.
  public func regexp(_ pattern: String) -> SQLExpression<UnderlyingType.Condition> {
    .matching(expression, "REGEXP", pattern.expression)
  }

  /// Returns the condition that the text matches a regular expression: `("email" REGEXP "pattern")`.
  ///
  /// ```swift
  /// let query = users.filter(email.regexp(SQLExpression<String>("pattern")))
  /// ```
  ///
  /// - Parameter pattern: The regular expression.
  /// - Returns: The condition.
  public func regexp<P: ExpressionDatatype>(_ pattern: SQLExpression<P>) -> SQLExpression<UnderlyingType.Condition>
  where P.WrappedType == String {
    .matching(expression, "REGEXP", pattern.expression)
  }
}

extension String {
  /// Returns the condition that the text matches a LIKE pattern: `('alice' LIKE "pattern")`.
  ///
  /// ```swift
  /// let rules = Table("rules").filter("alice".like(SQLExpression<String>("pattern")))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - character: The character that escapes a literal `%` or `_`; nil for none.
  /// - Returns: The condition.
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
