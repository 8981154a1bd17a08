import StressSupport

// Conditions and values.
extension QueryGenerator {
  /// Returns a column of the query, or of an enclosing one.
  mutating func column(_ scope: ShapeScope) -> String {
    var level = 0
    while level + 1 < scope.count, choices.chance(30) { level += 1 }
    if level > 0 { shapes.insert(.correlatedSubquery) }
    let source = choices.pick(scope[level])
    if source.hasRowID, choices.chance(6) { return with(.rowID, "\(source.name).rowid") }
    let name = choices.pick(source.columns)
    let isUnique = level == 0 && scope[0].count { $0.columns.contains(name) } == 1
    let sql = choices.chance(4) ? with(.otherCase, name.uppercased().quotedAsName) : name.quotedAsName
    return isUnique && choices.chance(40) ? sql : "\(source.name).\(sql)"
  }

  /// Returns a literal or a parameter.
  mutating func constant() -> String {
    let constant = choices.constant()
    guard allowsParameters, choices.chance(40) else { return constant.literal }
    arguments.append(constant.value)
    return with(.parameter, "?\(arguments.count)")
  }

  // MARK: - Conditions

  mutating func condition(depth: Int, _ scope: ShapeScope) -> String {
    if depth > 0, choices.chance(45) { return compoundCondition(depth: depth - 1, scope) }
    if choices.chance(20), let table = scope[0].first(where: \.isFullText) { return match(table) }
    let column = column(scope)
    switch choices.below(100) {
    case 0..<25: return with(.equality, "\(column) = \(constant())")
    case 25..<34: return with(.inequality, "\(column) \(choices.pick(["<", ">", "<=", ">=", "<>"])) \(constant())")
    case 34..<36: return with(.inequality, "\(constant()) \(choices.pick(["<", ">"])) \(column)")
    case 36..<48: return with(.columnEquality, "\(column) = \(self.column(scope))")
    case 48..<56:
      let list = (0..<1 + choices.below(3)).map { _ in constant() }.joined(separator: ", ")
      return with(.inList, "\(column) \(choices.pick(["", "", "NOT "]))IN (\(list))")
    case 56..<61: return with(.between, "\(column) BETWEEN \(constant()) AND \(constant())")
    case 61..<65: return with(.isNull, "\(column) IS \(choices.pick(["", "NOT "]))NULL")
    case 65..<69:
      let operation = choices.pick(["IS", "IS NOT", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
      return with(.isOperator, "\(column) \(operation) \(choices.chance(60) ? constant() : self.column(scope))")
    case 69..<72: return with(.like, "\(column) LIKE \(choices.pick(["'a%'", "'%1%'", "'A'", "'1_' ESCAPE 'x'"]))")
    case 72..<75: return with(.glob, "\(column) GLOB \(choices.pick(["'a*'", "'[0-2]*'", "'*b'"]))")
    case 75..<80:
      let operation = choices.pick(["+", "-", "*", "%"])
      return with(.arithmetic, "\(column) \(operation) \(constant()) \(choices.pick(["=", "<", ">"])) \(constant())")
    case 80..<84:
      let function = function(["lower", "upper", "length", "typeof"])
      return with(.function, "\(function)(\(column)) \(choices.pick(["=", "<", ">"])) \(constant())")
    case 84..<88: return with(.collation, "\(column) = \(constant()) COLLATE \(collation())")
    case 88..<92: return rowValueCondition(column, scope)
    case 92, 93:
      let list = "(\(column), \(self.column(scope)))"
      if choices.chance(60) { return with(.inColumns, "\(constant()) IN \(list)") }
      return with(.inColumns, "\(constant()) BETWEEN \(column) AND \(self.column(scope))")
    default: return "\(scalar(depth: 1, scope)) \(choices.pick(["=", "<", ">"])) \(scalar(depth: 0, scope))"
    }
  }

  private mutating func collation() -> String {
    choices.chance(25) ? with(.customCollation, "FOLDED") : choices.pick(["NOCASE", "BINARY", "RTRIM"])
  }

  /// Returns the name of a function with one argument.
  private mutating func function(_ names: [String]) -> String {
    choices.chance(30) ? with(.customFunction, choices.pick(["twice", "twice_again"])) : choices.pick(names)
  }

  private mutating func match(_ source: ShapeSource) -> String {
    with(
      .match, "\(source.name).\(choices.pick(["a", "b"])) MATCH \(choices.pick(["'a'", "'b'", "'b OR c'", "'a b'"]))")
  }

  private mutating func rowValueCondition(_ column: String, _ scope: ShapeScope) -> String {
    let row = "(\(column), \(self.column(scope)))"
    if choices.chance(50) {
      let operation = choices.pick(["=", "<", ">", "<=", ">=", "<>", "IS"])
      return with(.rowValue, "\(row) \(operation) (\(constant()), \(constant()))")
    }
    return with(.rowValue, "\(row) IN (VALUES (\(constant()), \(constant())), (\(constant()), \(constant())))")
  }

  private mutating func compoundCondition(depth: Int, _ scope: ShapeScope) -> String {
    switch choices.below(60) {
    case 0..<18: return "(\(condition(depth: depth, scope)) AND \(condition(depth: depth, scope)))"
    case 18..<27: return with(.or, "(\(condition(depth: depth, scope)) OR \(condition(depth: depth, scope)))")
    case 27..<32: return with(.not, "NOT (\(condition(depth: depth, scope)))")
    case 32..<42: return existence(depth: depth, scope)
    case 42..<52: return membership(depth: depth, scope)
    default:
      let operation = choices.pick(["=", "<", ">", "IS", "<>"])
      return "\(column(scope)) \(operation) \(scalarSubquery(depth: depth, scope))"
    }
  }

  private mutating func existence(depth: Int, _ scope: ShapeScope) -> String {
    let isNegated = choices.chance(40)
    let from = from(depth: depth, scope: scope, maxCount: choices.chance(25) ? 2 : 1)
    let inner = [from.sources] + scope
    var condition = condition(depth: depth, inner)
    if choices.chance(70) {
      shapes.insert(.correlatedSubquery)
      let link = "\(column([from.sources])) = \(column(scope))"
      condition = choices.chance(50) ? "\(link) AND \(condition)" : link
    }
    let sql = "EXISTS (SELECT \(choices.pick(["1", "*"])) FROM \(from.sql) WHERE \(condition))"
    return isNegated ? with(.notExists, "NOT \(sql)") : with(.exists, sql)
  }

  private mutating func membership(depth: Int, _ scope: ShapeScope) -> String {
    let isNegated = choices.chance(30)
    let views = tables.filter { $0.kind == .view && $0.columns.count == 1 }
    if !views.isEmpty, choices.chance(30) {
      let view = choices.pick(views)
      read(view)
      return with(.inTable, "\(column(scope)) \(isNegated ? "NOT " : "")IN \(view.sql)")
    }
    let count = choices.chance(15) ? 2 : 1
    let left = count == 1 ? column(scope) : with(.rowValue, "(\(column(scope)), \(column(scope)))")
    let selection = select(depth: depth, columnCount: count, scope: scope)
    let sql = "IN (\(selection.sql))"
    return isNegated ? with(.notInSubquery, "\(left) NOT \(sql)") : with(.inSubquery, "\(left) \(sql)")
  }

  // MARK: - Values

  mutating func scalar(depth: Int, _ scope: ShapeScope) -> String {
    if depth <= 0 { return choices.chance(75) ? column(scope) : constant() }
    let inner = depth - 1
    switch choices.below(20) {
    case 0..<5: return column(scope)
    case 5..<9:
      let operation = choices.pick(["+", "-", "*", "%", "||"])
      return with(.arithmetic, "(\(scalar(depth: inner, scope)) \(operation) \(scalar(depth: inner, scope)))")
    case 9..<11:
      let function = function(["lower", "upper", "length", "typeof", "hex", "quote", "abs", "trim", "unicode", "sign"])
      return with(.function, "\(function)(\(scalar(depth: inner, scope)))")
    case 11:
      let function = choices.pick(["coalesce", "coalesce", "nullif", "max", "min", "instr", "substr"])
      return with(.function, "\(function)(\(column(scope)), \(scalar(depth: inner, scope)))")
    case 17:
      let array = "json_array(CAST(\(column(scope)) AS TEXT), CAST(\(scalar(depth: inner, scope)) AS TEXT))"
      return with(.jsonOperator, "(\(array) \(choices.pick(["->", "->>"])) \(choices.pick(["0", "1", "'$[#-1]'"])))")
    case 12, 13:
      let values = "THEN \(scalar(depth: inner, scope)) ELSE \(scalar(depth: inner, scope))"
      return with(.caseExpression, "CASE WHEN \(condition(depth: inner, scope)) \(values) END")
    case 14:
      return with(.cast, "CAST(\(column(scope)) AS \(choices.pick(["INTEGER", "TEXT", "REAL", "NUMERIC"])))")
    case 15: return with(.collation, "(\(column(scope)) COLLATE \(collation()))")
    case 16: return "(\(condition(depth: inner, scope)))"
    default: return scalarSubquery(depth: inner, scope)
    }
  }

  private mutating func scalarSubquery(depth: Int, _ scope: ShapeScope) -> String {
    let from = from(depth: depth, scope: scope, maxCount: choices.chance(20) ? 2 : 1)
    let inner = [from.sources] + scope
    let isAggregate = choices.chance(60)
    let value = isAggregate ? aggregate([from.sources]) : column([from.sources])
    var sql = "SELECT \(value) FROM \(from.sql)"
    if choices.chance(85) { sql += " WHERE \(condition(depth: depth, inner))" }
    // Without a complete order, SQLite may choose any row.
    if !isAggregate { sql += " ORDER BY \(column([from.sources])), 1 LIMIT 1" }
    return with(.scalarSubquery, "(\(sql))")
  }
}
