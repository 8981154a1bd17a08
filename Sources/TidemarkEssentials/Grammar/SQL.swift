/// An SQL text with interpolated values, which are kept apart from the text.
///
/// A value never becomes a part of the SQL text (guarantee P9), so interpolation cannot cause SQL injection:
///
/// ```swift
/// let title = "O'Brien"; let ids = [1, 2, 3]
/// try db.execute(literal: "UPDATE book SET title = \(title) WHERE id IN \(ids)")
/// // UPDATE book SET title = ? WHERE id IN (?,?,?)   ["O'Brien", 1, 2, 3]
/// ```
///
/// Interpolated values are bound as arguments. Interpolated columns and tables are quoted. To insert raw text, use
/// `\(sql:)` explicitly.
public struct SQL: Sendable {
  enum Element: Sendable {
    case sql(String, StatementArguments)
    case expression(SQLExpression)
    case selection(SQLSelection)
    case ordering(SQLOrdering)
    case subquery(SQLSubquery)
    case identifier(String)
  }

  private(set) var elements: [Element]

  init(elements: [Element]) {
    self.elements = elements
  }

  /// Creates an SQL literal from raw SQL.
  ///
  /// ```swift
  /// let condition = SQL(sql: "score > ?", arguments: [1000])
  /// ```
  ///
  /// - Parameter sql: The SQL text. Do not include values that come from outside the program.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public init(sql: String, arguments: StatementArguments = StatementArguments()) {
    self.init(elements: [.sql(sql, arguments)])
  }

  /// A shorter form of `init(sql:arguments:)`.
  init(_ sql: String, _ arguments: StatementArguments) {
    self.init(sql: sql, arguments: arguments)
  }

  /// Creates an SQL literal from an expression.
  ///
  /// ```swift
  /// let condition = SQL(Column("score") > 1000)
  /// ```
  ///
  /// - Parameter expression: An expression.
  public init(_ expression: some SQLSpecificExpressible) {
    self.init(elements: [.expression(expression.sqlExpression)])
  }

  /// Whether the literal contains neither text nor values.
  public var isEmpty: Bool {
    elements.allSatisfy { element in
      if case .sql(let sql, _) = element { sql.isEmpty } else { false }
    }
  }
}

extension SQL {
  /// Returns the literal with transformed expressions.
  func mapExpressions(_ transform: (SQLExpression) -> SQLExpression) -> SQL {
    SQL(
      elements: elements.map { element in
        if case .expression(let expression) = element { .expression(transform(expression)) } else { element }
      })
  }
}

// MARK: - Concatenation

extension SQL {
  /// Appends another literal.
  ///
  /// ```swift
  /// var sql: SQL = "SELECT * FROM book"
  /// sql.append(literal: " WHERE pages > \(100)")
  /// ```
  ///
  /// - Parameter sqlLiteral: The literal to append.
  public mutating func append(literal sqlLiteral: SQL) {
    self += sqlLiteral
  }

  /// Appends raw SQL.
  ///
  /// ```swift
  /// sql.append(sql: " LIMIT ?", arguments: [10])
  /// ```
  ///
  /// - Parameter sql: The SQL text. Do not include values that come from outside the program.
  /// - Parameter arguments: The values of the parameters in `sql`.
  public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
    self += SQL(sql: sql, arguments: arguments)
  }

  /// Returns the concatenation of two literals.
  ///
  /// - Parameter lhs: The first literal.
  /// - Parameter rhs: The second literal.
  public static func + (lhs: SQL, rhs: SQL) -> SQL { SQL(elements: lhs.elements + rhs.elements) }

  /// Appends a literal to another one.
  ///
  /// - Parameter lhs: The literal to extend.
  /// - Parameter rhs: The literal to append.
  public static func += (lhs: inout SQL, rhs: SQL) { lhs.elements += rhs.elements }
}

extension Sequence where Element == SQL {
  /// Returns the concatenation of all literals, with a separator between them.
  ///
  /// ```swift
  /// let conditions: [SQL] = ["pages > \(100)", "title LIKE \(pattern)"]
  /// let condition = conditions.joined(separator: " AND ")
  /// ```
  ///
  /// - Parameter separator: Raw SQL between the literals.
  public func joined(separator: String = "") -> SQL {
    if separator.isEmpty { return SQL(elements: flatMap { $0.elements }) }
    return SQL(elements: Array(map { $0.elements }.joined(separator: [.sql(separator, StatementArguments())])))
  }
}

// MARK: - SQL as a part of other SQL

extension SQL: SQLSpecificExpressible {
  /// The literal as an expression.
  public var sqlExpression: SQLExpression { .literal(self) }

  /// The literal as a selection.
  public var sqlSelection: SQLSelection { .literal(self) }

  /// The literal as an ordering.
  public var sqlOrdering: SQLOrdering { .literal(self) }
}
