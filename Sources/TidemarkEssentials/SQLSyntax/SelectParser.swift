/// Parses the text of a `SELECT` that SQLite has compiled: see `ParsedQuery`.
///
/// Invariants:
///
/// 1. It parses the whole text, or throws: it never overlooks a table.
/// 2. It does not resolve names.
struct SelectParser {
  /// Thrown for text that the parser does not support. The region then contains whole tables.
  struct UnsupportedSyntax: Error {}

  private let sql: String
  private let lexemes: [SQLLexeme]
  private var position = 0
  var depth = 0

  /// The subqueries in the expression that is being parsed.
  var nested = NestedReads()

  var mentions: ParsedQuery.Mentions

  init(_ sql: String, _ mentions: ParsedQuery.Mentions) throws {
    guard let lexemes = SQLLexeme.all(in: sql) else { throw UnsupportedSyntax() }
    (self.sql, self.lexemes, self.mentions) = (sql, lexemes, mentions)
  }

  /// Parses the whole text as one query.
  mutating func parseStatement() throws -> SelectSyntax {
    let query = try parseQuery()
    while takeSymbol(";") {}
    guard position == lexemes.count else { throw UnsupportedSyntax() }
    return query
  }

  /// Parses the query after the `AS` of a `CREATE VIEW`.
  mutating func parseView() throws -> SelectSyntax {
    try expect("CREATE")
    _ = take("TEMP") || take("TEMPORARY")
    try expect("VIEW")
    if take("IF") {
      try expect("NOT")
      try expect("EXISTS")
    }
    _ = try parseTableName()
    let names = try parseColumnNames()
    try expect("AS")
    var query = try parseStatement()
    query.columnNames = names
    return query
  }

  /// Parses names in parentheses, if there are any.
  private mutating func parseColumnNames() throws -> [String]? {
    guard takeSymbol("(") else { return nil }
    var names: [String] = []
    repeat { names.append(try parseName().asciiLowercased) } while takeSymbol(",")
    try expectSymbol(")")
    return names
  }

  // MARK: - Queries

  mutating func parseQuery() throws -> SelectSyntax {
    depth += 1
    defer { depth -= 1 }
    if depth > 60 { throw UnsupportedSyntax() }
    let outerNested = nested
    defer { nested = outerNested }
    var query = SelectSyntax()
    if take("WITH") {
      _ = take("RECURSIVE")
      repeat { query.commonTables.append(try parseCommonTable()) } while takeSymbol(",")
    }
    query.cores.append(try parseCore())
    while let keepsEachRow = takeCompoundOperator() {
      query.keepsEachRow = query.keepsEachRow && keepsEachRow
      query.cores.append(try parseCore())
    }
    nested = NestedReads()
    if take("ORDER") {
      try expect("BY")
      let start = position
      let callsFunctions = try callsFunctions { parser in
        (query.ordering, query.directions) = try parser.parseOrderingTerms()
      }
      query.orderingText = text(from: start)
      // With an aggregate in `ORDER BY`, the query returns one row.
      if callsFunctions { for index in query.cores.indices { query.cores[index].combinesRows = true } }
    }
    if take("LIMIT") {
      query.limit = try parseExpression()
      if take("OFFSET") {
        _ = try parseExpression()
      } else if takeSymbol(",") {
        // The first expression is the offset.
        query.limit = try parseExpression()
      }
    }
    query.nested = nested
    return query
  }

  private mutating func parseCommonTable() throws -> CommonTableSyntax {
    let name = try parseName()
    let columnNames = try parseColumnNames()
    try expect("AS")
    if take("NOT") {
      try expect("MATERIALIZED")
    } else {
      _ = take("MATERIALIZED")
    }
    try expectSymbol("(")
    var query = try parseQuery()
    query.columnNames = columnNames
    try expectSymbol(")")
    return CommonTableSyntax(name: name, query: query)
  }

  /// - Returns: Whether the operator is `UNION ALL`; nil if there is none.
  private mutating func takeCompoundOperator() -> Bool? {
    if take("UNION") { return take("ALL") }
    return take("EXCEPT") || take("INTERSECT") ? false : nil
  }

