precedencegroup ColumnAssignment {
  associativity: left
  assignment: true
  lowerThan: AssignmentPrecedence
}

infix operator <- : ColumnAssignment

/// What a column is set to, by an insert or an update.
///
/// ```swift
/// try db.run(users.insert(email <- "alice@mac.com", name <- "Alice"))
/// try db.run(users.filter(id == 1).update(balance += 10, logins++))
/// ```
public struct Setter: Expressible, Sendable {
  /// The column.
  let column: SQLExpression<Void>

  /// What it is set to.
  let content: Content

  enum Content: Sendable {
    case value((any Binding)?)
    case expression(SQLExpression<Void>)
  }

  /// What the column is set to, as an expression.
  var value: SQLExpression<Void> {
    switch content {
    case .value(let binding): SQLExpression("?", [binding])
    case .expression(let expression): expression
    }
  }

  /// A column, and the expression that it is set to.
  init<L, R>(_ column: SQLExpression<L>, _ value: SQLExpression<R>) {
    self.column = column.expression
    content = .expression(value.expression)
  }

  /// A column, and the value that it is set to.
  init<L>(_ column: SQLExpression<L>, to value: (any Binding)?) {
    self.column = column.expression
    content = .value(value)
  }

  /// A column that is set to what comes out of it and a value: `"c" = ("c" + v)`.
  init<L, R>(_ column: SQLExpression<L>, computing operation: String, _ value: SQLExpression<R>) {
    self.init(column, SQLExpression<Void>.infix(column, operation, value))
  }

  /// The setter as an update has it: `"c" = v`.
  public var expression: SQLExpression<Void> {
    var writer = SQLWriter()
    writer.write(column)
    writer.write(" = ")
    writer.write(content)
    return writer.expression()
  }
}

extension Setter: CustomStringConvertible {
  /// The setter as an update has it, with its values written out.
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
