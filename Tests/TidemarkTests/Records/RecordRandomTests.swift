import Testing

import Tidemark
@testable import TidemarkEssentials

/// A random record.
private protocol ChanceRecord: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
  /// The columns of the table, of which the first ones are its key.
  static var tableColumns: [String] { get }
  static var keyCount: Int { get }
  static var definition: String { get }
  init(_ generator: inout SeededRandom)
}

private func key(_ generator: inout SeededRandom) -> Int64 { Int64.random(in: 1...6, using: &generator) }
private func maybe<T>(_ value: T, _ generator: inout SeededRandom) -> T? {
  Bool.random(using: &generator) ? value : nil
}
private func word(_ generator: inout SeededRandom) -> String {
  generator.pick(["a", "b", "B", "é", "", "x\0y", "'\"?"])
}

private struct WithRowID: ChanceRecord {
  static let tableColumns = ["id", "text", "number"]
  static let keyCount = 1
  static let definition = "(id INTEGER PRIMARY KEY, number INTEGER, text TEXT UNIQUE)"
  var text: String?
  var id: Int64?
  var number: Double?
  init(_ generator: inout SeededRandom) {
    id = maybe(key(&generator), &generator)
    text = maybe(word(&generator), &generator)
    number = maybe(generator.pick([0, 0.5, .nan, -.infinity, 1e300]), &generator)
  }
  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct WithTextKey: ChanceRecord {
  static let tableColumns = ["code", "value"]
  static let keyCount = 1
  static let definition = "(value, code TEXT PRIMARY KEY)"
  var code: String?
  var value: [String]?
  init(_ generator: inout SeededRandom) {
    code = maybe(word(&generator), &generator)
    value = maybe([word(&generator)], &generator)
  }
}

private struct WithTwoKeys: ChanceRecord {
  static let tableColumns = ["b", "a", "value"]
  static let keyCount = 2
  static let definition = "(a INTEGER, b TEXT, value TEXT NOT NULL, PRIMARY KEY (b, a))"
  var a: Int64?
  var b: String?
  var value: String?
  init(_ generator: inout SeededRandom) {
    a = generator.pick([1, 2, nil])
    b = generator.pick(["a", "b", nil])
    value = generator.pick(["a", "b", "c", nil])
  }
}

private struct WithoutRowID: ChanceRecord {
  static let tableColumns = ["a", "b", "value"]
  static let keyCount = 2
  static let definition = "(a INTEGER, b TEXT, value TEXT CHECK (value <> 'c'), PRIMARY KEY (a, b)) WITHOUT ROWID"
  var value: String?
  var b: String?
  var a: Int64?
  init(_ generator: inout SeededRandom) {
    a = generator.pick([1, 2, nil])
    b = generator.pick(["a", "b"])
    value = generator.pick(["a", "b", "c", nil])
  }
}

private struct OfKeysOnly: ChanceRecord {
  static let tableColumns = ["a", "b"]
  static let keyCount = 2
  static let definition = "(a INTEGER, b INTEGER, PRIMARY KEY (a, b))"
  var a: Int64?
  var b: Int64?
  init(_ generator: inout SeededRandom) {
    a = maybe(key(&generator) % 3, &generator)
    b = maybe(key(&generator) % 3, &generator)
  }
}

/// The operations of records in raw SQL, on another table.
private struct Oracle<Record: ChanceRecord> {
  let db: Database

  private var keys: ArraySlice<String> { Record.tableColumns.prefix(Record.keyCount) }
  private var others: ArraySlice<String> { Record.tableColumns.dropFirst(Record.keyCount) }
  private var condition: String { keys.map { "\($0) = ?" }.joined(separator: " AND ") }

  private func values(_ record: Record, _ columns: some Sequence<String>) throws -> [DatabaseValue] {
    let values = try record.databaseDictionary
    return columns.map { values[$0] ?? .null }
  }

  private func execute(_ sql: String, _ values: [DatabaseValue]) throws -> Int {
    try db.execute(sql: sql, arguments: StatementArguments(values))
    return db.changesCount
  }

  func insert(_ record: Record, _ clause: String = "", _ end: String = "") throws {
    let columns = Record.tableColumns
    let sql =
      "INSERT \(clause) INTO oracle (\(columns.joined(separator: ", "))) VALUES (\(databaseQuestionMarks(count: columns.count))) \(end)"
    _ = try execute(sql, values(record, columns))
  }

