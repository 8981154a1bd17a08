/// A type with a representation in SQL: an expression, a value or a query.
public protocol Expressible {
  /// The SQL expression, without its type.
  var expression: SQLExpression<Void> { get }
}

extension Expressible {
  /// Returns the SQL, with literals instead of arguments.
  func asSQL() -> String { expression.description }
}

/// An SQL expression, with the arguments of its parameters.
public protocol ExpressionType: Expressible, CustomStringConvertible {
  /// The type of the result.
  associatedtype UnderlyingType = Void

  /// The SQL, with a question mark for each argument.
  var template: String { get }

  /// The arguments, in the order of their question marks. Nil is NULL.
  var bindings: [(any Binding)?] { get }

  /// Creates an expression from SQL and its arguments.
  ///
  /// - Parameters:
  ///   - template: The SQL, with a question mark for each argument.
  ///   - bindings: The arguments.
  init(_ template: String, _ bindings: [(any Binding)?])
}

extension ExpressionType {
  /// Creates an expression from SQL without arguments.
  ///
  /// ```swift
  /// let query = users.order(SQLExpression<Void>(literal: "random()"))
  /// ```
  ///
  /// - Parameter literal: The SQL. It is not quoted, so it must not contain user input.
  public init(literal: String) {
    self.init(literal, [])
  }

  /// Creates an expression for a column, or for another object with a name.
  ///
  /// ```swift
  /// let name = SQLExpression<String?>("name")
  /// ```
  ///
  /// - Parameter identifier: The name, which is quoted.
  public init(_ identifier: String) {
    self.init(identifier.quote(), [])
  }

  /// Creates an expression with the same SQL and another type.
  ///
  /// ```swift
  /// let optionalEmail = SQLExpression<String?>(email)
  /// ```
  ///
  /// - Parameter expression: The expression.
  public init<U: ExpressionType>(_ expression: U) {
    self.init(expression.template, expression.bindings)
  }

  /// The SQL expression, without its type.
  public var expression: SQLExpression<Void> { SQLExpression(template, bindings) }

  /// The SQL, with literals instead of arguments.
  public var description: String { SQLText.expanded(template, bindings) }

  /// The expression as a term of an ascending order: `"name" ASC`.
  public var asc: any Expressible & Sendable { SQLExpression<Void>("\(template) ASC", bindings) }

  /// The expression as a term of a descending order: `"name" DESC`.
  public var desc: any Expressible & Sendable { SQLExpression<Void>("\(template) DESC", bindings) }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype {
  /// Creates an expression for a value.
  ///
  /// ```swift
  /// let image = SQLExpression<String>(value: "public.image")
  /// ```
  ///
  /// - Parameter value: The value, which is passed as an argument.
  public init(value: UnderlyingType) {
    self.init("?", [value._binding])
  }
}

extension ExpressionType where UnderlyingType: ExpressionDatatype & ExpressibleByNilLiteral {
  /// The expression for NULL.
  public static var null: Self { self.init(value: nil) }
}
