import Testing

import Tidemark
@testable import TidemarkEssentials

/// Rolled back changes are not reported; all others are.
@Suite struct UndoneChangeTests {
  @Test func failedStatementsLeaveNoChange() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO book VALUES (2, 'A', 1), (3, 'Dune', 1)") }
    }
    #expect(recorder.takeRows() == [#"insert book #1(id=1 pages=412 title="Dune")"#])
  }

  /// FTS5 creates and fills some of its tables before it finds that another one exists.
  @Test func aVirtualTableThatCannotBeCreatedLeavesNoChange() throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE note (id INTEGER PRIMARY KEY); CREATE TABLE text_config (k)")
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO note VALUES (1)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE VIRTUAL TABLE text USING fts5(body)") }
      #expect(try db.tableExists("text_data") == false)
    }
    let commits = recorder.take()
    #expect(commits.flatMap(\.rows).map(\.words) == ["insert note #1(id=1)"])
    #expect(!commits.contains { $0.isUnknown })
  }

  @Test(arguments: ["ROLLBACK", "ROLLBACK TO a; RELEASE a"])
  func rolledBackChangesAreNotReported(sql: String) throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.inDatabase { try $0.execute(sql: "SAVEPOINT a; INSERT INTO book VALUES (1, 'A', 1); \(sql)") }
    #expect(recorder.take().isEmpty)
  }

  @Test(arguments: ["OR FAIL", "OR IGNORE", "OR REPLACE"])
  func changesKeptByAConflictAreReported(conflict: String) throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    let rows = try dbQueue.write { db in
      // Its failure is not the subject of this test.
      try? db.execute(sql: "INSERT \(conflict) INTO book VALUES (1, 'A', 1), (2, 'B', 1), (3, 'A', 1)")
      return try Int.fetchAll(db, sql: "SELECT id FROM book ORDER BY id")
    }
    var reports: Set<Int64> = []
    for change in recorder.take().flatMap(\.rows) {
      if let id = change.old?.rowID { reports.remove(id) }
      if let id = change.new?.rowID { reports.insert(id) }
    }
    #expect(reports.sorted() == rows.map(Int64.init))
  }

  @Test func changesKeptByAFailureAreReported() throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (id INTEGER PRIMARY KEY, a);")
    try dbQueue.write { db throws -> Void in
      // SQLite has no statement journal, and cannot roll back its first row.
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR IGNORE INTO t VALUES (3, 1), (0.5, 2)") }
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM t") == [3])
    }
    #expect(recorder.takeRows() == ["insert t #3(a=1 id=3)"])
  }

  /// The log has room for the deletion of the replaced row, and not for its insertion.
  @Test(arguments: [1, 2, 3, 100]) func replacedRowsKeptByAFailureAreReported(bound: Int) throws {
    let (dbQueue, recorder) = try captured(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (2, 0), (4, 0)", bound: bound)
    try dbQueue.write { db throws -> Void in
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT OR REPLACE INTO t VALUES (2, 1), (4, 1), ('x', 1)")
      }
      #expect(error?.resultCode == .SQLITE_MISMATCH)
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 1])
    }
    let table = try #require(recorder.take().first?.tables.first)
    #expect(table.key == TableKey("t") && table.inserts)
  }

  /// The row that is replaced cannot be deleted from an index that does not contain it.
  @Test(arguments: ["(1, 'd'), (2, 'e')", "(9, 'd'), (2, 'e')", "(2, 'e')"])
  func changesKeptInADamagedDatabaseAreReported(rows: String) throws {
    let (dbQueue, recorder) = try captured(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE INDEX i ON t (a);
      CREATE TABLE other (a); CREATE INDEX j ON other (a);
      INSERT INTO t VALUES (1, 'a'), (2, 'b'); INSERT INTO other VALUES ('a');
      """, isDefensive: false)
    // The index of the other table contains the first row, and not the second.
    try dbQueue.inDatabase { db in
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'j') WHERE name = 'i';
          PRAGMA writable_schema = RESET
          """)
    }
    _ = recorder.take()
    let dump = "SELECT id || a FROM t NOT INDEXED"
    let before = try dbQueue.read { try String.fetchAll($0, sql: dump) }
    try dbQueue.write { db in
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT OR REPLACE INTO t VALUES \(rows)")
      }
      #expect(error?.resultCode == .SQLITE_CORRUPT)
    }
    let after = try dbQueue.read { try String.fetchAll($0, sql: dump) }
    let isReported = recorder.take().contains { $0.tables.contains { $0.key == TableKey("t") } }
    #expect(isReported || before == after)
  }

  /// SQLite assumes that a cascade leaves no orphan, and has no journal for the statement. The child is stored with
  /// another type than the parent, so that it stays.
  @Test func deletesKeptByAForeignKeyFailureAreReported() throws {
    let (dbQueue, recorder) = try captured(
      """
      CREATE TABLE p (k INTEGER PRIMARY KEY) WITHOUT ROWID; CREATE TABLE c (p REFERENCES p ON DELETE CASCADE);
      INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES ('1');
      """)
    var count = 0
    try dbQueue.write { db in
      #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM p") }
      count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM p") ?? 0
    }
    let reports = recorder.take()
    let deletes = reports.flatMap(\.rows).filter { $0.kind == .delete }.count
    #expect(count + deletes == 2 || reports.contains { $0.tables.contains(where: \.isCoarse) })
    #expect(reports.isEmpty == (count == 2))
  }

  @Test func changesKeptByFailWithoutRowIDsAreReported() throws {
    let (dbQueue, recorder) = try captured(
      "CREATE TABLE w (k TEXT PRIMARY KEY, n INTEGER CHECK (n < 9)) WITHOUT ROWID;")
    try dbQueue.write { db in
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT OR FAIL INTO w VALUES ('a', 1), ('b', 2), ('c', 9)")
      }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO w VALUES ('d', 1), ('e', 9)") }
    }
    #expect(recorder.takeRows() == [#"insert w (k="a" n=1)"#, #"insert w (k="b" n=2)"#])
  }

  @Test func virtualTableWritesBeforeAFailureAreReported() throws {
    let (dbQueue, recorder) = try captured("CREATE VIRTUAL TABLE docs USING fts5(body); CREATE TABLE t (a UNIQUE);")
    try dbQueue.write { db throws -> Void in
      try db.execute(sql: "INSERT INTO docs VALUES ('one')")
      // The index is written when the next statement begins.
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (1), (2), (1)") }
      let rebuildingKeepsRowIDs = try Set(Int64.fetchAll(db, sql: "SELECT rowid FROM docs_data"))
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t").isEmpty)
      #expect(rebuildingKeepsRowIDs.count == 3)
    }
    let rows = recorder.take().flatMap(\.rows)
    #expect(!rows.contains { $0.table == TableKey("t") })
    #expect(rows.filter { $0.table == TableKey("docs_data") && $0.new != nil }.count >= 3)
  }

  @Test func changesKeptByAFailedTriggerAreReported() throws {
    let (dbQueue, recorder) = try captured(
      """
      CREATE TABLE t (a); CREATE TABLE l (a);
      CREATE TRIGGER r BEFORE INSERT ON t BEGIN
        INSERT INTO l VALUES (new.a);
        SELECT RAISE(FAIL, 'no');
      END;
      """)
    try dbQueue.write { db throws -> Void in
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM l") == [1])
    }
    #expect(recorder.takeRows() == ["insert l #1(a=1)"])
  }
}
