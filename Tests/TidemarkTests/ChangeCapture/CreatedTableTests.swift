import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The rows of `CREATE TABLE … AS SELECT`.
@Suite struct CreatedTableTests {
  @Test(arguments: ["TEMP", "TEMPORARY"]) func `rows of a new temporary table are reported`(word: String) throws {
    let (dbQueue, recorder) = try captured("")
    try dbQueue.write { try $0.execute(sql: "CREATE \(word) TABLE t AS SELECT 1 AS a") }
    #expect(recorder.takeRows() == ["insert temp.t #1(a=1)"])
  }

  @Test func `a table that is created without rows has none`() throws {
    let (dbQueue, recorder) = try captured("")
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE main.[t] (a)") }
    let changes = recorder.take()
    #expect(changes.flatMap(\.schemaChanges).map(\.name) == ["t"])
    #expect(changes.flatMap(\.rows).isEmpty && !changes.contains { $0.isUnknown })
  }

  @Test func `a new table with too many rows is reported without them`() throws {
    let (dbQueue, recorder) = try captured("", bound: 5)
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE t AS
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n
          """)
    }
    let changes = try #require(recorder.take().first)
    #expect(changes.rows.isEmpty && !changes.isUnknown)
    #expect(changes.tables.map(\.summary) == ["t insert coarse"])
    #expect(changes.details?.isTruncated == true)
  }

  /// Swift would replace its bytes.
  @Test(arguments: [
    "INSERT INTO t VALUES (CAST(x'ff41' AS TEXT), 'Dune')",
    "DROP TABLE t; CREATE TABLE t AS SELECT CAST(x'ff41' AS TEXT) AS a, 'Dune' AS b",
  ])
  func `a text that is not UTF-8 is not reported`(sql: String) throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a, b);")
    try dbQueue.write { try $0.execute(sql: sql) }
    #expect(recorder.takeRows() == [#"insert t #1(b="Dune")"#])
  }

  /// The row ID is one column more than the table has.
  @Test func `if the rows of a new table cannot be read, anything may have changed`() throws {
    let (dbQueue, recorder) = try captured("")
    let columns = (1...30).map { "\($0) AS c\($0)" }.joined(separator: ", ")
    try dbQueue.write { db in
      let connection = try #require(db.handle).pointer
      let limit = sqlite3_limit(connection, SQLITE_LIMIT_COLUMN, 30)
      try db.execute(sql: "CREATE TABLE t AS SELECT \(columns)")
      sqlite3_limit(connection, SQLITE_LIMIT_COLUMN, limit)
      #expect(try Int.fetchOne(db, sql: "SELECT c30 FROM t") == 30)
    }
    #expect(recorder.take().map(\.isUnknown) == [true])
  }
}
