/// Collects what is interpolated in a literal of `SQL` or `SQLRequest`.
public struct SQLInterpolation: StringInterpolationProtocol, Sendable {
  private(set) var elements: [SQL.Element] = []

  /// Called by the compiler.
  public init(literalCapacity: Int, interpolationCount: Int) {
    elements.reserveCapacity(interpolationCount * 2 + 1)
  }

  /// Called by the compiler with the text between interpolations.
  public mutating func appendLiteral(_ sql: String) {
    if !sql.isEmpty { elements.append(.sql(sql, StatementArguments())) }
  }

  /// `\(sql: "…")`: raw SQL, and the values of its parameters.
  ///
  /// - warning: Never put here a text that comes from outside of the program.
  public mutating func appendInterpolation(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    elements.append(.sql(sql, arguments))
  }

  /// `\(literal: sql)`: more SQL, with its values.
  public mutating func appendInterpolation(literal sqlLiteral: SQL) {
    elements += sqlLiteral.elements
  }

  /// `\(identifier: "name")`: the name of a table or a column, between quotes.
  public mutating func appendInterpolation(identifier name: String) {
    elements.append(.identifier(name))
  }

  /// `\(value)`, `\(column)`, `\(expression)`: a value is bound, a column is quoted, nil is NULL.
  public mutating func appendInterpolation(_ expressible: (some SQLExpressible)?) {
    elements.append(.expression(expressible?.sqlExpression ?? .value(.null)))
  }

  /// `\(value)`: an expression of any type.
  public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
    elements.append(.expression(expressible?.sqlExpression ?? .value(.null)))
  }

  /// `\(codingKey)`: the column of that name, between quotes.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ codingKey: some CodingKey) {
    elements.append(.identifier(codingKey.stringValue))
  }

  /// `\(selectable)`: what is selected.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selectable: some SQLSelectable) {
    elements.append(.selection(selectable.sqlSelection))
  }

  /// `\(selectable)`: what is selected; nil is NULL.
  ///
  /// - Parameter selectable: A selection of any type.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selectable: (any SQLSelectable)?) {
    elements.append(selectable.map { .selection($0.sqlSelection) } ?? .expression(.value(.null)))
  }

  /// `\(text)`: a text that is a part of another one is bound.
  ///
  /// - Parameter text: A text.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ text: some StringProtocol) {
    elements.append(.expression(.value(DatabaseValue(.string(String(text))))))
  }

  /// `\(orderingTerm)`: what the query is ordered by.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ orderingTerm: some SQLOrderingTerm) {
    elements.append(.ordering(orderingTerm.sqlOrdering))
  }

  /// `COLLATE \(.nocase)`: the name of a collation.
  public mutating func appendInterpolation(_ collation: Database.CollationName) {
    appendLiteral(collation.rawValue.collationSQL)
  }

  /// `\(request)`: the text of a query, without parentheses.
  public mutating func appendInterpolation(_ subquery: some SQLSubqueryable) {
    elements.append(.subquery(subquery.sqlSubquery))
  }

  /// `IN \(values)`: a list, with its parentheses. An empty one contains nothing, not even NULL.
  @_disfavoredOverload
  public mutating func appendInterpolation<S>(_ sequence: S) where S: Sequence, S.Element: SQLExpressible {
    appendList(sequence.map { $0.sqlExpression })
  }

  /// `IN \(values)`: a list of expressions of any types.
  @_disfavoredOverload
  public mutating func appendInterpolation<S>(_ sequence: S) where S: Sequence, S.Element == any SQLExpressible {
    appendList(sequence.map { $0.sqlExpression })
  }

  private mutating func appendList(_ expressions: [SQLExpression]) {
    guard !expressions.isEmpty else { return appendLiteral("(SELECT NULL WHERE NULL)") }
    for (index, expression) in expressions.enumerated() {
      appendLiteral(index == 0 ? "(" : ",")
      elements.append(.expression(expression))
    }
    appendLiteral(")")
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// SQL from a literal without values.
  public init(unicodeScalarLiteral sql: String) { self.init(sql: sql) }

  /// SQL from a literal without values.
  public init(extendedGraphemeClusterLiteral sql: String) { self.init(sql: sql) }

  /// SQL from a literal without values.
  public init(stringLiteral sql: String) { self.init(sql: sql) }

  /// SQL from a literal with values.
  public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
    self.init(elements: sqlInterpolation.elements)
  }
}
