import CSQLite
import StressSupport

import Tidemark

/// Random transactions in a random schema, with and without the library.
struct WakeWorld {
  private var random: RandomNumbers
  let schema: WakeSchema

  /// Whether the program also uses the connection without the library.
  private let isShared: Bool

  /// The statements executed since the script was last emptied.
  var script: [String] = []

  private var tableCount = 0

  private let makeQuery: @Sendable (WakeSchema, inout RandomNumbers) -> WakeQuery

  /// Creates a schema of tables, and queries in SQL.
  init(seed: UInt64) {
    random = RandomNumbers(seed: seed)
    schema = WakeSchema(&random)
    isShared = random.once(in: 2)
    makeQuery = { schema, random in WakeQuery(sql: schema.query(&random)) }
  }

  /// Creates a schema of associated tables, and requests with associations.
  init(associationsWithSeed seed: UInt64) {
    random = RandomNumbers(seed: seed)
    schema = .associations(&random)
    isShared = random.once(in: 2)
    makeQuery = { _, random in .association(&random) }
  }

  mutating func query() -> WakeQuery { makeQuery(schema, &random) }

  /// Returns the maximum number of captured rows of a transaction.
  mutating func rowBound() -> Int { random.pick([1, 2, 5, 20, 1000]) }

  mutating func makeSchema(_ db: Database) throws {
    try db.execute(sql: "ATTACH ':memory:' AS aux")
    for sql in schema.statements { try db.execute(sql: sql) }
    for _ in 0..<30 { execute(db, insert(into: pickTable())) }
  }

  private mutating func pickTable() -> WakeSchema.Table { random.pick(schema.tables) }

  // MARK: - Transactions

  /// Runs a transaction, or a single statement in autocommit mode. It leaves no transaction open.
  mutating func runTransaction(_ db: Database) {
    defer { if db.isInsideTransaction { execute(db, "ROLLBACK") } }
    if random.once(in: 5) { return runStep(db) }
    execute(db, random.pick(["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s0"]))
    for _ in 0..<1 + random.below(6) {
      runStep(db)
      // A conflict may have ended the transaction.
      if !db.isInsideTransaction { return }
    }
    execute(db, random.once(in: 8) ? "ROLLBACK" : "COMMIT")
  }

  private mutating func runStep(_ db: Database) {
    let table = pickTable()
    switch random.below(30) {
    case 0..<7: execute(db, insert(into: table))
    case 7..<12: execute(db, update(table))
    case 12..<15: execute(db, delete(from: table))
    case 15: execute(db, "UPDATE \(table.sql) SET \(random.pick(table.columns)) = \(value())")
    case 16: execute(db, "DELETE FROM \(table.sql)")
    case 17: execute(db, "UPDATE OR REPLACE \(table.sql) SET \(table.key) = \(table.key) + \(random.below(5))")
    case 18: repeatStatement(db, table)
    case 19, 20: execute(db, "SAVEPOINT s\(random.below(3))", needsTransaction: true)
    case 21: execute(db, "RELEASE s\(random.below(3))", needsTransaction: true)
    case 22, 23: execute(db, "ROLLBACK TO s\(random.below(3))", needsTransaction: true)
    case 24: execute(db, "PRAGMA \(random.pick(["user_version", "application_id"])) = \(random.below(20))")
    case 25: changeSchema(db)
    case 26 where schema.hasDocuments: execute(db, document())
    case 27 where isShared: writeBlob(db)
    case 28: execute(db, "UPDATE sqlite_sequence SET seq = seq + 1")
    default: execute(db, "\(schema.copyStatement)\(random.below(40))")
    }
  }

  private mutating func conflict() -> String {
    random.pick(["", "", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT", "OR ROLLBACK"])
  }

  private mutating func value() -> String {
    switch random.below(10) {
    case 0: "NULL"
    case 1: "'\(random.pick(["a", "b", "bc", "B"]))'"
    default: "\(random.below(10))"
    }
  }

  private mutating func insert(into table: WakeSchema.Table) -> String {
    // SQLite assigns the ID of some rows.
    let columns = table.key == "id" && random.once(in: 2) ? Array(table.columns.dropFirst()) : table.columns
    let rows = (0..<1 + random.below(3)).map { _ in
      "(" + columns.map { _ in value() }.joined(separator: ", ") + ")"
    }
    let names = columns.joined(separator: ", ")
    return "INSERT \(conflict()) INTO \(table.sql) (\(names)) VALUES \(rows.joined(separator: ", "))"
  }

  private mutating func update(_ table: WakeSchema.Table) -> String {
    let column = random.pick(table.columns + [table.key])
    let new = random.once(in: 3) ? "\(column) + 1" : value()
    return "UPDATE \(conflict()) \(table.sql) SET \(column) = \(new) WHERE \(random.pick(table.columns)) = \(value())"
  }

  private mutating func delete(from table: WakeSchema.Table) -> String {
    "DELETE FROM \(table.sql) WHERE \(random.pick(table.columns)) = \(value())"
  }

  private mutating func document() -> String {
    random.pick([
      "INSERT INTO docs VALUES ('a b')", "UPDATE docs SET body = 'b' WHERE rowid = \(random.below(4))",
      "DELETE FROM docs WHERE rowid = \(random.below(4))", "INSERT INTO docs(docs) VALUES ('optimize')",
      "DELETE FROM docs",
    ])
  }

  /// Runs a statement many times with different values, as programs do.
  private mutating func repeatStatement(_ db: Database, _ table: WakeSchema.Table) {
    let column = random.pick(table.columns)
    let sql = random.pick([
      "INSERT OR IGNORE INTO \(table.sql) (\(column)) VALUES (?)", "UPDATE OR IGNORE \(table.sql) SET \(column) = ?",
      "DELETE FROM \(table.sql) WHERE \(column) = ?",
    ])
    for _ in 0..<3 + random.below(12) {
      let argument = random.below(40)
      attempt("\(sql) [\(argument)]") { try db.execute(sql: sql, arguments: [argument]) }
    }
  }

  private mutating func changeSchema(_ db: Database) {
    tableCount += 1
    execute(db, random.pick(schema.schemaChanges(tableCount)))
  }

  private mutating func writeBlob(_ db: Database) {
    var blob: OpaquePointer?
    let row = random.below(6)
    let code = sqlite3_blob_open(
      db.sqliteConnection, "main", schema.blob.table, schema.blob.column, Int64(row), 1, &blob)
    if code == SQLITE_OK { sqlite3_blob_write(blob, "c", 1, 0) }
    sqlite3_blob_close(blob)
    script.append("blob of \(schema.blob), row \(row): \(code)")
  }

  // MARK: - Execution

  /// Executes a statement that may fail, with or without the library.
  private mutating func execute(_ db: Database, _ sql: String, needsTransaction: Bool = false) {
    if needsTransaction, !db.isInsideTransaction { return }
    if isShared, random.once(in: 4) {
      let code = sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil)
      script.append("raw: \(sql)\(code == SQLITE_OK ? "" : " -- \(code)")")
    } else {
      attempt(sql) { try db.execute(sql: sql) }
    }
  }

  private mutating func attempt(_ sql: String, _ body: () throws -> Void) {
    do {
      try body()
      script.append(sql)
    } catch {
      // A random statement may be invalid.
      script.append("\(sql) -- \((error as? DatabaseError)?.message ?? "\(error)")")
    }
  }
}
