import Tidemark

/// Random transactions in the tables that it finds in a database.
package struct RandomWriter {
  private struct Table {
    var name: String

    /// The columns that can be written.
    var columns: [String]

    /// The column of integers that identifies rows.
    var key: String

    var isVirtual: Bool
  }

  private var random: RandomNumbers
  private let freedoms: WriterPlan.Freedoms
  private var tables: [Table] = []

  /// The number of transactions until the tables are read again. Other processes may change the schema.
  private var transactionsUntilLook = 0

  package init(_ plan: WriterPlan) {
    // Not the numbers of the plan itself.
    random = RandomNumbers(seed: plan.seed ^ 0x5851_F42D_4C95_7F2D, stream: plan.stream)
    freedoms = plan.freedoms
  }

  /// Runs a transaction, a single statement, a checkpoint, or a statement that must be alone. Leaves no transaction open.
  ///
  /// - Returns: Whether a transaction with changes was committed.
  package mutating func run(_ connection: some WriterConnection) -> Bool {
    if transactionsUntilLook == 0 { look(connection) }
    transactionsUntilLook -= 1
    switch random.below(400) {
    case 0..<8 where freedoms.contains(.checkpoints):
      _ = connection.execute("PRAGMA wal_checkpoint(\(pick(["PASSIVE", "FULL", "RESTART", "TRUNCATE"])))")
      return false
    case 8 where freedoms.contains(.vacuums): return connection.execute("VACUUM")
    case 9..<15 where freedoms.contains(.schemaChanges):
      transactionsUntilLook = 0
      return changeSchema(connection)
    case 15..<20 where freedoms.contains(.largeTransactions): return runLargeTransaction(connection)
    case 20..<25 where !tables.isEmpty:
      let table = pick(tables)
      return connection.overwriteByte(table: table.name, column: pick(table.columns), rowID: random.below(40))
    default: return runTransaction(connection)
    }
  }

  package mutating func once(in count: Int) -> Bool { random.once(in: count) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

  private mutating func look(_ connection: some WriterConnection) {
    transactionsUntilLook = 50
    let found = connection.rows(
      """
      SELECT l.name, l.type, group_concat(i.name), min(CASE WHEN i.pk > 0 THEN i.name END)
      FROM pragma_table_list l JOIN pragma_table_info(l.name) i
      WHERE l.schema = 'main' AND l.type IN ('table', 'virtual')
      AND l.name NOT LIKE 'sqlite_%' AND l.name NOT LIKE 'tidemark_%' AND l.name NOT IN ('sentinel', 'found')
      GROUP BY l.name ORDER BY l.name
      """)
    // Nothing is found while another process has locked the database.
    if found.isEmpty { return }
    tables = found.map { row in
      Table(
        name: row[0], columns: row[2].split(separator: ",").map(String.init), key: row[3].isEmpty ? "rowid" : row[3],
        isVirtual: row[1] == "virtual")
    }
  }

  // MARK: - Transactions

  private mutating func runTransaction(_ connection: some WriterConnection) -> Bool {
    if tables.isEmpty { return false }
    let changeCount = connection.changeCount
    if random.once(in: 4) { return connection.execute(statement()) && connection.changeCount != changeCount }
    guard connection.execute(pick(["BEGIN", "BEGIN IMMEDIATE", "BEGIN IMMEDIATE", "SAVEPOINT s"])) else { return false }
    for _ in 0..<1 + random.below(5) where connection.isInTransaction { runStep(connection) }
    if random.once(in: 10) {
      _ = connection.execute("ROLLBACK")
      return false
    }
    return commit(connection) && connection.changeCount != changeCount
  }

  /// - Returns: Whether the open transaction was committed. A conflict may have ended it before.
  private func commit(_ connection: some WriterConnection) -> Bool {
    let isCommitted = connection.isInTransaction && connection.execute("COMMIT")
    if connection.isInTransaction { _ = connection.execute("ROLLBACK") }
    return isCommitted
  }

  private mutating func runStep(_ connection: some WriterConnection) {
    guard random.once(in: 6) else {
      _ = connection.execute(statement())
      return
    }
    _ = connection.execute("SAVEPOINT inner")
    for _ in 0..<1 + random.below(2) { _ = connection.execute(statement()) }
    if random.once(in: 2) { _ = connection.execute("ROLLBACK TO inner") }
    _ = connection.execute("RELEASE inner")
  }

  /// Inserts a thousand rows, or removes them.
  private mutating func runLargeTransaction(_ connection: some WriterConnection) -> Bool {
    let candidates = tables.filter { $0.key == "id" && $0.columns.contains("n") }
    if candidates.isEmpty { return false }
    let (table, changeCount) = (pick(candidates).name, connection.changeCount)
    let isCommitted = connection.execute(
      random.once(in: 2)
        ? "DELETE FROM \(table) WHERE id > \(1_000 + random.below(5))"
        // Different numbers: joins of such tables have few rows.
        : """
        WITH RECURSIVE i (i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM i LIMIT \(500 + random.below(1_000)))
        INSERT OR IGNORE INTO \(table) (id, n) SELECT i, i FROM i
        """)
    return isCommitted && connection.changeCount != changeCount
  }

  // MARK: - Statements

  private mutating func statement() -> String {
    let table = pick(tables)
    if table.isVirtual { return statement(onVirtual: table) }
    switch random.below(20) {
    case 0..<7: return insert(into: table)
    case 7..<12:
      let new = random.once(in: 3) ? "\(table.key) + 1" : value()
      return "UPDATE \(conflict()) \(table.name) SET \(pick(table.columns)) = \(new) WHERE \(condition(on: table))"
    case 12..<14: return "DELETE FROM \(table.name) WHERE \(condition(on: table))"
    case 14..<16: return "DELETE FROM \(table.name) WHERE \(table.key) > \(40 + random.below(40))"
    case 16:
      let column = pick(table.columns)
      return pick([
        "DELETE FROM \(table.name)", "UPDATE \(table.name) SET \(column) = \(column)",
        "UPDATE OR IGNORE \(table.name) SET \(column) = \(value())",
      ])
    case 17:
      let other = pick(tables)
      return "UPDATE \(conflict()) \(table.name) SET \(pick(table.columns)) = "
        + "(SELECT max(\(pick(other.columns))) FROM \(other.name)) WHERE \(condition(on: table))"
    case 18: return "\(insert(into: table)) ON CONFLICT DO UPDATE SET \(pick(table.columns)) = \(value())"
    default: return "REPLACE INTO \(table.name) SELECT * FROM \(table.name) WHERE \(condition(on: table)) LIMIT 4"
    }
  }

  private mutating func statement(onVirtual table: Table) -> String {
    let row = random.below(20)
    let text = pick(["a b", "b", "c", "bc a", "B"])
    return pick([
      "INSERT INTO \(table.name) (rowid, \(table.columns[0])) VALUES (\(row), '\(text)')",
      "UPDATE \(table.name) SET \(table.columns[0]) = '\(text)' WHERE rowid = \(row)",
      "DELETE FROM \(table.name) WHERE rowid = \(row)",
    ])
  }

  private mutating func insert(into table: Table) -> String {
    // SQLite assigns the ID of some rows.
    let columns = table.key == "id" && random.once(in: 3) ? table.columns.filter { $0 != "id" } : table.columns
    let rows = (0..<1 + random.below(3)).map { _ in
      "(" + columns.map { $0 == table.key ? "\(random.below(40))" : value() }.joined(separator: ", ") + ")"
    }
    let names = columns.joined(separator: ", ")
    return "INSERT \(conflict()) INTO \(table.name) (\(names)) VALUES \(rows.joined(separator: ", "))"
  }

  private mutating func condition(on table: Table) -> String {
    random.once(in: 2)
      ? "\(table.key) = \(random.below(40))" : "\(pick(table.columns)) \(pick(["=", "=", "=", ">"])) \(value())"
  }

  private mutating func conflict() -> String {
    pick(["", "OR REPLACE", "OR IGNORE", "OR IGNORE", "OR FAIL", "OR ABORT", "OR ROLLBACK"])
  }

  private mutating func value() -> String {
    switch random.below(10) {
    case 0: "NULL"
    case 1: "'\(pick(["a", "b", "bc", "B"]))'"
    default: "\(random.below(10))"
    }
  }

  // MARK: - Schema changes

  private mutating func changeSchema(_ connection: some WriterConnection) -> Bool {
    let (extra, other) = ("extra\(random.below(3))", "extra\(random.below(3))")
    let candidates = tables.filter { !$0.isVirtual }.map(\.name)
    let table = candidates.isEmpty ? extra : pick(candidates)
    let column = "e\(random.below(3))"
    switch random.below(11) {
    case 0, 1:
      return connection.execute("CREATE TABLE IF NOT EXISTS \(extra) (id INTEGER PRIMARY KEY, n INT, r INT)")
    case 2: return connection.execute("DROP TABLE IF EXISTS \(extra)")
    case 3: return connection.execute("ALTER TABLE \(extra) RENAME TO \(other)")
    case 4: return connection.execute("ALTER TABLE \(table) ADD COLUMN \(column) DEFAULT 3")
    case 5: return connection.execute("ALTER TABLE \(table) DROP COLUMN \(column)")
    case 6: return connection.execute("CREATE INDEX IF NOT EXISTS \(table)_i ON \(table) (n)")
    case 7: return connection.execute("DROP INDEX IF EXISTS \(table)_i")
    case 8: return connection.execute("ALTER TABLE \(extra) RENAME COLUMN \(pick(["r TO s", "s TO r"]))")
    case 9: return connection.execute("PRAGMA user_version = \(random.below(20))")
    default: return recreate(table, connection)
    }
  }

  /// Drops a table, and creates it again: it is empty, and has lost its indexes and triggers.
  private func recreate(_ table: String, _ connection: some WriterConnection) -> Bool {
    guard connection.execute("BEGIN IMMEDIATE") else { return false }
    let sql = connection.rows("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'")
    if let sql = sql.first?.first, connection.execute("DROP TABLE \(table)"), connection.execute(sql) {
      return commit(connection)
    }
    _ = connection.execute("ROLLBACK")
    return false
  }
}
