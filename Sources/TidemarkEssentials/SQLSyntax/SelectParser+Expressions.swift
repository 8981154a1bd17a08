// Expressions, by the precedence of SQLite's operators.

extension SelectParser {
  /// The precedence of operators, from the lowest on.
  private enum Precedence {
    static let or = 1
    static let and = 2
    static let not = 3
    static let equality = 4
    static let order = 5
    static let bits = 7
    static let sum = 8
    static let product = 9
    static let concatenation = 10
    static let collate = 11
    static let sign = 12
  }

  mutating func parseExpression() throws -> SelectExpression { try parseExpression(Precedence.or) }

  private mutating func parseExpression(_ minimum: Int) throws -> SelectExpression {
    depth += 1
    defer { depth -= 1 }
    if depth > 200 { throw UnsupportedSyntax() }
    var result = try parsePrefix()
    var operatorCount = 0
    while let next = lexeme(0), let joined = try parseInfix(next, result, minimum) {
      result = joined
      operatorCount += 1
      // The depth of an expression that SQLite accepts by default.
      if operatorCount > 1000 { throw UnsupportedSyntax() }
    }
    return result
  }

  // MARK: - Infix and postfix operators

  /// Parses an operator after its left operand; returns nil if none with sufficient precedence follows.
  private mutating func parseInfix(
    _ next: SQLLexeme, _ left: SelectExpression, _ minimum: Int
  ) throws -> SelectExpression? {
    if next.kind == .symbol { return try parseSymbolOperator(next.text, left, minimum) }
    guard next.kind == .word else { return nil }
    switch next.keyword {
    case "OR" where minimum <= Precedence.or:
      skip(1)
      let right = try parseExpression(Precedence.or + 1)
      if case .or(let arms) = left { return .or(arms + [right]) }
      return .or([left, right])
    case "AND" where minimum <= Precedence.and:
      skip(1)
      let right = try parseExpression(Precedence.and + 1)
      if case .and(let terms) = left { return .and(terms + [right]) }
      return .and([left, right])
    case "COLLATE" where minimum <= Precedence.collate:
      skip(1)
      return .collated(left, collation: try parseName())
    case _ where minimum <= Precedence.equality:
      return try parseTest(next.keyword, left)
    default:
      return nil
    }
  }

  private mutating func parseSymbolOperator(
    _ symbol: String, _ left: SelectExpression, _ minimum: Int
  ) throws -> SelectExpression? {
    let comparisons: [String: (ValueComparison, Int)] = [
      "=": (.equal, Precedence.equality), "==": (.equal, Precedence.equality),
      "<>": (.different, Precedence.equality), "!=": (.different, Precedence.equality),
      "<": (.less, Precedence.order), "<=": (.lessOrEqual, Precedence.order),
      ">": (.greater, Precedence.order), ">=": (.greaterOrEqual, Precedence.order),
    ]
    if let (comparison, precedence) = comparisons[symbol] {
      if precedence < minimum { return nil }
      skip(1)
      return .comparing(left, comparison, try parseExpression(precedence + 1))
    }
    let others = [
      "&": Precedence.bits, "|": Precedence.bits, "<<": Precedence.bits, ">>": Precedence.bits,
      "+": Precedence.sum, "-": Precedence.sum, "*": Precedence.product, "/": Precedence.product,
      "%": Precedence.product, "||": Precedence.concatenation, "->": Precedence.concatenation,
      "->>": Precedence.concatenation,
    ]
    guard let precedence = others[symbol], precedence >= minimum else { return nil }
    skip(1)
    let right = try parseExpression(precedence + 1)
    return RowFormula.ArithmeticOperation(rawValue: symbol).map { .arithmetic($0, left, right) } ?? .opaque
  }

