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
  let value: SQLExpression<Void>

  /// A column, and the expression that it is set to.
  init<L, R>(_ column: SQLExpression<L>, _ value: SQLExpression<R>) {
    self.column = column.expression
    self.value = value.expression
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
    writer.write(value)
    return writer.expression()
  }
}

extension Setter: CustomStringConvertible {
  /// The setter as an update has it, with its values written out.
  public var description: String { asSQL() }
}
