import CSQLite
import Foundation

@testable import TidemarkEssentials

/// The targets that read SQL.
let sqlTargets: [FuzzTarget] = [
  FuzzTarget("tokens", checkTokens),
  FuzzTarget("queries", checkQuery),
  FuzzTarget("observations", checkObservation),
  FuzzTarget("statements", checkStatements),
  FuzzTarget("patterns", maxLength: 128, checkPattern),
  FuzzTarget("full-text", maxLength: 128, checkFullText),
  FuzzTarget("schemas", maxLength: 256, checkSchema),
  FuzzTarget("names", maxLength: 128, checkNames),
]

/// A connection that compiles statements only.
private let compiler = Result { try BareSQLite(FuzzInput.schema) }

// MARK: - Tokens

/// The tokens of a text are parts of it, in order. In a statement that SQLite compiles, semicolons, parameters and
/// blank texts are those that SQLite finds.
private func checkTokens(_ input: inout FuzzInput) throws {
  let sql = input.sql()
  let tokens = try tokens(of: sql)
  let lexemes = SQLLexeme.all(in: sql)
  try checkRanges(lexemes?.map(\.range) ?? [], of: sql)
  _ = (sql.subqueryText, sql.trimmedSQLStatement, sql.asciiLowercased)
  // SQLite reads a text until its first NUL.
  guard !sql.utf8.contains(0), let compiled = try compiler.get().compile(sql) else { return }
  let end = sql.utf8.index(sql.startIndex, offsetBy: compiled.byteCount)
  let statement = String(sql[..<end])
  try require(
    SQLTokenizer.isBlank(statement[...]) == compiled.isBlank,
    "SQLite and the tokenizer disagree whether a text is blank: \(statement.debugDescription)")
  if compiled.isBlank { return }
  try require(SQLLexeme.all(in: statement) != nil, "SQLite compiles \(statement.debugDescription)")
  let semicolons = tokens.filter { $0.token == .semicolon }.map(\.range.upperBound)
  let isTrigger = tokens.contains { sql[$0.range].asciiUppercased == "TRIGGER" }
  let start = tokens.first { $0.token != .semicolon }?.range.lowerBound ?? sql.startIndex
  let first = semicolons.first { $0 > start }
  try require(
    isTrigger && semicolons.contains(end) || end == first
      || (first == nil || isTrigger) && SQLTokenizer.isBlank(sql[end...]),
    "SQLite ends the statement after \(statement.debugDescription)")
  try checkParameters(compiled, statement)
}

private func tokens(of sql: String) throws -> [(token: SQLTokenizer.Token, range: Range<String.Index>)] {
  var tokenizer = SQLTokenizer(sql)
  var tokens: [(token: SQLTokenizer.Token, range: Range<String.Index>)] = []
  while let token = tokenizer.next() { tokens.append((token, tokenizer.range)) }
  try checkRanges(tokens.map(\.range), of: sql)
  return tokens
}

/// Checks that ranges are in order, and not empty.
private func checkRanges(_ ranges: [Range<String.Index>], of sql: String) throws {
  var end = sql.startIndex
  for range in ranges {
    try require(!range.isEmpty && range.lowerBound >= end, "the tokens of \(sql.debugDescription) overlap")
    end = range.upperBound
  }
  try require(end <= sql.endIndex, "a token exceeds \(sql.debugDescription)")
}

private func checkParameters(_ compiled: BareSQLite.Compiled, _ statement: String) throws {
  let marks = try tokens(of: statement).filter { $0.token == .parameter }.map { String(statement[$0.range]) }
  // Of several spellings of a number, such as ?1 and ?01, SQLite knows one.
  let names = compiled.parameterNames
  try require(
    names.isSubset(of: marks) && Set(marks.filter { !$0.hasPrefix("?") }).isSubset(of: names),
    "parameters \(marks) of \(statement.debugDescription): SQLite has \(names)")
  // Names count as positions if their values have none. Numbers that are mixed with names are not compared.
  guard compiled.parameterCount < 1000 else { return }
  let hasNumbers = marks.contains { $0.count > 1 && $0.hasPrefix("?") }
  if hasNumbers && !marks.allSatisfy({ $0.hasPrefix("?") }) { return }
  let values = [DatabaseValue](repeating: .null, count: compiled.parameterCount + 1)
  let check = ArgumentCheck(statement)
  let isFitting = isValid(check, values.dropLast())
  try require(
    isFitting && !isValid(check, values[...]),
    "SQLite has \(compiled.parameterCount) parameters in \(statement.debugDescription)")
}

private func isValid(_ check: ArgumentCheck, _ values: ArraySlice<DatabaseValue>) -> Bool {
  do {
    try check.validate(StatementArguments(values))
    return true
  } catch {
    return false
  }
}

// MARK: - Queries

/// A query that has a tree mentions each table that SQLite reads (`SelectParser`, invariant 1).
private func checkQuery(_ input: inout FuzzInput) throws {
  let sql = input.sql()
  _ = ParsedQuery(view: sql, after: ParsedQuery.Mentions())
  guard let query = ParsedQuery(sql) else { return }
  guard !sql.utf8.contains(0), let compiled = try compiler.get().compile(sql) else { return }
  let rest = String(sql.utf8.dropFirst(compiled.byteCount)) ?? ""
  guard compiled.isReadOnly, !compiled.isBlank, SQLTokenizer.isBlank(rest[...]) else { return }
  let mentioned = query.syntax.tableNames
  // Tables of SQLite itself are read by table-valued functions.
  let missing = compiled.readTables.subtracting(mentioned).filter { !$0.hasPrefix("sqlite_") }
  try require(missing.isEmpty, "the tree of \(sql.debugDescription) lacks the tables \(missing.sorted())")
}

extension SelectSyntax {
  /// The names of all tables in the query and in its subqueries, in lower case.
  fileprivate var tableNames: Set<String> {
    var names = nested.tableNames
    for table in commonTables { names.formUnion(table.query.tableNames) }
    for core in cores {
      names.formUnion(core.nested.tableNames)
      for source in core.sources {
        switch source.content {
        case .table(let table), .function(let table): names.insert(table.name.lowercased())
        case .query(let query): names.formUnion(query.tableNames)
        }
      }
    }
    return names
  }
}

extension NestedReads {
  fileprivate var tableNames: Set<String> {
    queries.reduce(into: Set(tables.map { $0.name.lowercased() })) { $0.formUnion($1.tableNames) }
  }
}