  /// `IS`, `IN`, `BETWEEN`, `LIKE` and similar operators.
  private mutating func parseTest(_ keyword: String, _ left: SelectExpression) throws -> SelectExpression? {
    switch keyword {
    case "ISNULL":
      skip(1)
      return .comparison(.identical, left, .constant(.null))
    case "NOTNULL":
      skip(1)
      return .comparison(.notIdentical, left, .constant(.null))
    case "IS":
      skip(1)
      return try parseIdentity(left)
    case "NOT":
      switch lexeme(1)?.keyword {
      case "NULL":
        skip(2)
        return .comparison(.notIdentical, left, .constant(.null))
      case "IN", "BETWEEN", "LIKE", "GLOB", "REGEXP", "MATCH":
        skip(1)
        return try parseTest(lexeme(0)?.keyword ?? "", left).map { .not($0) }
      default:
        throw UnsupportedSyntax()
      }
    case "IN":
      skip(1)
      return try parseMembership(left)
    case "BETWEEN":
      skip(1)
      let lower = try parseExpression(Precedence.not)
      try expect("AND")
      let upper = try parseExpression(Precedence.order)
      return .and([.comparing(left, .greaterOrEqual, lower), .comparing(left, .lessOrEqual, upper)])
    case "LIKE", "GLOB", "REGEXP", "MATCH":
      // These are functions of the program, or of a module.
      if keyword == "REGEXP" || keyword == "MATCH" { mentions.includeFunctions = true }
      skip(1)
      let pattern = try parseExpression(Precedence.order)
      if take("ESCAPE") {
        _ = try parseExpression(Precedence.order)
        return .opaque
      }
      return TextPattern(rawValue: keyword.asciiLowercased).map { .pattern($0, left, pattern) } ?? .opaque
    default:
      return nil
    }
  }

  /// Parses the text after `IS`.
  private mutating func parseIdentity(_ left: SelectExpression) throws -> SelectExpression {
    var comparison = take("NOT") ? ValueComparison.notIdentical : .identical
    if peek("DISTINCT"), lexeme(1)?.keyword == "FROM" {
      skip(2)
      comparison = comparison == .identical ? .notIdentical : .identical
    }
    return .comparing(left, comparison, try parseExpression(Precedence.order))
  }

  /// Parses the text after `IN`.
  private mutating func parseMembership(_ left: SelectExpression) throws -> SelectExpression {
    guard takeSymbol("(") else {
      let table = try parseTableName()
      // A table-valued function has arguments.
      if peekSymbol("(") { throw UnsupportedSyntax() }
      nested.tables.append(table)
      mentions.includeAllColumns = true
      return .opaque
    }
    if takeSymbol(")") { return .membership(left, []) }
    if isAtQuery() { return .memberOf(left, try parseSubquery()) }
    var elements: [SelectExpression] = []
    repeat { elements.append(try parseExpression()) } while takeSymbol(",")
    try expectSymbol(")")
    return .member(left, of: elements)
  }

  /// Parses a query and the parenthesis after it.
  ///
  /// - Returns: Its number in `nested`.
  private mutating func parseSubquery() throws -> Int {
    let query = try parseQuery()
    nested.queries.append(query)
    try expectSymbol(")")
    return nested.queries.count - 1
  }

  // MARK: - Operands

  private mutating func parsePrefix() throws -> SelectExpression {
    guard let next = lexeme(0) else { throw UnsupportedSyntax() }
    switch next.kind {
    case .number:
      skip(1)
      return .constant(.number(next.text))
    case .text where peekSymbol(".", 1):
      return try parseNameOrFunction(next)
    case .text:
      skip(1)
      return .constant(.text(next.text))
    case .blob:
      skip(1)
      return .constant(.blob(next.text))
    case .parameter:
      skip(1)
      mentions.parameters.append(next.text)
      return .constant(.parameter(mention: mentions.parameters.count - 1))
    case .symbol:
      return try parseSymbolPrefix(next.text)
    case .name, .doubleQuoted, .word:
      return try parseWordPrefix(next)
    }
  }

