import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Changes that SQLite's hooks do not report, or report wrongly, are captured.
@Suite struct ChangeCaptureTests {
  @Test func insertsUpdatesAndDeletesHaveTheirValues() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412)")
      try db.execute(sql: "UPDATE book SET pages = 500, title = title")
      try db.execute(sql: "DELETE FROM book")
    }
    let commits = recorder.take()
    #expect(
      commits.flatMap(\.rows).map(\.words) == [
        #"insert book #1(id=1 pages=412 title="Dune")"#,
        #"update book #1(id=1 pages=412 title="Dune") -> #1(id=1 pages=500 title="Dune") [pages]"#,
        #"delete book #1(id=1 pages=500 title="Dune")"#,
      ])
    #expect(commits.count == 1)
    let table = try #require(commits.first?.tables.first)
    #expect(Array(table.rowIndexes) == [0, 1, 2])
    #expect(table.updatedColumns == ["pages"])
  }

  @Test func `the first statement of a deferred transaction finds the number of rows of the statement before`() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (a); CREATE TABLE counts (n)") }
    let subscription = dbQueue.changeBroker.subscribe(.all, nil)
    let count = try dbQueue.inDatabase { db in
      try db.execute(
        sql: """
          INSERT INTO t VALUES (1), (2), (3);
          BEGIN;
          INSERT INTO counts SELECT changes();
          COMMIT
          """)
      return try Int.fetchOne(db, sql: "SELECT n FROM counts")
    }
    withExtendedLifetime(subscription) { #expect(count == 3) }
  }

  @Test func onlyNeededChangesAreReported() throws {
    let needs = CaptureNeeds(tables: [TableKey("book"): .init(columns: ["pages"], values: ["pages"])])
    let (dbQueue, recorder) = try captured(Captured.book + "CREATE TABLE other (a);", needs)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412); INSERT INTO other VALUES (1)")
      try db.execute(sql: "UPDATE book SET title = 'Solaris'")
      try db.execute(sql: "UPDATE book SET pages = 500")
    }
    #expect(
      recorder.takeRows() == [
        "insert book #1(id=1 pages=412)", "update book #1(id=1 pages=412) -> #1(id=1 pages=500) [pages]",
      ])
    try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
    #expect(recorder.take().isEmpty)
  }

  @Test func subscribersWithoutRowsReceiveKindsAndColumns() throws {
    let needs = CaptureNeeds(tables: [TableKey("book"): .init(columns: nil)])
    let (dbQueue, recorder) = try captured(Captured.book, needs)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412), (2, 'Solaris', 204)")
      try db.execute(sql: "UPDATE book SET title = title, pages = pages + 1")
    }
    let table = try #require(recorder.take().first?.tables.first)
    #expect(table.isCoarse && table.inserts && table.updates && !table.deletes)
    #expect(table.updatedColumns == ["pages"])
  }

  @Test func emptyingATableReportsItsRows() throws {
    let (dbQueue, recorder) = try captured(Captured.book, .none)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412)")
      // Compiled before there is an observer.
      try db.execute(sql: "DELETE FROM book")
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412)")
    }
    _ = recorder.setNeeds(.all)
    try dbQueue.inDatabase { try $0.execute(sql: "DELETE FROM book") }
    #expect(recorder.takeRows() == [#"delete book #1(id=1 pages=412 title="Dune")"#])
  }

  @Test func replacedRowsAreReported() throws {
    let (dbQueue, recorder) = try captured(Captured.book + "INSERT INTO book VALUES (1, 'Dune', 412);")
    try dbQueue.inDatabase { try $0.execute(sql: "REPLACE INTO book VALUES (2, 'Dune', 1)") }
    #expect(
      recorder.takeRows() == [
        #"delete book #1(id=1 pages=412 title="Dune")"#, #"insert book #2(id=2 pages=1 title="Dune")"#,
      ])
  }

  @Test func rowsWithoutIDAreIdentifiedByKey() throws {
    let needs = CaptureNeeds(tables: [TableKey("w"): .init(columns: ["b"], rows: true)])
    let (dbQueue, recorder) = try captured("CREATE TABLE w (b, c, k TEXT, PRIMARY KEY (k, b)) WITHOUT ROWID;", needs)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO w VALUES (1, 2, 'a')")
      try db.execute(sql: "UPDATE w SET k = 'z'")
    }
    #expect(recorder.takeRows() == [#"insert w (b=1 k="a")"#, #"update w (b=1 k="a") -> (b=1 k="z") [k]"#])
  }

  @Test func triggersAndForeignKeysAreReported() throws {
    let (dbQueue, recorder) = try captured(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE SET NULL);
      CREATE TABLE l (a);
      CREATE TRIGGER t AFTER UPDATE ON c BEGIN INSERT INTO l VALUES (new.id); END;
      INSERT INTO p VALUES (1); INSERT INTO c VALUES (5, 1);
      """)
    try dbQueue.inDatabase { try $0.execute(sql: "DELETE FROM p") }
    #expect(
      recorder.takeRows().sorted() == [
        "delete p #1(id=1)", "insert l #1(a=5)", "update c #5(id=5 p=1) -> #5(id=5 p=NULL) [p]",
      ])
  }

  @Test func updatesWithoutEffectAreNotReported() throws {
    let (dbQueue, recorder) = try captured(Captured.book + "INSERT INTO book VALUES (1, 'Dune', 412);")
    try dbQueue.inDatabase { try $0.execute(sql: "UPDATE book SET title = 'Dune', pages = 412.0, id = 1") }
    #expect(recorder.take().isEmpty)
  }

  @Test func newRowIDsAreChanges() throws {
    let (dbQueue, recorder) = try captured(
      Captured.book + "CREATE TABLE h (a); INSERT INTO book VALUES (1, 'Dune', 412); INSERT INTO h VALUES (5);")
    try dbQueue.write { try $0.execute(sql: "UPDATE book SET id = 2; UPDATE h SET rowid = 9") }
    #expect(
      recorder.takeRows() == [
        #"update book #1(id=1 pages=412 title="Dune") -> #2(id=2 pages=412 title="Dune") [id]"#,
        "update h #1(a=5) -> #9(a=5) [rowid]",
      ])
  }

  @Test func newStorageClassesAreChanges() throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    try dbQueue.inDatabase { try $0.execute(sql: "UPDATE t SET a = 1.0") }
    #expect(recorder.takeRows() == ["update t #1(a=1) -> #1(a=1.0) [a]"])
  }

  /// SQLite considers them equal, but prints them differently.
  @Test(arguments: [("", "-0.0"), ("BLOB", "-0.0"), ("REAL", nil), ("NUMERIC", nil)])
  func negativeZeroIsAnotherValueWhereItIsStored(type: String, stored: String?) throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a \(type)); INSERT INTO t VALUES (0.0);")
    try dbQueue.inDatabase { try $0.execute(sql: "UPDATE t SET a = ?", arguments: [-0.0]) }
    #expect(recorder.takeRows() == (stored.map { ["update t #1(a=0.0) -> #1(a=\($0)) [a]"] } ?? []))
  }

  @Test func realColumnsHaveDoubles() throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a REAL, b DOUBLE PRECISION, c FLOATING POINT);")
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 2, 3); DELETE FROM t") }
    // The third is an INTEGER for SQLite: POINT contains INT.
    #expect(recorder.takeRows() == ["insert t #1(a=1.0 b=2.0 c=3)", "delete t #1(a=1.0 b=2.0 c=3)"])
  }

  @Test(arguments: ["", "WITHOUT ROWID"])
  func addedColumnsHaveTheirDefaultAsOldValue(options: String) throws {
    let (dbQueue, recorder) = try captured(
      """
      CREATE TABLE t (k TEXT PRIMARY KEY, a) \(options); INSERT INTO t VALUES ('x', 1), ('y', 1);
      ALTER TABLE t ADD COLUMN d DEFAULT 'd'; ALTER TABLE t ADD COLUMN e REAL NOT NULL DEFAULT 5;
      UPDATE t SET d = NULL WHERE k = 'y';
      """)
    try dbQueue.inDatabase { try $0.execute(sql: "UPDATE t SET a = 2") }
    #expect(
      recorder.takeRows().map { $0.replacing(/#\d/, with: "") } == [
        #"update t (a=1 d="d" e=5.0 k="x") -> (a=2 d="d" e=5.0 k="x") [a]"#,
        #"update t (a=1 d=NULL e=5.0 k="y") -> (a=2 d=NULL e=5.0 k="y") [a]"#,
      ])
  }

  @Test(arguments: ["", "WITHOUT ROWID"])
  func columnsAfterComputedOnesHaveTheirOwnValues(options: String) throws {
    let (dbQueue, recorder) = try captured(
      """
      CREATE TABLE t (a INTEGER, v AS (a + 1), b TEXT PRIMARY KEY, s AS (a * 2) STORED, w AS (b || 'x'), c TEXT) \
      \(options);
      """)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO t (a, b, c) VALUES (1, 'b', 'c')")
      try db.execute(sql: "UPDATE t SET a = 2")
      try db.execute(sql: "UPDATE t SET b = b")
      try db.execute(sql: "DELETE FROM t")
    }
    #expect(
      recorder.takeRows().map { $0.replacing("#1", with: "") } == [
        #"insert t (a=1 b="b" c="c" s=2)"#,
        #"update t (a=1 b="b" c="c" s=2) -> (a=2 b="b" c="c" s=4) [a,s,v,w]"#,
        #"delete t (a=2 b="b" c="c" s=4)"#,
      ])
  }

  @Test func valuesEqualInSQLiteAreNotReported() throws {
    // In storage order, `b` has the position that the row ID has in the table.
    let (dbQueue, recorder) = try captured(
      "CREATE TABLE t (a INTEGER, v AS (a + 1), id INTEGER PRIMARY KEY, b TEXT, c TEXT);")
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t (a, b, c) VALUES (7, 'b', 'c'); UPDATE t SET b = 'z'") }
    let rows = recorder.takeRows()
    #expect(rows.first.map { $0 == #"insert t #1(a=7 c="c" id=1)"# || $0.contains(#"b="b""#) } == true)
    #expect(rows.last?.contains("b") == true)
  }

  @Test func blobWritesAreUpdatesOfTheirColumn() throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, x'0102');")
    try dbQueue.inDatabase { db throws -> Void in
      var blob: OpaquePointer?
      #expect(sqlite3_blob_open(db.sqliteConnection, "main", "t", "b", 1, 1, &blob) == SQLITE_OK)
      #expect(sqlite3_blob_write(blob, [9], 1, 0) == SQLITE_OK)
      sqlite3_blob_close(blob)
    }
    let change = try #require(recorder.take().first?.rows.first)
    #expect(change.changedColumns == ["b"])
    #expect(change.old?.value(of: "a") == 1.databaseValue && change.new?.value(of: "a") == 1.databaseValue)
    #expect(change.new?.value(of: "b") == nil)
  }
}
