extension SQLPrinter {
  mutating func print(_ expression: SQLExpression) throws {
    switch expression.node {
    case .value(let value): print(value)
    case .column(let name, let owner): try print(column: name, of: owner)
    case .table(let owner): try print(tableOf: owner)
    case .literal(let literal): try print(literal)
    case .subquery(let subquery):
      sql += "("
      try print(subquery)
      sql += ")"
    case .operation(let operation, let operands): try print(operation, operands)
    case .deferred(let deferred): try print(resolved(deferred))
    }
  }

  private func resolved(_ deferred: SQLDeferredExpression) throws -> SQLExpression {
    let expression = try deferred.make(db, deferred.tableName ?? tableName(of: deferred.alias))
    return deferred.alias.map(expression.qualified(by:)) ?? expression
  }

  /// Prints an operand of an expression, in parentheses unless its syntax delimits it.
  private mutating func print(operand expression: SQLExpression) throws {
    if case .deferred(let deferred) = expression.node { return try print(operand: resolved(deferred)) }
    guard expression.isOperator else { return try print(expression) }
    sql += "("
    try print(expression)
    sql += ")"
  }

  private mutating func print(_ operation: SQLOperation, _ operands: [SQLExpression]) throws {
    switch operation {
    case .not: try print(prefix: "NOT ", operands)
    case .negative: try print(prefix: "-", operands)
    case .complement: try print(prefix: "~", operands)
    case .binary(let sqlOperator):
      try sqlOperator.requiredFeature?.check(in: libraryVersion)
      try print(infix: sqlOperator.rawValue, operands)
    case .chain(let sqlOperator): try print(infix: sqlOperator.sql, grouped(operands, sqlOperator))
    case .between(let isNegated):
      try print(operand: operands[0])
      sql += isNegated ? " NOT BETWEEN " : " BETWEEN "
      try print(infix: "AND", Array(operands[1...]))
    case .isOneOf(let isNegated):
      try printMembership(of: operands[0], isNegated) { try $0.print(list: Array(operands[1...])) }
    case .isFound(let subquery, let isNegated):
      try printMembership(of: operands[0], isNegated) { try $0.print(subquery) }
    case .isInTable(let name, let isNegated):
      try print(operand: operands[0])
      sql += isNegated ? " NOT IN " : " IN "
      print(identifier: name)
    case .exists(let subquery, let isNegated):
      sql += isNegated ? "NOT EXISTS (" : "EXISTS ("
      try print(subquery)
      sql += ")"
    case .like(let isNegated):
      try print(infix: isNegated ? "NOT LIKE" : "LIKE", Array(operands[..<2]))
      if operands.count > 2 {
        sql += " ESCAPE "
        try print(operand: operands[2])
      }
    case .cast(let type):
      sql += "CAST("
      try print(operands[0])
      sql += " AS \(type.rawValue))"
    case .collated(let name):
      try print(operands[0])
      sql += " COLLATE \(name.collationSQL)"
    case .function(let name, _): try print(call: name, operands)
    case .countAll: sql += "COUNT(*)"
    case .countDistinct:
      sql += "COUNT(DISTINCT "
      try print(operands[0])
      sql += ")"
    case .filtered:
      try print(operands[0])
      sql += " FILTER (WHERE "
      try print(operands[1])
      sql += ")"
    case .countIsZero(let isNegated):
      try print(operand: operands[0])
      sql += isNegated ? " > 0" : " = 0"
    case .rowValue: try print(call: "", operands)
    case .rowExists(let isNegated):
      let tests = operands.map { SQLExpression.binary(isNegated ? .same : .notSame, $0, .value(.null)) }
      try print(.chain(isNegated ? .and : .or, tests))
    }
  }

  private mutating func print(prefix sqlOperator: String, _ operands: [SQLExpression]) throws {
    sql += sqlOperator
    try print(operand: operands[0])
  }

  private mutating func print(infix sqlOperator: String, _ operands: [SQLExpression]) throws {
    try printList(operands, separator: " \(sqlOperator) ") { try $0.print(operand: $1) }
  }

  /// Returns at most 100 operands of a logical operator, which contain all of them.
  ///
  /// SQLite limits the depth of an expression to 1,000, and `a OR b OR c …` is as deep as it is long.
  private func grouped(
    _ operands: [SQLExpression], _ sqlOperator: SQLExpression.AssociativeBinaryOperator
  ) -> [SQLExpression] {
    let size = 100
    guard sqlOperator.isLogical, operands.count > size else { return operands }
    let groups = stride(from: 0, to: operands.count, by: size).map { start in
      SQLExpression(.operation(.chain(sqlOperator), Array(operands[start...].prefix(size))))
    }
    return grouped(groups, sqlOperator)
  }

  private mutating func print(call name: String, _ arguments: [SQLExpression]) throws {
    sql += name
    sql += "("
    try print(list: arguments)
    sql += ")"
  }

  private mutating func printMembership(
    of element: SQLExpression, _ isNegated: Bool, _ printSet: (inout SQLPrinter) throws -> Void
  ) throws {
    try print(operand: element)
    sql += isNegated ? " NOT IN (" : " IN ("
    try printSet(&self)
    sql += ")"
  }

  mutating func print(list expressions: [SQLExpression]) throws {
    try printList(expressions) { try $0.print($1) }
  }
}