  private mutating func parseCore() throws -> SelectCore {
    var core = SelectCore()
    nested = NestedReads()
    if take("VALUES") {
      repeat {
        try expectSymbol("(")
        try parseExpressions()
        try expectSymbol(")")
      } while takeSymbol(",")
      core.nested = nested
      return core
    }
    var start = position
    try expect("SELECT")
    if take("DISTINCT") { core.showsEachRow = false }
    _ = take("ALL")
    core.countsRows = isAtCount
    core.combinesRows = try callsFunctions { parser in
      repeat { try parser.parseResultColumn(into: &core) } while parser.takeSymbol(",")
    }
    core.selectionText = text(from: start)
    start = position
    if take("FROM") {
      try parseSources(into: &core)
      core.sourceText = text(from: start)
    }
    if take("WHERE") {
      start = position
      core.condition = try parseExpression()
      core.conditionText = text(from: start)
    }
    if take("GROUP") {
      try expect("BY")
      try parseExpressions()
      core.showsEachRow = false
      core.combinesRows = true
      core.countsRows = false
    }
    if take("HAVING") {
      _ = try parseExpression()
      core.showsEachRow = false
      core.combinesRows = true
      core.countsRows = false
    }
    if isAtWindowClause {
      try expect("WINDOW")
      core.showsEachRow = false
      core.combinesRows = true
      repeat {
        _ = try parseName()
        try expect("AS")
        try expectSymbol("(")
        try skipGroup()
      } while takeSymbol(",")
    }
    core.nested = nested
    return core
  }

  /// Parses a part of the text.
  ///
  /// - Returns: Whether functions are called in it.
  private mutating func callsFunctions(_ parse: (inout SelectParser) throws -> Void) rethrows -> Bool {
    let outer = mentions.includeFunctions
    mentions.includeFunctions = false
    defer { mentions.includeFunctions = mentions.includeFunctions || outer }
    try parse(&self)
    return mentions.includeFunctions
  }

  /// Whether a `WINDOW` clause begins: the word alone may be a name.
  var isAtWindowClause: Bool {
    peek("WINDOW") && lexeme(1).map { $0.kind != .symbol } == true && lexeme(2)?.keyword == "AS"
  }

  /// Whether only `COUNT(*)` is selected.
  private var isAtCount: Bool {
    peek("COUNT") && peekSymbol("(", 1) && peekSymbol("*", 2) && peekSymbol(")", 3) && lexeme(4)?.keyword == "FROM"
  }

  /// Parses a result column.
  private mutating func parseResultColumn(into core: inout SelectCore) throws {
    if takeSymbol("*") {
      mentions.includeAllColumns = true
      core.results.append(.all(table: nil))
      return
    }
    // A name, a dot and a star.
    if let first = lexeme(0), first.kind != .symbol, lexeme(1)?.text == ".", lexeme(2)?.text == "*",
      lexeme(2)?.kind == .symbol
    {
      position += 3
      mentions.includeAllColumns = true
      core.results.append(.all(table: first.text.asciiLowercased))
      return
    }
    let expression = try parseExpression()
    if case .column = expression {} else { core.showsColumnsAlone = false }
    let alias = try parseAlias()?.asciiLowercased
    if let alias { core.aliases.insert(alias) }
    core.results.append(.expression(expression, alias: alias))
  }

  /// - Returns: The terms, and whether each one is descending: nil if it contains `NULLS FIRST` or `NULLS LAST`.
  @discardableResult
  mutating func parseOrderingTerms() throws -> (terms: [SelectExpression], directions: [Bool?]) {
    var terms: [SelectExpression] = []
    var directions: [Bool?] = []
    repeat {
      terms.append(try parseExpression())
      var isDescending: Bool? = take("DESC")
      if isDescending == false { _ = take("ASC") }
      if take("NULLS") {
        if !take("FIRST") { try expect("LAST") }
        isDescending = nil
      }
      directions.append(isDescending)
    } while takeSymbol(",")
    return (terms, directions)
  }

  mutating func parseExpressions() throws {
    repeat { _ = try parseExpression() } while takeSymbol(",")
  }

  /// Parses an alias, if there is one.
  mutating func parseAlias() throws -> String? {
    if take("AS") { return try parseName() }
    guard let next = lexeme(0), next.isName || next.kind == .text, !isAtWindowClause else { return nil }
    position += 1
    return next.text
  }

