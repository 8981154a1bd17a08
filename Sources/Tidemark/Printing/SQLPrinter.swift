/// Turns trees into SQL and the values of its parameters. The only place that prints.
struct SQLPrinter {
  private(set) var sql = ""
  private(set) var arguments = StatementArguments()

  mutating func print(_ literal: SQL) {
    for element in literal.elements { print(element) }
  }

  private mutating func print(_ element: SQL.Element) {
    switch element {
    case .sql(let text, let arguments):
      sql += text
      self.arguments += arguments
    case .identifier(let name): sql += name.quotedDatabaseIdentifier
    case .expression(let expression): print(expression)
    case .selection(let selection): print(selection)
    case .ordering(let ordering): print(ordering)
    case .subquery(let subquery): print(subquery)
    }
  }

  mutating func print(_ expression: SQLExpression) {
    switch expression.node {
    case .value(let value): print(value)
    case .column(let name): sql += name.quotedDatabaseIdentifier
    case .literal(let literal): print(literal)
    case .subquery(let subquery):
      sql += "("
      print(subquery)
      sql += ")"
    }
  }

  // NULL is written in full: `IS NULL` has an index, and `IS ?` none.
  private mutating func print(_ value: DatabaseValue) {
    if value.isNull {
      sql += "NULL"
    } else {
      sql += "?"
      arguments.values.append(value)
    }
  }

  mutating func print(_ selection: SQLSelection) {
    switch selection.node {
    case .allColumns: sql += "*"
    case .expression(let expression): print(expression)
    case .literal(let literal): print(literal)
    }
  }

  mutating func print(_ ordering: SQLOrdering) {
    switch ordering.node {
    case .expression(let expression): print(expression)
    case .literal(let literal): print(literal)
    }
  }

  mutating func print(_ subquery: SQLSubquery) {
    switch subquery.node {
    case .literal(let literal): print(literal)
    }
  }
}
