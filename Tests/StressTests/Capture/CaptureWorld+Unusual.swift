import StressSupport

import Tidemark
@testable import TidemarkEssentials

// Steps that only some tests run: their changes are schema changes, counters, or depend on the order of the rows.

extension CaptureWorld {
  mutating func runUnusualStep(_ db: Database, _ shapes: CaptureShapes) {
    let tables = shapes.tables.filter { !$0.isShadow && $0.key.name != "log" }
    guard !tables.isEmpty else { return }
    let table = pick(tables)
    switch random.below(8) {
    case 0: createVirtualTable(db, shapes)
    case 1: renameTable(db, table)
    case 2, 3: changeCounter(db, table)
    case 4, 5: swapValues(db, table)
    case 6: insertWithCounter(db, table)
    default: tolerate(db, "PRAGMA \"\(table.key.database)\".user_version = \(random.below(100))")
    }
  }

  private mutating func createVirtualTable(_ db: Database, _ shapes: CaptureShapes) {
    if shapes.virtualTables.count > 2 { return }
    changesSchema = true
    // Its own rows are unknown, and the transaction is.
    mayBeCoarse = true
    let name = "v\(random.below(1_000_000))"
    tolerate(
      db, "CREATE VIRTUAL TABLE \(name) USING fts5(body); INSERT INTO \(name) VALUES ('one'); DROP TABLE \(name)")
  }

  private mutating func renameTable(_ db: Database, _ table: CaptureShapes.Table) {
    guard table.key.name.hasPrefix("t"), random.once(in: 3) else { return }
    changesSchema = true
    tolerate(db, "ALTER TABLE \(table.sql) RENAME TO t\(random.below(1_000_000))")
  }

  /// Changes the counters of a database. Without a table with a counter, there are none.
  private mutating func changeCounter(_ db: Database, _ table: CaptureShapes.Table) {
    let counters = "\"\(table.key.database)\".sqlite_sequence"
    tolerate(
      db,
      pick([
        "UPDATE \(counters) SET seq = seq + \(random.below(9)) WHERE name = '\(table.key.name)'",
        "UPDATE \(counters) SET seq = \(random.below(50))", "DELETE FROM \(counters) WHERE name = '\(table.key.name)'",
        "DELETE FROM \(counters)",
      ]))
  }

  /// Exchanges unique values of two rows.
  private mutating func swapValues(_ db: Database, _ table: CaptureShapes.Table) {
    let column = "\"\(table.writableColumns.contains("b") ? "b" : pick(table.writableColumns))\""
    let (first, second) = (random.below(9), random.below(9))
    tolerate(
      db,
      """
      UPDATE \(table.sql) SET \(column) = -1 WHERE \(column) = \(first);
      UPDATE \(table.sql) SET \(column) = \(first) WHERE \(column) = \(second);
      UPDATE \(table.sql) SET \(column) = \(second) WHERE \(column) = -1
      """)
  }

  /// Inserts rows, some of which conflict: they change the counter of the table.
  private mutating func insertWithCounter(_ db: Database, _ table: CaptureShapes.Table) {
    let columns = table.writableColumns.filter { $0 != "id" }.map { "\"\($0)\"" }.joined(separator: ", ")
    let action = pick([
      "NOTHING", "UPDATE SET \"\(pick(table.writableColumns))\" = excluded.\"\(pick(table.writableColumns))\"",
    ])
    tolerate(
      db,
      pick([
        "INSERT OR IGNORE INTO \(table.sql) (\(columns)) SELECT \(columns) FROM \(table.sql)",
        "INSERT INTO \(table.sql) (\(columns)) SELECT \(columns) FROM \(table.sql) WHERE true ON CONFLICT DO \(action)",
        "INSERT INTO \(table.sql) SELECT * FROM \(table.sql) WHERE true ON CONFLICT DO \(action)",
      ]))
  }
}
