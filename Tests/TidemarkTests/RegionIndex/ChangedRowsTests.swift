import Testing
import Tidemark

@testable import TidemarkEssentials

/// The row IDs of changed rows.
@Suite struct ChangedRowsTests {
  /// The changed rows of a commit.
  private func changedRows(_ schema: String, _ sql: String) throws -> ChangedRows {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: schema) }
    let index = RegionIndex<Int>()
    _ = index.insert(DatabaseRegion(tables: [TableKey("t"): .all]), 1, reportsRows: true)
    let rows = Mutex(ChangedRows.none)
    let subscription = queue.changeBroker.subscribe(index.needs) { changes in
      for table in changes.tables { rows.withLock { $0.insert(table) } }
    }
    defer { subscription.cancel() }
    try queue.write { try $0.execute(sql: sql) }
    return rows.withLock { $0 }
  }

  private static let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'a'), (2, 'b');"

  @Test(
    arguments: [
      ("INSERT INTO t VALUES (7, 'c')", [7]), ("UPDATE t SET a = 'c' WHERE id = 2", [2]),
      ("UPDATE t SET id = 9 WHERE id = 2", [2, 9]), ("DELETE FROM t WHERE id = 1", [1]),
      ("DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (8, 'c')", [1, 8]),
    ] as [(String, Set<Int64>)])
  func `a commit changes rows with their old and new IDs`(sql: String, ids: Set<Int64>) throws {
    #expect(try changedRows(Self.schema, sql) == .some(ids))
  }

  @Test func `any row of a table without row IDs may have changed`() throws {
    let schema = "CREATE TABLE t (k TEXT PRIMARY KEY, a) WITHOUT ROWID"
    #expect(try changedRows(schema, "INSERT INTO t VALUES ('x', 1)") == .any)
  }

  @Test func `any row may have changed if too many have`() {
    var rows = ChangedRows.some(Set(0..<1_500))
    rows.formUnion(.some(Set(1_000..<2_000)))
    #expect(rows == .some(Set(0..<2_000)))
    rows.formUnion(.some(Set(2_000..<2_001)))
    #expect(rows == .any)
  }

  @Test func `any row remains changed`() {
    var rows = ChangedRows.any
    rows.formUnion(.some([1]))
    #expect(rows == .any)
    var known = ChangedRows.some([1])
    known.formUnion(.any)
    #expect(known == .any)
  }
}
