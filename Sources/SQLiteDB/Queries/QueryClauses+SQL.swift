extension QueryClauses {
  /// The query: `SELECT … FROM …`.
  var select: SQLExpression<Void> {
    var writer = SQLWriter(capacity: 160)
    write(to: &writer)
    return writer.expression()
  }

  func write(to writer: inout SQLWriter) {
    writeCommonTables(to: &writer)
    writer.write(isDistinct ? "SELECT DISTINCT " : "SELECT ")
    writer.writeList(columns)
    writer.write(" FROM ")
    writeSource(to: &writer)
    for join in joins { join.write(to: &writer) }
    writeFilter(to: &writer)
    writeGrouping(to: &writer)
    for union in unions {
      writer.write(union.all ? " UNION ALL " : " UNION ")
      union.query.asTerm.write(to: &writer)
    }
    writeOrder(to: &writer)
    writeLimit(to: &writer)
  }

  /// Writes the table or its subquery, with its alias.
  func writeSource(to writer: inout SQLWriter) {
    if let subquery = subquery.first {
      writer.write("(")
      subquery.write(to: &writer)
      writer.write(") AS \(name)")
    } else {
      writeTable(to: &writer)
    }
  }

  /// Writes the table, with its alias.
  func writeTable(to writer: inout SQLWriter) {
    writer.write(source.qualifiedName)
    if let alias = source.alias { writer.write(" AS \(alias.quote())") }
  }

  func writeFilter(to writer: inout SQLWriter) {
    guard let filter else { return }
    writer.write(" WHERE ")
    writer.write(filter)
  }

  private func writeGrouping(to writer: inout SQLWriter) {
    guard let grouping else { return }
    writer.write(" GROUP BY ")
    writer.writeList(grouping.expressions)
    guard let having = grouping.having else { return }
    writer.write(" HAVING ")
    writer.write(having)
  }

  func writeOrder(to writer: inout SQLWriter) {
    if order.isEmpty { return }
    writer.write(" ORDER BY ")
    writer.writeList(order)
  }

  func writeLimit(to writer: inout SQLWriter) {
    guard let limit else { return }
    writer.write(" LIMIT \(limit.length)")
    if let offset = limit.offset { writer.write(" OFFSET \(offset)") }
  }

  func writeCommonTables(to writer: inout SQLWriter) {
    if commonTables.isEmpty { return }
    writer.write(isRecursive ? "WITH RECURSIVE " : "WITH ")
    for (index, table) in commonTables.enumerated() {
      if index > 0 { writer.write(", ") }
      table.write(to: &writer)
    }
    writer.write(" ")
  }

  /// The query as a term of a UNION. SQLite has one ORDER BY and one LIMIT for all terms. Therefore, a query with its
  /// own order or limit, and one that is a union itself, becomes a subquery.
  var asTerm: QueryClauses {
    order.isEmpty && limit == nil && unions.isEmpty && commonTables.isEmpty ? self : nested()
  }
}

extension QueryClauses.Join {
  fileprivate func write(to writer: inout SQLWriter) {
    writer.write(" \(type.rawValue) JOIN ")
    var condition = condition
    if query.isPlainTable {
      query.writeTable(to: &writer)
      // The order of a joined table has no meaning. Its filter becomes part of the condition.
      if let filter = query.filter { condition = .conjunction(condition, filter) }
    } else if query.subquery.isEmpty || !query.asJoinedSubquery {
      writer.write("(")
      var inner = query
      inner.source.alias = query.source.alias
      inner.write(to: &writer)
      writer.write(") AS \((query.source.alias ?? query.source.name).quote())")
    } else {
      query.writeSource(to: &writer)
    }
    writer.write(" ON ")
    writer.write(condition)
  }
}

extension QueryClauses {
  /// Whether the query only gives a name to another query.
  fileprivate var asJoinedSubquery: Bool {
    var outer = self
    outer.subquery = []
    return outer.isPlainTable && filter == nil && order.isEmpty
  }
}

extension QueryClauses.CommonTable {
  fileprivate func write(to writer: inout SQLWriter) {
    writer.write(name)
    if let columns {
      writer.write(" (")
      writer.writeList(columns)
      writer.write(")")
    }
    writer.write(" AS ")
    if let hint { writer.write("\(hint.rawValue) ") }
    writer.write("(")
    query.write(to: &writer)
    writer.write(")")
  }
}

extension SQLExpression where Datatype == Void {
  /// Returns the conjunction of two conditions.
  static func conjunction(_ lhs: SQLExpression, _ rhs: SQLExpression) -> SQLExpression {
    var writer = SQLWriter("(")
    writer.writeList([lhs, rhs], separator: " AND ")
    writer.write(")")
    return writer.expression()
  }
}
