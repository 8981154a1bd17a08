import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Row changes are reported with the columns that their table has at the time of the change.
@Suite struct AlteredTableTests {
  private static let schema = "CREATE TABLE t (a, b, c);"

  @Test(arguments: ["", "INSERT INTO t VALUES (1, 2, 3); "])
  func recompiledStatementsReportNewColumns(first: String) throws {
    let (dbQueue, recorder) = try captured(Self.schema + first)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "DELETE FROM t")
      try db.execute(sql: "ALTER TABLE t DROP COLUMN b; ALTER TABLE t ADD COLUMN d")
      // SQLite compiles it for the current table, which is empty.
      try db.execute(sql: "DELETE FROM t")
      try db.execute(sql: "INSERT INTO t VALUES (1, 3, 4)")
      _ = recorder.take()
      try db.execute(sql: "DELETE FROM t")
    }
    #expect(recorder.takeRows() == ["delete t #1(a=1 c=3 d=4)"])
  }

  @Test func addedColumnsAreReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "UPDATE t SET a = 0")
      try db.execute(sql: "ALTER TABLE t ADD COLUMN d DEFAULT 4")
      try db.execute(sql: "UPDATE t SET a = 0")
      try db.execute(sql: "INSERT INTO t VALUES (1, 2, 3, 5)")
      _ = recorder.take()
      try db.execute(sql: "UPDATE t SET a = 0")
    }
    #expect(recorder.takeRows() == ["update t #1(a=1 b=2 c=3 d=5) -> #1(a=0 b=2 c=3 d=5) [a]"])
  }

  @Test func droppedColumnsAreNoLongerReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { try $0.execute(sql: "DELETE FROM t") }
    try dbQueue.write { db in
      try db.execute(sql: "ALTER TABLE t DROP COLUMN b")
      try db.execute(sql: "DELETE FROM t")
      try db.execute(sql: "INSERT INTO t VALUES (1, 3)")
      try db.execute(sql: "DELETE FROM t")
    }
    #expect(recorder.takeRows() == ["insert t #1(a=1 c=3)", "delete t #1(a=1 c=3)"])
  }

  @Test func columnsWithAnUndoneDropAreReported() throws {
    let (dbQueue, recorder) = try captured(Self.schema)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "BEGIN; ALTER TABLE t DROP COLUMN b")
      try db.execute(sql: "DELETE FROM t")
      try db.execute(sql: "ROLLBACK")
      // Compiled again.
      try db.execute(sql: "DELETE FROM t")
      try db.execute(sql: "INSERT INTO t VALUES (1, 2, 3)")
      _ = recorder.take()
      try db.execute(sql: "DELETE FROM t")
    }
    #expect(recorder.takeRows() == ["delete t #1(a=1 b=2 c=3)"])
  }

  @Test func blobWritesAfterAnAlterReportTheirColumn() throws {
    let (dbQueue, recorder) = try captured(Self.schema + "INSERT INTO t VALUES ('a', 'b', 'c');")
    func write(_ letter: Unicode.Scalar, _ db: Database) throws {
      var blob: OpaquePointer?
      #expect(sqlite3_blob_open(db.sqliteConnection, "main", "t", "c", 1, 1, &blob) == SQLITE_OK)
      #expect(sqlite3_blob_write(blob, [UInt8(ascii: letter)], 1, 0) == SQLITE_OK)
      sqlite3_blob_close(blob)
      // Changes made without the library are reported with its next statement.
      try db.execute(sql: "SELECT 1")
    }
    try dbQueue.inDatabase { db in
      try write("d", db)
      try db.execute(sql: "ALTER TABLE t DROP COLUMN b")
      _ = recorder.take()
      try write("e", db)
    }
    let change = try #require(recorder.take().first?.rows.first)
    #expect(change.changedColumns == ["c"])
    #expect(change.old?.words == #"#1(a="a" c="d")"#)
  }
}
