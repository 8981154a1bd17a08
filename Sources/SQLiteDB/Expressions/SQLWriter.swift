/// A buffer for SQL and its arguments.
struct SQLWriter {
  private(set) var template = ""
  private(set) var bindings: [(any Binding)?] = []

  init(_ template: String = "") {
    self.template = template
  }

  /// Creates a writer with reserved capacity, for a complete statement.
  init(capacity: Int) {
    template.reserveCapacity(capacity)
  }

  /// Returns the SQL and its arguments as an expression.
  func expression<Datatype>(of _: Datatype.Type = Datatype.self) -> SQLExpression<Datatype> {
    SQLExpression(template, bindings)
  }

  mutating func write(_ text: String) { template += text }

  mutating func write<Datatype>(_ expression: SQLExpression<Datatype>) {
    template += expression.template
    if !expression.bindings.isEmpty { bindings += expression.bindings }
  }

  mutating func write(_ expression: some ExpressionType) { write(expression.expression) }

  /// Writes an operand, in parentheses if it needs them.
  mutating func writeOperand<Datatype>(_ expression: SQLExpression<Datatype>) {
    if expression.isLoose { template += "(" }
    write(expression)
    if expression.isLoose { template += ")" }
  }

  mutating func writeList(_ expressions: [SQLExpression<Void>], separator: String = ", ") {
    for (index, expression) in expressions.enumerated() {
      if index > 0 { template += separator }
      write(expression)
    }
  }

  mutating func writeParameter(_ binding: (any Binding)?) {
    template += "?"
    bindings.append(binding)
  }
}

extension SQLExpression {
  /// Returns `(lhs OP rhs)`.
  static func infix<L, R>(
    _ lhs: SQLExpression<L>, _ operation: String, _ rhs: SQLExpression<R>
  ) -> SQLExpression {
    var writer = SQLWriter("(")
    writer.writeOperand(lhs)
    writer.write(" \(operation) ")
    writer.writeOperand(rhs)
    writer.write(")")
    return writer.expression()
  }

  /// Returns `name(argument, …)`.
  static func function(_ name: String, _ arguments: SQLExpression<Void>...) -> SQLExpression {
    function(name, arguments)
  }

  /// Returns `name(argument, …)`.
  static func function(_ name: String, _ arguments: [SQLExpression<Void>]) -> SQLExpression {
    var writer = SQLWriter("\(name)(")
    writer.writeList(arguments)
    writer.write(")")
    return writer.expression()
  }
}

extension SQLExpression where Datatype: ExpressionDatatype {
  /// Returns the expression for a value.
  static func parameter(_ value: Datatype) -> SQLExpression { SQLExpression("?", [value._binding]) }
}

extension ExpressionType {
  /// The expression with its type. It still records whether it needs parentheses.
  var typed: SQLExpression<UnderlyingType> { expression.cast() }
}
