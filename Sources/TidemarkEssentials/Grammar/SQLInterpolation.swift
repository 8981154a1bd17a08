/// The interpolation of ``SQL`` and ``SQLRequest`` literals.
///
/// Do not use this type directly. Its methods define the values that can be interpolated:
///
/// ```swift
/// let ids = [1, 2, 3]
/// let request: SQLRequest<Player> = "SELECT * FROM player WHERE id IN \(ids)"
/// ```
public struct SQLInterpolation: StringInterpolationProtocol, Sendable {
  private(set) var elements: [SQL.Element] = []

  /// Creates an empty interpolation. The compiler calls this initializer.
  ///
  /// - Parameter literalCapacity: The approximate size of the literal.
  /// - Parameter interpolationCount: The number of interpolated values.
  public init(literalCapacity: Int, interpolationCount: Int) {
    elements.reserveCapacity(interpolationCount * 2 + 1)
  }

  /// Appends the text between interpolations. The compiler calls this method.
  ///
  /// - Parameter sql: A part of the literal.
  public mutating func appendLiteral(_ sql: String) {
    if !sql.isEmpty { elements.append(.sql(sql, StatementArguments())) }
  }

  /// Interpolates raw SQL: `\(sql: "…")`.
  ///
  /// ```swift
  /// let order = "score DESC"
  /// let request: SQLRequest<Player> = "SELECT * FROM player ORDER BY \(sql: order)"
  /// ```
  ///
  /// - Parameter sql: The SQL text.
  /// - Parameter arguments: The values of the parameters in `sql`.
  ///
  /// - Warning: Never interpolate text that comes from outside the program in this way.
  public mutating func appendInterpolation(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    elements.append(.sql(sql, arguments))
  }

  /// Interpolates another literal, with its values: `\(literal: sql)`.
  ///
  /// ```swift
  /// let condition: SQL = "score > \(1000)"
  /// let request: SQLRequest<Player> = "SELECT * FROM player WHERE \(literal: condition)"
  /// ```
  ///
  /// - Parameter sqlLiteral: The literal.
  public mutating func appendInterpolation(literal sqlLiteral: SQL) {
    elements += sqlLiteral.elements
  }

  /// Interpolates the quoted name of a table or a column: `\(identifier: "name")`.
  ///
  /// ```swift
  /// let table = "player"
  /// let request: SQLRequest<Row> = "SELECT * FROM \(identifier: table)"
  /// ```
  ///
  /// - Parameter name: The name, without quotes.
  public mutating func appendInterpolation(identifier name: String) {
    elements.append(.identifier(name))
  }

  /// Interpolates a value, a column or an expression: `\(value)`.
  ///
  /// Values are bound as arguments, columns are quoted, and nil is NULL.
  ///
  /// ```swift
  /// let request: SQLRequest<Player> = "SELECT * FROM player WHERE score > \(1000)"
  /// ```
  ///
  /// - Parameter expressible: A value, a column, an expression, or nil.
  public mutating func appendInterpolation(_ expressible: (some SQLExpressible)?) {
    elements.append(.expression(expressible?.sqlExpression ?? .value(.null)))
  }

  /// Interpolates a value, a column or an expression of any type: `\(value)`.
  ///
  /// - Parameter expressible: A value, a column, an expression, or nil.
  public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
    elements.append(.expression(expressible?.sqlExpression ?? .value(.null)))
  }

  /// Interpolates the quoted name of the column of a coding key: `\(CodingKeys.score)`.
  ///
  /// ```swift
  /// let request: SQLRequest<Player> = "SELECT * FROM player WHERE \(CodingKeys.score) > \(1000)"
  /// ```
  ///
  /// - Parameter codingKey: The coding key.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ codingKey: some CodingKey) {
    elements.append(.identifier(codingKey.stringValue))
  }

  /// Interpolates a selection: `\(AllColumns())`.
  ///
  /// ```swift
  /// let request: SQLRequest<Player> = "SELECT \(AllColumns()) FROM player"
  /// ```
  ///
  /// - Parameter selectable: A selection.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selectable: some SQLSelectable) {
    elements.append(.selection(selectable.sqlSelection))
  }

  /// Interpolates a selection of any type: `\(selectable)`. Nil is NULL.
  ///
  /// - Parameter selectable: A selection.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ selectable: (any SQLSelectable)?) {
    elements.append(selectable.map { .selection($0.sqlSelection) } ?? .expression(.value(.null)))
  }

  /// Interpolates a substring as a bound text: `\(text)`.
  ///
  /// - Parameter text: A text.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ text: some StringProtocol) {
    elements.append(.expression(.value(DatabaseValue(.string(String(text))))))
  }

  /// Interpolates an ordering: `ORDER BY \(orderingTerm)`.
  ///
  /// ```swift
  /// let request: SQLRequest<Player> = "SELECT * FROM player ORDER BY \(Column("score").desc)"
  /// ```
  @_disfavoredOverload
  public mutating func appendInterpolation(_ orderingTerm: some SQLOrderingTerm) {
    elements.append(.ordering(orderingTerm.sqlOrdering))
  }

  /// Interpolates the name of a collation: `COLLATE \(.nocase)`.
  ///
  /// ```swift
  /// let request: SQLRequest<Player> = "SELECT * FROM player ORDER BY name COLLATE \(.nocase)"
  /// ```
  ///
  /// - Parameter collation: The name of a collation.
  public mutating func appendInterpolation(_ collation: Database.CollationName) {
    appendLiteral(collation.rawValue.collationSQL)
  }

  /// Interpolates the SQL of a query, without parentheses: `\(request)`.
  ///
  /// ```swift
  /// let best = Player.select(max(Column("score")))
  /// let request: SQLRequest<Player> = "SELECT * FROM player WHERE score = (\(best))"
  /// ```
  ///
  /// - Parameter subquery: A request or another query.
  public mutating func appendInterpolation(_ subquery: some SQLSubqueryable) {
    elements.append(.subquery(subquery.sqlSubquery))
  }

  /// Interpolates a list of values in parentheses: `IN \(values)`.
  ///
  /// An empty list matches nothing, not even NULL.
  ///
  /// ```swift
  /// let ids = [1, 2, 3]
  /// let request: SQLRequest<Player> = "SELECT * FROM player WHERE id IN \(ids)"
  /// ```
  ///
  /// - Parameter sequence: The values, columns or expressions of the list.
  @_disfavoredOverload
  public mutating func appendInterpolation<S>(_ sequence: S) where S: Sequence, S.Element: SQLExpressible {
    appendList(sequence.map { $0.sqlExpression })
  }

  /// Interpolates a list of expressions of any types, in parentheses: `IN \(values)`.
  ///
  /// An empty list matches nothing, not even NULL.
  ///
  /// - Parameter sequence: The values, columns or expressions of the list.
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
  /// Creates an SQL literal without values.
  ///
  /// - Parameter sql: The SQL text.
  public init(unicodeScalarLiteral sql: String) { self.init(sql: sql) }

  /// Creates an SQL literal without values.
  ///
  /// - Parameter sql: The SQL text.
  public init(extendedGraphemeClusterLiteral sql: String) { self.init(sql: sql) }

  /// Creates an SQL literal without values.
  ///
  /// - Parameter sql: The SQL text.
  public init(stringLiteral sql: String) { self.init(sql: sql) }

  /// Creates an SQL literal with interpolated values.
  ///
  /// - Parameter sqlInterpolation: The text and the values.
  public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
    self.init(elements: sqlInterpolation.elements)
  }
}
