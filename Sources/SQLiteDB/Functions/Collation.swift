/// How texts are compared and sorted.
public enum Collation: Sendable, Hashable {
  /// By bytes.
  case binary

  /// Without regard to the case of the 26 letters of ASCII.
  case nocase

  /// By bytes, without regard to spaces at the end.
  case rtrim

  /// As a function of the program does: see `Connection.createCollation(_:_:)`.
  case custom(String)
}

extension Collation: Expressible, CustomStringConvertible {
  /// The name of the collation, as SQL writes it.
  public var expression: SQLExpression<Void> { SQLExpression(literal: description) }

  /// The name of the collation, as SQL writes it.
  public var description: String {
    switch self {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    case .custom(let name): name.quote()
    }
  }
}

/// A text, compared and sorted in another way: `("name" COLLATE "NODIACRITIC")`.
public func collate<T: ExpressionDatatype>(_ collation: Collation, _ expression: SQLExpression<T>) -> SQLExpression<T>
where T.WrappedType == String {
  expression.collate(collation)
}
