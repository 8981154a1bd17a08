/// An SQL expression with the type of its result, and the arguments of its parameters.
///
/// Columns are expressions. Operators and functions combine them:
///
/// ```swift
/// let id = SQLExpression<Int64>("id")
/// let name = SQLExpression<String?>("name")    // may be NULL
///
/// let condition = id > 10 && name != nil       // (("id" > 10) AND ("name" IS NOT NULL))
/// ```
public struct SQLExpression<Datatype>: ExpressionType, Sendable {
  /// The type of the result.
  public typealias UnderlyingType = Datatype

  /// The SQL, with a question mark for each argument.
  public var template: String

  /// The arguments, in the order of their question marks. Nil is NULL.
  public var bindings: [(any Binding)?]

  /// Whether the SQL needs parentheses as an operand, because it contains an operator outside parentheses.
  var isLoose = false

  /// Creates an expression from SQL and its arguments.
  ///
  /// ```swift
  /// let isLong = SQLExpression<Bool>("length(\"title\") > ?", [100])
  /// let longPosts = posts.filter(isLong)
  /// ```
  ///
  /// - Parameters:
  ///   - template: The SQL, with a question mark for each argument.
  ///   - bindings: The arguments.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }

  /// Creates an expression with the same SQL and another type.
  ///
  /// ```swift
  /// let optionalEmail = SQLExpression<String?>(email)
  /// ```
  ///
  /// - Parameter expression: The expression.
  public init<U: ExpressionType>(_ expression: U) {
    // Unlike the SQL and its arguments, the expression records whether it needs parentheses.
    self = expression.expression.cast()
  }

  /// The SQL expression, without its type.
  public var expression: SQLExpression<Void> { cast() }

  /// Returns the same SQL as an expression of another type.
  func cast<Other>(_: Other.Type = Other.self) -> SQLExpression<Other> {
    var other = SQLExpression<Other>(template, bindings)
    other.isLoose = isLoose
    return other
  }
}

/// An earlier name of ``SQLExpression``.
///
/// Foundation declares another type with this name. Use `SQLExpression` in files that import Foundation.
public typealias Expression = SQLExpression

/// The row ID of a table: `ROWID`.
public let rowid = SQLExpression<Int64>("ROWID")