  func update(_ record: Record) throws -> Bool {
    let set = others.isEmpty ? keys : others
    let sql = "UPDATE oracle SET \(set.map { "\($0) = ?" }.joined(separator: ", ")) WHERE \(condition)"
    return try execute(sql, values(record, set) + values(record, keys)) > 0
  }

  func upsert(_ record: Record) throws {
    let set = others.isEmpty ? keys : others
    try insert(record, "", "ON CONFLICT DO UPDATE SET \(set.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))")
  }

  func delete(_ record: Record) throws -> Bool {
    try execute("DELETE FROM oracle WHERE \(condition)", values(record, keys)) > 0
  }

  func exists(_ record: Record) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM oracle WHERE \(condition))"
    return try Bool.fetchOne(db, sql: sql, arguments: StatementArguments(values(record, keys))) ?? false
  }
}

/// The outcome of an operation: its result, or the code of an error.
private func outcome(_ body: () throws -> Bool) -> String {
  do {
    return "\(try body())"
  } catch let error as DatabaseError {
    return error.extendedResultCode.description
  } catch is RecordError {
    return "not found"
  } catch {
    return "\(error)"
  }
}

/// Records, compared with raw SQL that does the same.
@Suite struct RecordRandomTests {
  @Test func recordsMatchEquivalentSQL() throws {
    var generator = SeededRandom()
    try run(WithRowID.self, &generator)
    try run(WithTextKey.self, &generator)
    try run(WithTwoKeys.self, &generator)
    try run(WithoutRowID.self, &generator)
    try run(OfKeysOnly.self, &generator)
  }

  private func run<Record: ChanceRecord>(_: Record.Type, _ generator: inout SeededRandom) throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      let table = Record.databaseTableName.quotedDatabaseIdentifier
      try db.execute(sql: "CREATE TABLE \(table) \(Record.definition); CREATE TABLE oracle \(Record.definition)")
      let oracle = Oracle<Record>(db: db)
      for step in 0..<1000 {
        let record = Record(&generator)
        let operation = generator.pick([
          "insert", "ignore", "replace", "update", "save", "upsert", "delete", "exists", "fetch", "change",
        ])
        let answer = outcome { try perform(operation, record, db) }
        let expected = outcome { try ask(oracle, operation, record) }
        #expect(answer == expected, "\(Record.self), step \(step): \(operation) \(record)")
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
        let expectedRows = try Row.fetchAll(db, sql: "SELECT * FROM oracle")
        #expect(rows == expectedRows, "\(Record.self), step \(step): \(operation) \(record)")
        if answer != expected || rows != expectedRows { return }
      }
    }
  }

  private func perform<Record: ChanceRecord>(_ operation: String, _ record: Record, _ db: Database) throws -> Bool {
    var record = record
    switch operation {
    case "insert": try record.insert(db)
    case "ignore": try record.insert(db, onConflict: .ignore)
    case "replace": try record.insert(db, onConflict: .replace)
    case "update": try record.update(db)
    case "save": try record.save(db)
    case "upsert": try record.upsert(db)
    case "delete": return try record.delete(db)
    case "exists": return try record.exists(db)
    case "fetch":
      let fetched = try record.insertAndFetch(db)
      let table = Record.databaseTableName.quotedDatabaseIdentifier
      return try Record.fetchAll(db, sql: "SELECT * FROM \(table)").contains { $0.databaseEquals(fetched) }
    default: return try record.updateChanges(db, from: record)
    }
    return true
  }

  private func ask<Record: ChanceRecord>(_ oracle: Oracle<Record>, _ operation: String, _ record: Record) throws -> Bool
  {
    switch operation {
    case "insert", "fetch": try oracle.insert(record)
    case "ignore": try oracle.insert(record, "OR IGNORE")
    case "replace": try oracle.insert(record, "OR REPLACE")
    case "update":
      if try !oracle.update(record) { throw RecordError.recordNotFound(databaseTableName: "", key: [:]) }
    case "save":
      if try !oracle.update(record) { try oracle.insert(record) }
    case "upsert": try oracle.upsert(record)
    case "delete": return try oracle.delete(record)
    case "exists": return try oracle.exists(record)
    default: return false
    }
    return true
  }
}
