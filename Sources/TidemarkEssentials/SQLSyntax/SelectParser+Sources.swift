// The tables and subqueries of a `FROM` clause, and their joins.

extension SelectParser {
  mutating func parseSources(into core: inout SelectCore) throws {
    try parseSource(into: &core, JoinOperator())
    while let join = try parseJoin() { try parseSource(into: &core, join) }
    // NULL may replace anything to the left of such a join.
    if core.mayExtendLeftSide {
      for index in core.sources.indices {
        core.sources[index].isNullable = true
        core.sources[index].joinCondition = nil
      }
    }
  }

  private struct JoinOperator {
    var isLeft = false
    var isRight = false
    var isNatural = false
  }

  /// The join operator before a source, if there is one.
  private mutating func parseJoin() throws -> JoinOperator? {
    if takeSymbol(",") { return JoinOperator() }
    var join = JoinOperator()
    var hasWord = false
    while let word = lexeme(0)?.keyword {
      switch word {
      case "NATURAL": join.isNatural = true
      case "LEFT": join.isLeft = true
      case "RIGHT": join.isRight = true
      case "FULL": (join.isLeft, join.isRight) = (true, true)
      case "OUTER", "INNER", "CROSS": break
      case "JOIN":
        skip(1)
        return join
      default:
        if hasWord { throw UnsupportedSyntax() }
        return nil
      }
      hasWord = true
      skip(1)
    }
    if hasWord { throw UnsupportedSyntax() }
    return nil
  }

  private mutating func parseSource(into core: inout SelectCore, _ join: JoinOperator) throws {
    depth += 1
    defer { depth -= 1 }
    if depth > 60 { throw UnsupportedSyntax() }
    if join.isNatural {
      core.isNatural = true
      mentions.includeAllColumns = true
    }
    if join.isRight { core.mayExtendLeftSide = true }
    let first = core.sources.count
    if peekSymbol("("), !isAtQuery(1) {
      skip(1)
      try parseGroup(into: &core)
    } else {
      core.sources.append(try parseSingleSource())
    }
    var sharedNames: [String] = []
    let condition = try parseConstraint(into: &core, &sharedNames)
    if core.sources.count == first + 1 {
      core.sources[first].isNatural = join.isNatural
      core.sources[first].sharedNames = sharedNames
    } else if join.isNatural || !sharedNames.isEmpty {
      core.mergesColumnsOfGroups = true
    }
    if join.isLeft {
      for index in first..<core.sources.count { core.sources[index].isNullable = true }
    }
    // In a group, the condition may concern several tables.
    guard core.sources.count == first + 1, !join.isRight else { return }
    core.sources[first].joinCondition = condition
    core.sources[first].isJoinConditionGlobal = !join.isLeft
  }

  /// Parses joins in parentheses. Only the subqueries in their conditions are used.
  private mutating func parseGroup(into core: inout SelectCore) throws {
    var group = SelectCore()
    try parseSources(into: &group)
    try expectSymbol(")")
    // A group with an alias is a subquery.
    if peek("AS") || lexeme(0)?.isName == true || lexeme(0)?.kind == .text { throw UnsupportedSyntax() }
    for var source in group.sources {
      source.joinCondition = nil
      if source.isNatural || !source.sharedNames.isEmpty { core.mergesColumnsOfGroups = true }
      (source.isNatural, source.sharedNames) = (false, [])
      core.sources.append(source)
    }
    if group.mergesColumnsOfGroups { core.mergesColumnsOfGroups = true }
    core.isNatural = core.isNatural || group.isNatural
    core.sharedNames.formUnion(group.sharedNames)
    if group.mayExtendLeftSide { core.mayExtendLeftSide = true }
  }

  private mutating func parseSingleSource() throws -> SelectSource {
    if takeSymbol("(") {
      let query = try parseQuery()
      try expectSymbol(")")
      return SelectSource(content: .query(query), alias: try parseAlias())
    }
    let table = try parseTableName()
    if takeSymbol("(") {
      if !takeSymbol(")") {
        try parseExpressions()
        try expectSymbol(")")
      }
      return SelectSource(content: .function(table), alias: try parseAlias())
    }
    var source = SelectSource(content: .table(table), alias: try parseAlias())
    if take("INDEXED") {
      try expect("BY")
      _ = try parseName()
      source.hasIndexHint = true
    } else if peek("NOT"), lexeme(1)?.keyword == "INDEXED" {
      skip(2)
      source.hasIndexHint = true
    }
    return source
  }

  /// Parses the join constraint after a source, if there is one.
  private mutating func parseConstraint(
    into core: inout SelectCore, _ sharedNames: inout [String]
  ) throws -> SelectExpression? {
    if take("ON") { return try parseExpression() }
    if take("USING") {
      try expectSymbol("(")
      repeat {
        let name = try parseName().asciiLowercased
        core.sharedNames.insert(name)
        sharedNames.append(name)
        mentions.columnNames.append(name)
      } while takeSymbol(",")
      try expectSymbol(")")
    }
    return nil
  }
}