  // MARK: - Names

  mutating func parseName() throws -> String {
    guard let next = lexeme(0), next.isName || next.kind == .text else { throw UnsupportedSyntax() }
    position += 1
    return next.text
  }

  mutating func parseTableName() throws -> TableName {
    let name = try parseName()
    return takeSymbol(".") ? TableName(database: name, name: try parseName()) : TableName(name: name)
  }

  // MARK: - Tokens

  /// The token at an offset from here.
  func lexeme(_ distance: Int) -> SQLLexeme? {
    let index = position + distance
    return lexemes.indices.contains(index) ? lexemes[index] : nil
  }

  mutating func skip(_ count: Int) { position += count }

  /// The text from a token to the last one that was parsed, without the comments around it.
  private func text(from start: Int) -> Substring {
    sql[lexemes[start].range.lowerBound..<lexemes[position - 1].range.upperBound]
  }

  func peek(_ keyword: String) -> Bool { lexeme(0)?.keyword == keyword }

  func peekSymbol(_ symbol: String, _ distance: Int = 0) -> Bool {
    lexeme(distance).map { $0.kind == .symbol && $0.text == symbol } ?? false
  }

  mutating func take(_ keyword: String) -> Bool {
    guard peek(keyword) else { return false }
    position += 1
    return true
  }

  mutating func takeSymbol(_ symbol: String) -> Bool {
    guard peekSymbol(symbol) else { return false }
    position += 1
    return true
  }

  mutating func expect(_ keyword: String) throws {
    if !take(keyword) { throw UnsupportedSyntax() }
  }

  mutating func expectSymbol(_ symbol: String) throws {
    if !takeSymbol(symbol) { throw UnsupportedSyntax() }
  }

  /// Whether a query begins at an offset from here.
  func isAtQuery(_ distance: Int = 0) -> Bool {
    ["SELECT", "WITH", "VALUES"].contains(lexeme(distance)?.keyword)
  }

  /// Skips to the closing parenthesis of a group, and parses the subqueries in it.
  mutating func skipGroup() throws {
    depth += 1
    defer { depth -= 1 }
    if depth > 60 { throw UnsupportedSyntax() }
    while let next = lexeme(0) {
      if takeSymbol(")") { return }
      if takeSymbol("(") {
        if isAtQuery() {
          nested.queries.append(try parseQuery())
          try expectSymbol(")")
        } else {
          try skipGroup()
        }
        continue
      }
      // A table name may follow this word.
      if next.keyword == "IN", !peekSymbol("(", 1) { throw UnsupportedSyntax() }
      if next.kind == .parameter { mentions.parameters.append(next.text) }
      if next.isName { mentions.columnNames.append(next.text.asciiLowercased) }
      position += 1
    }
    throw UnsupportedSyntax()
  }
}

extension SQLLexeme {
  /// The keywords that cannot be used as names.
  private static let reserved: Set<String> = [
    "ADD", "ALL", "ALTER", "AND", "AS", "BETWEEN", "CASE", "CHECK", "COLLATE", "COMMIT", "CONSTRAINT", "CREATE",
    "CROSS", "DEFAULT", "DEFERRABLE", "DELETE", "DISTINCT", "DROP", "ELSE", "ESCAPE", "EXCEPT", "EXISTS", "FOREIGN",
    "FROM", "FULL", "GLOB", "GROUP", "HAVING", "IN", "INDEX", "INDEXED", "INNER", "INSERT", "INTERSECT", "INTO", "IS",
    "ISNULL", "JOIN", "LEFT", "LIKE", "LIMIT", "MATCH", "NATURAL", "NOT", "NOTHING", "NOTNULL", "NULL", "ON", "OR",
    "ORDER", "OUTER", "PRIMARY", "REFERENCES", "REGEXP", "RETURNING", "RIGHT", "SELECT", "SET", "TABLE", "THEN", "TO",
    "TRANSACTION", "UNION", "UNIQUE", "UPDATE", "USING", "VALUES", "WHEN", "WHERE",
  ]

  /// Whether the token may be a name.
  var isName: Bool {
    switch kind {
    case .name, .doubleQuoted: true
    case .word: !Self.reserved.contains(keyword)
    case .text, .blob, .number, .parameter, .symbol: false
    }
  }
}
