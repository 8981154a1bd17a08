/// SQL that is being put together, with the values bound to it.
struct SQLWriter {
  private(set) var template = ""
  private(set) var bindings: [(any Binding)?] = []

  init(_ template: String = "") {
    self.template = template
  }

  /// A writer of a whole statement, for which there is room from the beginning.
  init(capacity: Int) {
    template.reserveCapacity(capacity)
  }

  /// The result.
  func expression<Datatype>(of _: Datatype.Type = Datatype.self) -> SQLExpression<Datatype> {
    SQLExpression(template, bindings)
  }

  mutating func write(_ text: String) { template += text }

  mutating func write<Datatype>(_ expression: SQLExpression<Datatype>) {
    template += expression.template
    if !expression.bindings.isEmpty { bindings += expression.bindings }
  }

  mutating func write(_ expression: some ExpressionType) { write(expression.expression) }

  /// Something that may be an operand: in parentheses where it has to be.
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
  /// `(lhs OP rhs)`, or without the parentheses, which is what `isLoose` then says.
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

  /// `name(argument, …)`
  static func function(_ name: String, _ arguments: SQLExpression<Void>...) -> SQLExpression {
    function(name, arguments)
  }

  /// `name(argument, …)`
  static func function(_ name: String, _ arguments: [SQLExpression<Void>]) -> SQLExpression {
    var writer = SQLWriter("\(name)(")
    writer.writeList(arguments)
    writer.write(")")
    return writer.expression()
  }
}

extension SQLExpression where Datatype: ExpressionDatatype {
  /// The expression of a value.
  static func parameter(_ value: Datatype) -> SQLExpression { SQLExpression("?", [value._binding]) }
}

extension ExpressionType {
  /// The expression, with what it knows of itself.
  var typed: SQLExpression<UnderlyingType> { expression.cast() }
}
