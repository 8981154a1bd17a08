/// A collation, which compares and sorts strings.
public enum Collation: Sendable, Hashable {
  /// Compares bytes.
  case binary

  /// Ignores the case of the 26 ASCII letters.
  case nocase

  /// Compares bytes, and ignores trailing spaces.
  case rtrim

  /// Compares with a function that was added with ``Connection/createCollation(_:_:)``.
  case custom(String)
}

extension Collation: Expressible, CustomStringConvertible {
  /// The name of the collation in SQL.
  public var expression: SQLExpression<Void> { SQLExpression(literal: description) }

  /// The name of the collation in SQL.
  public var description: String {
    switch self {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    case .custom(let name): name.quote()
    }
  }
}

/// Returns a text expression with a collation: `("name" COLLATE NOCASE)`.
///
/// ```swift
/// let query = users.order(collate(.nocase, name))
/// ```
///
/// - Parameters:
///   - collation: The collation.
///   - expression: The text.
/// - Returns: The expression.
public func collate<T: ExpressionDatatype>(_ collation: Collation, _ expression: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType == String {
  expression.collate(collation)
}
