import CSQLite
import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A random schema, and random transactions in it.
struct CaptureWorld {
  var random: RandomNumbers

  /// Whether the transaction includes changes whose rows cannot be reported.
  var mayBeCoarse = false

  /// Whether the schema may have changed since the tables were listed.
  var changesSchema = false

  /// The statements of the transaction, and its end.
  private(set) var script: [String] = []

  /// Determines when a statement is run many times; never if nil.
  var habits: RandomNumbers?

  /// Determines when a step of `CaptureWorld+Unusual` is run; never if nil.
  var unusual: RandomNumbers?

  /// Whether only the library uses the connection.
  var isAlone = false

  private var tableCount = 0

  init(seed: UInt64) { random = RandomNumbers(seed: seed) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

  // MARK: - The schema

  mutating func makeSchema(_ db: Database) throws {
    try db.execute(sql: "ATTACH ':memory:' AS Aux")
    if random.once(in: 2) { try db.execute(sql: "PRAGMA recursive_triggers = ON") }
    for _ in 0..<3 + random.below(3) { tolerate(db, makeTable()) }
    tolerate(db, "CREATE TABLE log (a, b)")
    for _ in 0..<random.below(5) { try makeTrigger(db) }
    if random.once(in: 2) {
      tolerate(db, "CREATE VIRTUAL TABLE docs USING fts5(body)")
      tolerate(db, "CREATE VIRTUAL TABLE box USING rtree(id, lo, hi)")
    }
  }

  private mutating func makeTable() -> String {
    tableCount += 1
    let database = pick(["main", "main", "main", "temp", "Aux"])
    let conflict = pick(["", "", "", "ON CONFLICT FAIL", "ON CONFLICT IGNORE", "ON CONFLICT REPLACE"])
    var columns = pick([
      ["id INTEGER PRIMARY KEY"], ["id INTEGER PRIMARY KEY AUTOINCREMENT"], ["k TEXT PRIMARY KEY"], ["k"],
      ["v AS (a || 'v')", "id INTEGER PRIMARY KEY"], ["k", "l TEXT DEFAULT 'l'", "PRIMARY KEY (l, k)"],
    ])
    let constraint = columns.last?.hasPrefix("PRIMARY KEY (") == true ? columns.removeLast() : nil
    columns += ["a \(pick(["", "INTEGER", "TEXT", "REAL", "NUMERIC"]))"]
    if random.once(in: 2) { columns.append("b \(pick(["REAL", "BLOB", "TEXT COLLATE NOCASE"])) UNIQUE \(conflict)") }
    if random.once(in: 3) { columns.append("w AS (a || 'x') \(pick(["VIRTUAL", "STORED"]))") }
    columns.append("c \(pick(["", "REAL", "TEXT"]))")
    if random.once(in: 3) { columns.append("d INTEGER CHECK (d < 6)") }
    if random.once(in: 4) { columns.append("n NOT NULL \(conflict) DEFAULT 7") }
    if tableCount > 1, random.once(in: 2) {
      let action = pick(["CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION"])
      let deferred = pick(["", "DEFERRABLE INITIALLY DEFERRED"])
      columns.append(
        "p REFERENCES t\(random.below(tableCount - 1) + 1) ON DELETE \(action) ON UPDATE \(action) \(deferred)")
    }
    if let constraint { columns.append(constraint) }
    let hasKey = columns.contains { $0.contains("PRIMARY KEY") } && !columns.contains { $0.contains("AUTOINC") }
    let options = hasKey && random.once(in: 3) ? "WITHOUT ROWID" : ""
    return "CREATE TABLE \(database).t\(tableCount) (\(columns.joined(separator: ", "))) \(options)"
  }

  private mutating func makeTrigger(_ db: Database) throws {
    let tables = try CaptureShapes(db).tables.filter {
      !$0.isShadow && $0.key.name != "log" && !$0.key.name.hasPrefix("tidemark_feed")
    }
    guard let table = tables.isEmpty ? nil : pick(tables) else { return }
    let event = pick(["INSERT", "UPDATE", "DELETE"])
    let row = event == "DELETE" ? "old" : "new"
    let value = "\(row).a"
    var body = pick([
      "INSERT INTO log VALUES (\(value), 1);", "DELETE FROM log WHERE a = \(value);",
      "UPDATE log SET b = b + 1 WHERE a = \(value);", "INSERT INTO log SELECT a, b FROM log LIMIT 2;",
    ])
    if random.once(in: 2) {
      let raise = pick(["ABORT", "FAIL", "ROLLBACK"])
      body += "SELECT RAISE(\(raise), 'no') WHERE \(value) = \(random.below(9));"
    }
    let name = "r\(random.below(1000))"
    let time = pick(["BEFORE", "AFTER"])
    tolerate(
      db,
      "CREATE TRIGGER \"\(table.key.database)\".\(name) \(time) \(event) ON \(table.key.name) BEGIN \(body) END")
  }

  // MARK: - Transactions

  /// Runs a transaction, or a single statement in autocommit mode.
  mutating func runTransaction(_ db: Database, _ shapes: CaptureShapes) throws {
    mayBeCoarse = false
    changesSchema = false
    script = []
    // Ends the transaction, if it is still open. The last statement makes the library report changes made without it.
    defer {
      tolerating("end") {
        try db.rollback()
        try db.execute(sql: "SELECT 1")
      }
    }
    if random.once(in: 4) { return try runStep(db, shapes) }
    tolerate(db, pick(["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s0"]))
    for _ in 0..<random.below(7) {
      try runStep(db, shapes)
      // A conflict may have ended the transaction.
      if !db.isInsideTransaction { return }
    }
    tolerate(db, random.once(in: 6) ? "ROLLBACK" : "COMMIT")
  }

  /// Runs some statements in the open transaction. A conflict may end it.
  mutating func runPart(_ db: Database, _ shapes: CaptureShapes) throws {
    mayBeCoarse = false
    changesSchema = false
    script = []
    for _ in 0..<1 + random.below(7) {
      try runStep(db, shapes)
      if !db.isInsideTransaction { return }
    }
  }

  private mutating func runStep(_ db: Database, _ shapes: CaptureShapes) throws {
    if habits?.once(in: 3) == true { return repeatStep(db, shapes) }
    if unusual?.once(in: 5) == true { return runUnusualStep(db, shapes) }
    let tables = shapes.tables.filter { !$0.isShadow }
    let table = pick(tables)
    switch random.below(40) {
    case 0..<12: tolerate(db, insert(table))
    case 12..<20: tolerate(db, update(table))
    case 20..<24: tolerate(db, delete(table))
    case 24..<26: tolerate(db, "INSERT \(conflict()) INTO \(table.sql) SELECT * FROM \(table.sql)")
    case 26: tolerate(db, upsert(table))
    case 27: try runHalf(db, table, pick(tables))
    case 28..<31 where db.isInsideTransaction: tolerate(db, "SAVEPOINT s\(random.below(3))")
    case 31..<33 where db.isInsideTransaction: tolerate(db, "RELEASE s\(random.below(3))")
    case 33..<35 where db.isInsideTransaction: tolerate(db, "ROLLBACK TO s\(random.below(3))")
    case 35: changeSchema(db, table)
    case 36 where !isAlone: writeBlob(db, table)
    case 37 where !shapes.virtualTables.isEmpty: tolerate(db, writeDocuments())
    case 38 where !shapes.virtualTables.isEmpty:
      tolerate(db, "REPLACE INTO box VALUES (\(random.below(4)), \(random.below(3)), \(3 + random.below(3)))")
    default: tolerate(db, "DELETE FROM \(table.sql)")
    }
  }

  /// Runs a statement many times with different values, as programs do.
  private mutating func repeatStep(_ db: Database, _ shapes: CaptureShapes) {
    let table = pick(shapes.tables.filter { !$0.isShadow })
    let columns = table.writableColumns.map { "\"\($0)\"" }
    let column = pick(columns)
    let questions = columns.map { _ in "?" }.joined(separator: ", ")
    let insertion = "INSERT \(conflict()) INTO \(table.sql) (\(columns.joined(separator: ", "))) VALUES (\(questions))"
    let sql = pick([
      insertion, insertion, "UPDATE \(conflict()) \(table.sql) SET \(column) = ?",
      "DELETE FROM \(table.sql) WHERE \(column) = ?",
    ])
    if sql.contains("FAIL") { mayBeCoarse = true }
    let count = 3 + random.below(20)
    let undoneFrom = random.once(in: 3) && db.isInsideTransaction ? random.below(count) : count
    for number in 0..<count {
      if number == undoneFrom { tolerate(db, "SAVEPOINT many") }
      let values = (0..<(sql == insertion ? columns.count : 1)).map { _ in argument() }
      tolerating("\(sql) \(values)") { try db.execute(sql: sql, arguments: StatementArguments(values)) }
    }
    if undoneFrom < count { tolerate(db, pick(["ROLLBACK TO many", "ROLLBACK TO many", "RELEASE many"])) }
  }

  private mutating func argument() -> DatabaseValue {
    switch random.below(8) {
    case 0: .null
    case 1: pick(["a", "A", "é", "7"]).databaseValue
    default: random.below(60).databaseValue
    }
  }

  private mutating func conflict() -> String {
    pick(["", "", "", "OR REPLACE", "OR IGNORE", "OR ABORT", "OR FAIL", "OR ROLLBACK"])
  }

  private mutating func value() -> String {
    switch random.below(10) {
    case 0: "NULL"
    case 1: "\(random.below(9)).5"
    case 2: "'\(pick(["a", "A", "b", "é", "e\u{301}", "7"]))'"
    case 3: "x'0\(random.below(9))07'"
    default: "\(random.below(9))"
    }
  }

  mutating func insert(_ table: CaptureShapes.Table) -> String {
    let columns = table.writableColumns
    let rows = (0..<1 + random.below(3)).map { _ in
      "(" + columns.map { _ in value() }.joined(separator: ", ") + ")"
    }
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    return "INSERT \(conflict()) INTO \(table.sql) (\(names)) VALUES \(rows.joined(separator: ", "))"
  }

  private mutating func update(_ table: CaptureShapes.Table) -> String {
    let column = pick(table.writableColumns)
    let value = random.once(in: 4) ? "\"\(column)\"" : random.once(in: 3) ? "\"\(column)\" + 1" : value()
    let condition =
      random.once(in: 3) ? "" : "WHERE \"\(pick(table.writableColumns))\" \(pick(["=", ">", "IS NOT"])) \(self.value())"
    return "UPDATE \(conflict()) \(table.sql) SET \"\(column)\" = \(value) \(condition)"
  }

  private mutating func delete(_ table: CaptureShapes.Table) -> String {
    "DELETE FROM \(table.sql) WHERE \"\(pick(table.writableColumns))\" \(pick(["=", ">"])) \(value())"
  }

  private mutating func upsert(_ table: CaptureShapes.Table) -> String {
    let column = pick(table.writableColumns)
    let action = random.once(in: 2) ? "NOTHING" : "UPDATE SET \"\(column)\" = \(value())"
    return insert(table).replacing("VALUES", with: "VALUES") + " ON CONFLICT DO \(action)"
  }

  /// Leaves a statement unfinished while another one runs.
  private mutating func runHalf(
    _ db: Database, _ table: CaptureShapes.Table, _ other: CaptureShapes.Table
  ) throws {
    let sql = pick([update(table), insert(table)]) + " RETURNING 1"
    let between = insert(other)
    if sql.contains("FAIL") || between.contains("FAIL") { mayBeCoarse = true }
    let isFinished = random.once(in: 2)
    var failure: (any Error)?
    tolerating("\(sql) -- while \(between); finished: \(isFinished)") {
      let cursor = try Row.fetchCursor(db, sql: sql)
      _ = try cursor.next()
      // Changes made before the failure are compared, too.
      do { try db.execute(sql: between) } catch { failure = error }
      if isFinished { while try cursor.next() != nil {} }
      withExtendedLifetime(cursor) {}
    }
    if let failure { noteFailure(failure) }
  }

  private mutating func writeDocuments() -> String {
    pick([
      "INSERT INTO docs VALUES ('one two')", "UPDATE docs SET body = 'three' WHERE rowid = \(random.below(4))",
      "DELETE FROM docs", "INSERT INTO docs(docs) VALUES ('optimize')",
    ])
  }

  private mutating func changeSchema(_ db: Database, _ table: CaptureShapes.Table) {
    changesSchema = true
    if !table.key.name.hasPrefix("t") || random.once(in: 2) { return }
    let name = "x\(random.below(1_000_000))"
    let statement = pick([
      "ALTER TABLE \(table.sql) ADD COLUMN \(name) DEFAULT \(value())",
      "ALTER TABLE \(table.sql) ADD COLUMN \(name) REAL NOT NULL DEFAULT 5",
      "CREATE INDEX \"\(table.key.database)\".\(name) ON \(table.key.name) (\(pick(table.writableColumns)))",
      "ALTER TABLE \(table.sql) RENAME COLUMN c TO \(name)", "ALTER TABLE \(table.sql) DROP COLUMN d",
      "CREATE TABLE \(name) AS SELECT * FROM \(table.sql)", "DROP TABLE IF EXISTS \(table.sql)",
    ])
    // Limit the number of tables and columns.
    if table.columns.count > 9 || statement.hasPrefix("CREATE TABLE") && random.once(in: 2) { return }
    if statement.hasPrefix("DROP TABLE") && !random.once(in: 4) { return }
    tolerate(db, statement)
  }

  private mutating func writeBlob(_ db: Database, _ table: CaptureShapes.Table) {
    guard table.hasRowID, let handle = db.sqliteConnection else { return }
    // A blob write is not a statement: if the columns cannot be read, the table is reported without rows.
    mayBeCoarse = true
    var blob: OpaquePointer?
    let column = pick(table.writableColumns)
    let code = sqlite3_blob_open(
      handle, table.key.database, table.key.name, column, Int64(random.below(9)), 1, &blob)
    if code == SQLITE_OK { sqlite3_blob_write(blob, [UInt8(random.below(200))], 1, 0) }
    let isClosed = sqlite3_blob_close(blob) == SQLITE_OK
    script.append("blob \(column) of \(table.sql): \(code) \(isClosed)")
  }

  /// Executes a statement that may fail. If it has made changes, they are compared.
  mutating func tolerate(_ db: Database, _ sql: String) {
    if sql.contains("FAIL") { mayBeCoarse = true }
    tolerating(sql) { try db.execute(sql: sql) }
  }

  private mutating func tolerating(_ sql: String, _ body: () throws -> Void) {
    do {
      try body()
      script.append(sql)
    } catch {
      noteFailure(error)
      script.append("\(sql) -- \((error as? DatabaseError)?.message ?? "\(error)")")
    }
  }

  /// Notes that a random statement has failed, because it was invalid for instance.
  private mutating func noteFailure(_ error: any Error) {
    // If it fails without a conflict, it may have kept changes, and tables without row IDs cannot report them.
    if (error as? DatabaseError)?.resultCode == .SQLITE_MISMATCH { mayBeCoarse = true }
    // If the program uses the connection, a function of the program may have kept changes.
    if !isAlone { mayBeCoarse = true }
    // The same applies to a damaged database: some random schema changes leave an index that SQLite reports as
    // malformed.
    if (error as? DatabaseError)?.resultCode == .SQLITE_CORRUPT { mayBeCoarse = true }
    // The same applies to a cascade that leaves orphans.
    if (error as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY { mayBeCoarse = true }
  }
}
