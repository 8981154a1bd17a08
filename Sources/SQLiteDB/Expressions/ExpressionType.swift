/// Something that can stand in SQL: an expression, a value, a query.
public protocol Expressible {
  /// It as an expression, whatever its type.
  var expression: SQLExpression<Void> { get }
}

extension Expressible {
  /// The SQL, with its values written out.
  func asSQL() -> String { expression.description }
}

/// SQL and the values that are bound to it.
public protocol ExpressionType: Expressible, CustomStringConvertible {
  /// The type of what it evaluates to.
  associatedtype UnderlyingType = Void

  /// The SQL, with a question mark for each value.
  var template: String { get }

  /// The values, in the order of their question marks. Nil is NULL.
  var bindings: [(any Binding)?] { get }

  /// An expression of some SQL and its values.
  init(_ template: String, _ bindings: [(any Binding)?])
}

extension ExpressionType {
  /// An expression of some SQL without values.
  public init(literal: String) {
    self.init(literal, [])
  }

  /// The expression of a column, or of something else that has a name. The name is quoted.
  public init(_ identifier: String) {
    self.init(identifier.quote(), [])
  }

  /// The same SQL, as an expression of another type.
  public init<U: ExpressionType>(_ expression: U) {
    self.init(expression.template, expression.bindings)
  }

  /// It as an expression, whatever its type.
  public var expression: SQLExpression<Void> { SQLExpression(template, bindings) }

  /// The SQL, with its values written out.
  public var description: String { SQLText.expanded(template, bindings) }

  /// It for an ascending order: `"name" ASC`.
  public var asc: any Expressible & Sendable { SQLExpression<Void>("\(template) ASC", bindings) }

  /// It for a descending order: `"name" DESC`.
  public var desc: any Expressible & Sendable { SQLExpression<Void>("\(template) DESC", bindings) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype {
  /// The expression of a value.
  public init(value: UnderlyingType) {
    self.init("?", [value._binding])
  }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype & ExpressibleByNilLiteral {
  /// The expression of NULL.
  public static var null: Self { self.init(value: nil) }
}
