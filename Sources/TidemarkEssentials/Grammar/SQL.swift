/// SQL with its values inside, apart from its text: a value can never become SQL (promise P9).
///
/// ```swift
/// let title = "O'Brien"; let ids = [1, 2, 3]
/// try db.execute(literal: "UPDATE book SET title = \(title) WHERE id IN \(ids)")
/// // UPDATE book SET title = ? WHERE id IN (?,?,?)   ["O'Brien", 1, 2, 3]
/// ```
///
/// What is interpolated is bound, or quoted when it is a name. Raw text goes in through `\(sql:)` alone,
/// where it can be seen.
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

  /// Raw SQL, and the values of its parameters.
  public init(sql: String, arguments: StatementArguments = StatementArguments()) {
    self.init(elements: [.sql(sql, arguments)])
  }

  /// The same, said shortly.
  init(_ sql: String, _ arguments: StatementArguments) {
    self.init(sql: sql, arguments: arguments)
  }

  /// An expression.
  public init(_ expression: some SQLSpecificExpressible) {
    self.init(elements: [.expression(expression.sqlExpression)])
  }

  /// Whether there is no text at all.
  public var isEmpty: Bool {
    elements.allSatisfy { element in
      if case .sql(let sql, _) = element { sql.isEmpty } else { false }
    }
  }
}

extension SQL {
  /// The same text with other expressions inside.
  func mapExpressions(_ transform: (SQLExpression) -> SQLExpression) -> SQL {
    SQL(
      elements: elements.map { element in
        if case .expression(let expression) = element { .expression(transform(expression)) } else { element }
      })
  }
}

// MARK: - Concatenation

extension SQL {
  /// Adds SQL at the end.
  public mutating func append(literal sqlLiteral: SQL) {
    self += sqlLiteral
  }

  /// Adds raw SQL at the end, and the values of its parameters.
  public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
    self += SQL(sql: sql, arguments: arguments)
  }

  /// Both, one after the other.
  public static func + (lhs: SQL, rhs: SQL) -> SQL { SQL(elements: lhs.elements + rhs.elements) }

  /// Adds SQL at the end.
  public static func += (lhs: inout SQL, rhs: SQL) { lhs.elements += rhs.elements }
}

extension Sequence where Element == SQL {
  /// All the pieces, with a separator between them.
  ///
  /// ```swift
  /// let conditions: [SQL] = ["pages > \(100)", "title LIKE \(pattern)"]
  /// let condition = conditions.joined(separator: " AND ")
  /// ```
  public func joined(separator: String = "") -> SQL {
    if separator.isEmpty { return SQL(elements: flatMap { $0.elements }) }
    return SQL(elements: Array(map { $0.elements }.joined(separator: [.sql(separator, StatementArguments())])))
  }
}

// MARK: - SQL as a part of other SQL

extension SQL: SQLSpecificExpressible {
  /// The text as an expression.
  public var sqlExpression: SQLExpression { .literal(self) }

  /// The text as a selection.
  public var sqlSelection: SQLSelection { .literal(self) }

  /// The text as an ordering.
  public var sqlOrdering: SQLOrdering { .literal(self) }
}
