import Foundation

@testable import TidemarkEssentials

private let oracle = Result { try BareSQLite() }

// MARK: - LIKE and GLOB

/// A pattern has the result that SQLite has, or an unknown one.
func checkPattern(_ input: inout FuzzInput) throws {
  let isGlob = input.bool()
  let pattern = input.bool() ? input.value() : input.patternText().databaseValue
  let value = input.bool() ? input.value() : input.patternText().databaseValue
  let operation: TextPattern = isGlob ? .glob : .like
  let outcome = operation.outcome(value, matching: pattern)
  let sql = isGlob ? "SELECT ?1 GLOB ?2" : "SELECT ?1 LIKE ?2"
  let expected = try oracle.get().value(sql, [value, pattern])
  switch outcome {
  case .unknown: break
  case .null:
    try require(expected?.isNull == true, "\(value) \(operation) \(pattern): SQLite returns \(expected as Any)")
  case .integer(let integer):
    try require(
      expected == integer.databaseValue, "\(value) \(operation) \(pattern) is \(integer), not \(expected as Any)")
  default: throw FuzzFailure("\(value) \(operation) \(pattern) is \(outcome)")
  }
}

extension FuzzInput {
  /// A text of few different characters, so that patterns match.
  fileprivate mutating func patternText() -> String {
    let alphabet = [
      "a", "b", "A", "%", "_", "*", "?", "é", "É", "\u{1F600}", "e\u{301}", "\u{301}", "[", "]", "\\", "ss",
    ]
    return part().map { alphabet[Int($0) % alphabet.count] }.joined()
  }
}

// MARK: - Full-text patterns

/// No pattern is accepted that a search in a table refuses, and each failable initializer makes an accepted one.
func checkFullText(_ input: inout FuzzInput) throws {
  let isFTS5 = input.bool()
  let kind = input.choice(6)
  let text = input.bool() ? input.fullTextPattern() : input.restText()
  let pattern = isFTS5 ? try fts5Pattern(kind, text) : try fts3Pattern(kind, text)
  guard let pattern else { return }
  let table = isFTS5 ? "f5" : "f3"
  try searched.get().inDatabase { db in
    do {
      _ = try Int.fetchAll(db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ?", arguments: [pattern])
    } catch {
      throw FuzzFailure("\(pattern.debugDescription) was accepted for \(table): \(error)")
    }
  }
}

private func fts5Pattern(_ kind: Int, _ text: String) throws -> String? {
  switch kind {
  case 0: FTS5Pattern(matchingAnyTokenIn: text)?.rawPattern
  case 1: FTS5Pattern(matchingAllTokensIn: text)?.rawPattern
  case 2: FTS5Pattern(matchingAllPrefixesIn: text)?.rawPattern
  case 3: FTS5Pattern(matchingPhrase: text)?.rawPattern
  case 4: FTS5Pattern(matchingPrefixPhrase: text)?.rawPattern
  default: try accepted { try FTS5Pattern(rawPattern: text, allowedColumns: ["title", "body"]).rawPattern }
  }
}

private func fts3Pattern(_ kind: Int, _ text: String) throws -> String? {
  switch kind {
  case 0: FTS3Pattern(matchingAnyTokenIn: text)?.rawPattern
  case 1: FTS3Pattern(matchingAllTokensIn: text)?.rawPattern
  case 2: FTS3Pattern(matchingAllPrefixesIn: text)?.rawPattern
  case 3: FTS3Pattern(matchingPhrase: text)?.rawPattern
  default: try accepted { try FTS3Pattern(rawPattern: text).rawPattern }
  }
}

/// Returns nil for a pattern that is refused by an error of SQLite.
private func accepted(_ pattern: () throws -> String) throws -> String? {
  do {
    return try pattern()
  } catch is DatabaseError {
    return nil
  }
}

private let searched = Result {
  let dbQueue = try DatabaseQueue()
  try dbQueue.write { db in
    // Patterns of FTS3 are checked without the names of columns.
    for (table, module, columns) in [("f3", "fts3", "column_1, column_2"), ("f5", "fts5", "title, body")] {
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE \(table) USING \(module)(\(columns));
          INSERT INTO \(table) VALUES ('quick fox', 'a b c'), ('lazy é dog', 'title: "x" AND y')
          """)
    }
  }
  return dbQueue
}

extension FuzzInput {
  fileprivate mutating func fullTextPattern() -> String {
    let tokens = [
      "a", "quick", "\"", "\"a b\"", "*", "^", "+", "(", ")", "{", "}", ":", "-", " ", " AND ", " OR ", " NOT ",
      "NEAR", "NEAR(", ", 2)", "NEAR/3 ", "title", "title:", "- {title body} : ", "é", "'", "\0", "1", ",", "a*",
    ]
    return rest().map { tokens[Int($0) % tokens.count] }.joined()
  }
}

// MARK: - Names and literals

/// A quoted name or a printed literal is read as the same name or value.
func checkNames(_ input: inout FuzzInput) throws {
  let table = "t" + input.textWithoutNUL()
  let column = input.textWithoutNUL()
  let value = input.value()
  try namesQueue.get().inDatabase { db in
    try db.inSavepoint {
      try checkNames(table, column, value, db)
      return .rollback
    }
  }
  try checkLiterals(value)
}

private let namesQueue = Result { try DatabaseQueue() }

private func checkNames(_ table: String, _ column: String, _ value: DatabaseValue, _ db: Database) throws {
  try db.create(table: table) { $0.column(column) }
  try db.execute(literal: "INSERT INTO \(identifier: table) (\(identifier: column)) VALUES (\(value))")
  let read = try DatabaseValue.fetchOne(db, Table(table).select(Column(column)))
  try require(read == value || value.isNull && read == nil, "\(value) in \(table).\(column) is \(read as Any)")
  try require(try db.tableExists(table), "table \(table.debugDescription) does not exist")
  try require(
    try db.columns(in: table).map(\.name) == [column],
    "table \(table.debugDescription) lacks column \(column.debugDescription)")
  let region = try db.makeStatement(sql: "SELECT * FROM \(table.quotedDatabaseIdentifier)").databaseRegion
  try require(!region.isEmpty && !region.isFullDatabase, "the region of \(table.debugDescription) is \(region)")
  _ = try db.indexes(on: table)
  _ = try db.primaryKey(table)
  _ = try db.foreignKeys(on: table)
  try db.create(index: "i" + column, on: table, columns: [column])
  try db.drop(table: table)
}

private func checkLiterals(_ value: DatabaseValue) throws {
  let stream = TextStream()
  try namesQueue.get().inDatabase { db in
    try db.dumpSQL("SELECT \(value)", format: .quote(), to: stream)
  }
  let printed = stream.text.hasSuffix("\n") ? String(stream.text.dropLast()) : stream.text
  let read = try oracle.get().value("SELECT \(printed)", [])
  // Before SQLite 3.43, the last digit of a number may be lost.
  if case .double(let double) = value.storage, case .double(let other)? = read?.storage, double.isFinite {
    return try require(abs(double - other) <= abs(double) * 1e-14, "\(value) is printed as \(printed)")
  }
  try require(read == value, "\(value) is printed as \(printed), which is \(read as Any)")
}

private final class TextStream: TextOutputStream {
  private(set) var text = ""
  func write(_ string: String) { text += string }
}
