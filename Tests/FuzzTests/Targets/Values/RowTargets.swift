import Foundation

@testable import TidemarkEssentials

// MARK: - Adapters and records

/// Rows with any columns, values and adapters are decoded, or an error is thrown. Each visible column is one of the
/// columns of the statement.
func checkRows(_ input: inout FuzzInput) throws {
  let columnCount = 1 + input.choice(6)
  var row: [(name: String, value: DatabaseValue)] = []
  for _ in 0..<columnCount { row.append((input.columnName(), input.value())) }
  let adapter = input.adapter(depth: 0)
  let sql = "SELECT " + row.map { "? AS \($0.name.quotedDatabaseIdentifier)" }.joined(separator: ", ")
  try database.get().inDatabase { db in
    do {
      let request = SQLRequest<Row>(sql: sql, arguments: StatementArguments(row.map(\.value)), adapter: adapter)
      guard let fetched = try request.fetchOne(db) else { throw FuzzFailure("\(sql) has no row") }
      try check(fetched, row)
      try checkDecoding(fetched)
    } catch is DatabaseError {
      // The adapter names a missing column.
    }
  }
}

private let database = Result { try DatabaseQueue() }

private func check(_ row: Row, _ columns: [(name: String, value: DatabaseValue)]) throws {
  _ = (row.description, row.debugDescription, row.unadapted.description)
  try require(row.unadapted.count == columns.count, "\(row.unadapted) has \(columns.count) columns")
  for (name, value) in row {
    try require(columns.contains { $0.value == value }, "column \(name) of \(row) is no column of the statement")
    try require(row.hasColumn(name), "\(row) has no column \(name)")
  }
  try require(row == row.copy(), "\(row) differs from its copy")
  for (_, scope) in row.scopes { try check(scope, columns) }
}

private struct Pet: Codable, FetchableRecord, Equatable {
  struct Owner: Codable, Equatable {
    var name: String
    var age: Int?
  }

  enum Kind: String, Codable { case a, b }

  var id: Int64?
  var name: String
  var born: Date?
  var kind: Kind?
  var tags: [String]?
  var owner: Owner?
  var data: Data?
  var score: Double?
}

private func checkDecoding(_ row: Row) throws {
  do {
    let pet = try Pet(row: row)
    _ = pet.name
  } catch is RowDecodingError {
    // The row has no pet.
  } catch is DecodingError {
    // A JSON column has no valid value.
  }
  for index in row.indices {
    let value: DatabaseValue = row[index].1
    _ = value.description
  }
}

extension FuzzInput {
  fileprivate mutating func columnName() -> String {
    let names = ["id", "name", "born", "kind", "tags", "owner", "data", "score", "ID", "Name", "", "\"", "é"]
    let index = choice(names.count + 1)
    return index < names.count ? names[index] : textWithoutNUL()
  }

  fileprivate mutating func adapter(depth: Int) -> (any RowAdapter)? {
    switch choice(depth > 3 ? 5 : 7) {
    case 0: return nil
    case 1: return EmptyRowAdapter()
    case 2:
      let start = choice(8)
      return RangeRowAdapter(start..<start + choice(8))
    case 3: return SuffixRowAdapter(fromIndex: choice(8))
    case 4:
      var mapping: [String: String] = [:]
      for _ in 0..<choice(4) { mapping[columnName()] = columnName() }
      return ColumnMapping(mapping)
    case 5:
      let suffix = text()
      return RenameColumnAdapter { $0 + suffix }
    default:
      var scopes: [String: any RowAdapter] = [:]
      for _ in 0..<choice(4) { scopes[columnName()] = adapter(depth: depth + 1) ?? EmptyRowAdapter() }
      let base = adapter(depth: depth + 1)
      return base.map { ScopeAdapter(base: $0, scopes: scopes) } ?? ScopeAdapter(scopes)
    }
  }
}

// MARK: - JSON

private indirect enum Tree: Codable, Equatable {
  case leaf(Int)
  case branch([Tree])
}

private struct Document: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "document"
  var id: Int64
  var list: [Double?]?
  var map: [String: String]?
  var tree: Tree?
  var nested: [[Bool]]?
}

/// A JSON column with any text is decoded, or an error is thrown. A decoded record is stored and read as an equal one.
func checkJSON(_ input: inout FuzzInput) throws {
  let columns = ["list", "map", "tree", "nested"]
  let column = input.element(of: columns)
  let isBlob = input.bool()
  let text = input.bool() ? input.restText() : input.jsonText()
  let value = isBlob ? Data(text.utf8).databaseValue : text.databaseValue
  var document: Document?
  do {
    document = try Document(row: Row(["id": 1, column: value]))
  } catch is RowDecodingError {
    return
  } catch is DecodingError {
    return
  }
  guard let document else { return }
  // `JSONEncoder` refuses numbers that are not finite, and `JSONDecoder` reads none.
  let read = try documents.get().inDatabase { db in
    try db.execute(sql: "DELETE FROM document")
    try document.insert(db)
    return try Document.fetchOne(db)
  }
  try require(read == document, "\(text.debugDescription) is read as \(document), and then as \(read as Any)")
}

private let documents = Result {
  let dbQueue = try DatabaseQueue()
  try dbQueue.write { db in
    try db.execute(sql: "CREATE TABLE document (id INTEGER PRIMARY KEY, list, map, tree, nested)")
  }
  return dbQueue
}

extension FuzzInput {
  fileprivate mutating func jsonText() -> String {
    let tokens = [
      "{", "}", "[", "]", ",", ":", "\"leaf\"", "\"branch\"", "\"_0\"", "{\"leaf\":{\"_0\":1}}", "1", "-0", "1.5",
      "1e308", "1e-400", "\"a\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"", "null", "true", "false", " ",
      "\n", "é", "\u{FEFF}", "\"", "\\", "/* c */", "[[true]]", "NaN", "0123",
    ]
    return rest().map { tokens[Int($0) % tokens.count] }.joined()
  }
}
