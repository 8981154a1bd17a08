/// SQL that evaluates to a value of some type, and the values that are bound to it.
///
/// Most are columns; operators and functions make the others of them:
///
/// ```swift
/// let id = SQLExpression<Int64>("id")
/// let name = SQLExpression<String?>("name")    // may be NULL
///
/// let condition = id > 10 && name != nil       // (("id" > 10) AND ("name" IS NOT NULL))
/// ```
public struct SQLExpression<Datatype>: ExpressionType, Sendable {
  /// The type of what it evaluates to.
  public typealias UnderlyingType = Datatype

  /// The SQL, with a question mark for each value.
  public var template: String

  /// The values, in the order of their question marks. Nil is NULL.
  public var bindings: [(any Binding)?]

  /// Whether the SQL must be put into parentheses as an operand: it has an operator outside of any.
  var isLoose = false

  /// An expression of some SQL and its values.
  public init(_ template: String, _ bindings: [(any Binding)?]) {
    self.template = template
    self.bindings = bindings
  }

  /// It as an expression, whatever its type.
  public var expression: SQLExpression<Void> { cast() }

  /// The same SQL, as an expression of another type.
  func cast<Other>(_: Other.Type = Other.self) -> SQLExpression<Other> {
    var other = SQLExpression<Other>(template, bindings)
    other.isLoose = isLoose
    return other
  }
}

/// The name that expressions once had.
///
/// Where Foundation is imported too, it has another type of that name.
public typealias Expression = SQLExpression

/// The row id of a table: `ROWID`.
public let rowid = SQLExpression<Int64>("ROWID")
