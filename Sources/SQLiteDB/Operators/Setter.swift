precedencegroup ColumnAssignment {
  associativity: left
  assignment: true
  lowerThan: AssignmentPrecedence
}

infix operator <- : ColumnAssignment

/// An assignment of a value to a column, for an insertion or an update.
///
/// ```swift
/// try db.run(users.insert(email <- "alice@mac.com", name <- "Alice"))
/// try db.run(users.filter(id == 1).update(balance += 10, logins++))
/// ```
public struct Setter: Expressible, Sendable {
  /// The column.
  let column: SQLExpression<Void>

  /// The assigned value or expression.
  let content: Content

  enum Content: Sendable {
    case value((any Binding)?)
    case expression(SQLExpression<Void>)
  }

  /// The assigned value as an expression.
  var value: SQLExpression<Void> {
    switch content {
    case .value(let binding): SQLExpression("?", [binding])
    case .expression(let expression): expression
    }
  }

  /// Creates an assignment of an expression.
  init<L, R>(_ column: SQLExpression<L>, _ value: SQLExpression<R>) {
    self.column = column.expression
    content = .expression(value.expression)
  }

  /// Creates an assignment of a value.
  init<L>(_ column: SQLExpression<L>, to value: (any Binding)?) {
    self.column = column.expression
    content = .value(value)
  }

  /// Creates an assignment of an operation on the column: `"c" = ("c" + v)`.
  init<L, R>(_ column: SQLExpression<L>, computing operation: String, _ value: SQLExpression<R>) {
    self.init(column, SQLExpression<Void>.infix(column, operation, value))
  }

  /// The assignment as SQL: `"c" = v`.
  public var expression: SQLExpression<Void> {
    var writer = SQLWriter()
    writer.write(column)
    writer.write(" = ")
    writer.write(content)
    return writer.expression()
  }
}

extension Setter: CustomStringConvertible {
  /// The assignment as SQL, with literals instead of arguments.
  public var description: String { asSQL() }
}

extension SQLWriter {
  mutating func write(_ content: Setter.Content) {
    switch content {
    case .value(let binding): writeParameter(binding)
    case .expression(let expression): write(expression)
    }
  }
}