  private mutating func parseSymbolPrefix(_ symbol: String) throws -> SelectExpression {
    skip(1)
    switch symbol {
    case "(":
      if isAtQuery() { return .scalar(try parseSubquery()) }
      var elements = [try parseExpression()]
      while takeSymbol(",") { elements.append(try parseExpression()) }
      try expectSymbol(")")
      return elements.count == 1 ? elements[0] : .row(elements)
    case "-":
      let operand = try parseExpression(Precedence.sign)
      if case .constant(.number(let text)) = operand, !text.hasPrefix("-") { return .constant(.number("-" + text)) }
      return .arithmetic(.difference, .constant(.number("0")), operand)
    case "+":
      let operand = try parseExpression(Precedence.sign)
      // It removes the affinity of a column: a number remains the same.
      return .arithmetic(.sum, operand, .constant(.number("0")))
    case "~":
      _ = try parseExpression(Precedence.sign)
      return .opaque
    default:
      throw UnsupportedSyntax()
    }
  }

  private mutating func parseWordPrefix(_ next: SQLLexeme) throws -> SelectExpression {
    switch next.keyword {
    case "NULL":
      skip(1)
      return .constant(.null)
    case "NOT":
      skip(1)
      return .not(try parseExpression(Precedence.not))
    case "EXISTS":
      skip(1)
      try expectSymbol("(")
      return .exists(try parseSubquery())
    case "CASE":
      skip(1)
      try parseCase()
      return .opaque
    case "CAST" where peekSymbol("(", 1):
      skip(2)
      _ = try parseExpression()
      try expect("AS")
      try skipGroup()
      return .opaque
    default:
      return try parseNameOrFunction(next)
    }
  }

  private mutating func parseCase() throws {
    if !peek("WHEN") { _ = try parseExpression() }
    while take("WHEN") {
      _ = try parseExpression()
      try expect("THEN")
      _ = try parseExpression()
    }
    if take("ELSE") { _ = try parseExpression() }
    try expect("END")
  }

  private mutating func parseNameOrFunction(_ next: SQLLexeme) throws -> SelectExpression {
    // Operator keywords may also be function names.
    let isFunction = peekSymbol("(", 1)
    guard next.isName || next.kind == .text || (isFunction && next.kind == .word) else { throw UnsupportedSyntax() }
    skip(1)
    if isFunction { return try parseCall(of: next.text.asciiLowercased) }
    var names = [next.text]
    while peekSymbol(".") {
      skip(1)
      names.append(try parseName())
    }
    guard names.count <= 3, let name = names.last else { throw UnsupportedSyntax() }
    mentions.columnNames.append(name.asciiLowercased)
    return .column(
      ColumnReference(
        database: names.count == 3 ? names[0] : nil, table: names.count >= 2 ? names[names.count - 2] : nil,
        name: name, number: mentions.columnNames.count - 1))
  }

  /// The arguments of a function, its filter and its window.
  private mutating func parseCall(of name: String) throws -> SelectExpression {
    mentions.includeFunctions = true
    try expectSymbol("(")
    var argument: SelectExpression?
    if !takeSymbol("*"), !peekSymbol(")") {
      let isPlain = !(take("DISTINCT") || take("ALL"))
      let first = try parseExpression()
      if isPlain, peekSymbol(")") { argument = first }
      if takeSymbol(",") { try parseExpressions() }
      if take("ORDER") {
        try expect("BY")
        try parseOrderingTerms()
      }
    }
    try expectSymbol(")")
    if peek("FILTER"), peekSymbol("(", 1) {
      skip(2)
      try expect("WHERE")
      _ = try parseExpression()
      try expectSymbol(")")
      argument = nil
    }
    guard peek("OVER") else { return argument.map { .call(name, $0) } ?? .opaque }
    if peekSymbol("(", 1) {
      skip(2)
      try skipGroup()
    } else if lexeme(1)?.isName == true {
      skip(2)
    }
    return .opaque
  }
}
