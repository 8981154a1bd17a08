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
  private var nextID = 1_000

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
  mutating func rowBound() -> Int { random.pick([1, 2, 5, 20, 1000, 1000]) }

  /// Returns the number of rows that each table may report per transaction.
  mutating func rowCountMin() -> Int { random.pick([1, 4, 10, 2_000]) }

  /// Returns true with a probability of one in `count`.
  mutating func once(in count: Int) -> Bool { random.once(in: count) }

  /// Creates the tables and their first rows.
  ///
  /// - Parameter count: The number of further rows of two tables. With more than 2,000, the engine of live queries gets
  ///   more rows than it requests.
  mutating func makeSchema(_ db: Database, largeTableCount count: Int = 0) throws {
    for sql in schema.statements { try db.execute(sql: sql) }
    for _ in 0..<30 { execute(db, insert(into: pickTable())) }
    let numbers = "WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i LIMIT \(count))"
    if count == 0 { return }
    for table in schema.largeTables {
      try db.execute(sql: "INSERT INTO \(table) \(numbers) SELECT i + 100000, i, i % 10 FROM i")
    }
  }

  private mutating func pickTable() -> WakeSchema.Table { random.pick(schema.tables) }

  // MARK: - Transactions

  /// Runs a transaction, or a single statement in autocommit mode. It leaves no transaction open.
  mutating func runTransaction(_ db: Database) {
    defer { if db.isInsideTransaction { execute(db, "ROLLBACK") } }
    if random.once(in: 5) { return runStep(db) }
    execute(db, random.pick(["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s0"]))
    let hasBurst = random.once(in: 4)
    for _ in 0..<1 + random.below(6) {
      if hasBurst, random.once(in: 2) { runBurst(db, pickTable()) } else { runStep(db) }
      // A conflict may have ended the transaction.
      if !db.isInsideTransaction { return }
    }
    execute(db, random.once(in: 8) ? "ROLLBACK" : "COMMIT")
  }

  /// Changes all rows of a table, and a few rows before and after. Some of these changes are in savepoints.
  private mutating func runBurst(_ db: Database, _ table: WakeSchema.Table) {
    let isUndone = random.once(in: 4)
    let opensSavepoint = random.once(in: 3)
    if random.once(in: 2) { runSmallChange(db, table) }
    if opensSavepoint { execute(db, "SAVEPOINT burst", needsTransaction: true) }
    if random.once(in: 2) { runSmallChange(db, table) }
    let column = random.pick(table.columns)
    execute(
      db,
      random.pick([
        "UPDATE \(table.sql) SET \(column) = \(value())", "UPDATE \(table.sql) SET \(column) = \(column) + 1",
        "UPDATE \(table.sql) SET \(column) = \(column)", "UPDATE OR IGNORE \(table.sql) SET \(column) = \(column) + 1",
        "DELETE FROM \(table.sql) WHERE \(column) <> \(random.below(10))",
      ]))
    if random.once(in: 3) { runSmallChange(db, table) }
    if opensSavepoint {
      if isUndone { execute(db, "ROLLBACK TO burst", needsTransaction: true) }
      execute(db, "RELEASE burst", needsTransaction: true)
    }
    if random.once(in: 2) { runSmallChange(db, table) }
  }

  private mutating func runSmallChange(_ db: Database, _ table: WakeSchema.Table) {
    nextID += 1
    switch random.below(5) {
    case 0: execute(db, update(table))
    case 1: execute(db, delete(from: table))
    case 2 where table.key == "id": execute(db, "INSERT INTO \(table.sql) (id, n) VALUES (\(nextID), \(value()))")
    case 3: execute(db, "UPDATE OR IGNORE \(table.sql) SET \(table.key) = \(nextID) WHERE n = \(random.below(10))")
    default: execute(db, insert(into: table))
    }
  }

  private mutating func runStep(_ db: Database) {
    let table = pickTable()
    switch random.below(35) {
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
    case 33 where schema.hasIndex:
      execute(db, "INSERT INTO found(found) VALUES ('\(random.pick(["rebuild", "optimize"]))')")
    case 28: execute(db, "UPDATE sqlite_sequence SET seq = seq + 1")
    case 29: execute(db, upsert(table))
    case 30: execute(db, changeWithOtherTable(table, pickTable()))
    case 31: runHalf(db, table)
    case 32 where isShared: runPrepared(db, table)
    default:
      let refill = schema.refillStatements
      let copy = "\(schema.copyStatement)\(random.below(40))"
      execute(db, refill.isEmpty || random.once(in: 2) ? copy : random.pick(refill))
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

  private mutating func upsert(_ table: WakeSchema.Table) -> String {
    let column = random.pick(table.columns)
    let action = random.pick(["NOTHING", "UPDATE SET \(column) = \(value())", "UPDATE SET n = excluded.n WHERE r = 2"])
    return "\(insert(into: table)) ON CONFLICT DO \(action)"
  }

  private mutating func changeWithOtherTable(_ table: WakeSchema.Table, _ other: WakeSchema.Table) -> String {
    let column = random.pick(table.columns)
    return random.pick([
      "UPDATE \(table.sql) SET \(column) = o.n FROM \(other.sql) o WHERE o.\(other.key) = \(table.key)",
      "WITH q AS (SELECT n FROM \(other.sql) LIMIT 3) DELETE FROM \(table.sql) WHERE n IN q",
      "UPDATE \(table.sql) SET \(column) = (SELECT max(n) FROM \(other.sql)) WHERE n = \(random.below(10))",
      "REPLACE INTO \(table.sql) (\(table.key), n) SELECT \(other.key), n FROM \(other.sql) LIMIT 4",
    ])
  }

  /// Steps a statement that returns the changed rows, and may leave it unfinished while another one runs.
  private mutating func runHalf(_ db: Database, _ table: WakeSchema.Table) {
    let sql = random.pick([update(table), delete(from: table), insert(into: table)]) + " RETURNING n"
    let other = update(pickTable())
    let isFinished = random.once(in: 2)
    attempt("\(sql) -- around \(other); finished: \(isFinished)") {
      let cursor = try Row.fetchCursor(db, sql: sql)
      _ = try cursor.next()
      // A failure does not end the outer statement.
      do { try db.execute(sql: other) } catch is DatabaseError {}
      if isFinished { while try cursor.next() != nil {} }
      withExtendedLifetime(cursor) {}
    }
  }

  /// Runs a statement several times without the library, with statements of the library between them.
  private mutating func runPrepared(_ db: Database, _ table: WakeSchema.Table) {
    var statement: OpaquePointer?
    let sql = random.pick([update(table), insert(into: table), delete(from: table)])
    guard sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &statement, nil) == SQLITE_OK else { return }
    defer { sqlite3_finalize(statement) }
    for _ in 0..<1 + random.below(3) {
      let code = sqlite3_step(statement)
      sqlite3_reset(statement)
      script.append("prepared without the library: \(sql) -- \(code)")
      if random.once(in: 2) { execute(db, update(pickTable())) }
    }
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
    // SQLite keeps the statistics of an ANALYZE that is rolled back: without a commit, rows of queries without an order
    // could have another order.
    if sql == "ANALYZE", db.isInsideTransaction { return }
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
