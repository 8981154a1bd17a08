import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Changes other than row changes, and changes made without the library, are reported as far as they are known.
@Suite struct SchemaAndForeignChangeTests {
  @Test func schemaChangesAreReported() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "CREATE TABLE a (b); ALTER TABLE a ADD COLUMN c; DROP TABLE a; CREATE VIEW v AS SELECT 1")
      try db.execute(sql: "BEGIN; CREATE TEMP TABLE d (a); ROLLBACK")
    }
    let changes = recorder.take().map { $0.schemaChanges.filter { $0.subject != .index } }
    #expect(
      changes.map { $0.map { "\($0.kind) \($0.subject) \($0.database).\($0.name)" } } == [
        ["create table main.a"], ["alter table main.a"], ["drop table main.a"], ["create view main.v"],
      ])
  }

  @Test func tablesWithNewColumnsReportThem() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO book VALUES (1, 'A', 1)") }
    try dbQueue.inDatabase { try $0.execute(sql: "ALTER TABLE book ADD COLUMN isbn DEFAULT 'x'") }
    _ = recorder.take()
    try dbQueue.inDatabase { try $0.execute(sql: "UPDATE book SET pages = 2") }
    #expect(
      recorder.takeRows() == [
        #"update book #1(id=1 isbn="x" pages=1 title="A") -> #1(id=1 isbn="x" pages=2 title="A") [pages]"#
      ])
  }

  @Test func recompiledStatementsAreReportedAsBefore() throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a);")
    try dbQueue.inDatabase { db in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      try db.execute(sql: "CREATE TABLE u (a)")
      _ = recorder.take()
      // SQLite begins a transaction, finds another schema, rolls back, and begins again.
      try db.execute(sql: "INSERT INTO t VALUES (1)")
    }
    #expect(recorder.takeRows() == ["insert t #2(a=1)"])
  }

  @Test(arguments: ["rtree(id, lo, hi)", "fts5(body)", "fts4(body)"])
  func openingAVirtualTableAgainIsNoChange(module: String) throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a); CREATE VIRTUAL TABLE v USING \(module);")
    try dbQueue.inDatabase { db in
      try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 6.5")
      _ = recorder.take()
      // SQLite has dropped its connection to the virtual table with the schema, and compiles the declaration again.
      try db.execute(sql: "INSERT INTO v VALUES (\(module.hasPrefix("rtree") ? "1, 2, 3" : "'a'"))")
    }
    let changes = recorder.take()
    #expect(changes.count == 1)
    #expect(changes.allSatisfy { !$0.isUnknown && $0.schemaChanges.isEmpty })
    #expect(changes.contains { $0.tables.contains { $0.key == TableKey("v") } })
  }

  @Test func directWritesToTheSchemaTableChangeEverything() throws {
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a);", isDefensive: false)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "PRAGMA writable_schema = ON")
      _ = recorder.take()
      try db.execute(sql: "UPDATE sqlite_master SET sql = 'CREATE TABLE t (b)' WHERE name = 't'")
    }
    #expect(recorder.take().map(\.isUnknown) == [true])
  }

  @Test func externallyChangedTablesAreReportedAsTheyAre() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path("db"))
    try pool.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b)") }
    let recorder = ChangeRecorder(pool)
    func insert() throws { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (NULL, 1)") } }
    try insert()
    let other = try DatabaseQueue(path: folder.path("db"))
    try other.write { try $0.execute(sql: "DROP TABLE t; CREATE TABLE t (c INTEGER PRIMARY KEY, d)") }
    try insert()
    #expect(recorder.takeRows() == ["insert t #1(a=1 b=1)", "insert t #1(c=1 d=1)"])
  }

  // SQLite may then choose another index, so that rows have another order.
  @Test(arguments: ["ANALYZE", "PRAGMA optimize"]) func newStatisticsChangeEverything(sql: String) throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO book VALUES (1, 'A', 1); ANALYZE") }
    _ = recorder.take()
    try dbQueue.write { db in
      try db.execute(sql: "UPDATE book SET pages = 2")
      try db.execute(sql: sql)
    }
    #expect(recorder.take().map(\.isUnknown) == [true])
  }

  @Test func backupsChangeEverything() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try DatabaseQueue.withBooks().backup(to: dbQueue)
    #expect(recorder.take().map(\.isUnknown) == [true])
  }

  @Test func detachingADatabaseIsReportedImmediately() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "ATTACH ':memory:' AS aux")
      _ = recorder.take()
      try db.execute(sql: "DETACH aux")
    }
    #expect(recorder.take().contains { $0.schemaChanges.contains { $0.kind == .detach } })
  }

  @Test func vacuumChangesEverything() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.vacuum()
    #expect(recorder.take().map(\.isUnknown) == [true])
  }

  @Test func emptyTransactionsAreNotReported() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.write { try $0.execute(sql: "DELETE FROM book") }
    try dbQueue.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE; COMMIT") }
    #expect(recorder.take().isEmpty)
  }

  @Test func foreignStatementsAreReportedAsUncertain() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.inDatabase { db throws -> Void in
      sqlite3_exec(db.sqliteConnection, "INSERT INTO book VALUES (1, 'A', 1)", nil, nil, nil)
    }
    let commit = try #require(recorder.take().first)
    #expect(commit.tables.map(\.key) == [TableKey("book")] && commit.tables.allSatisfy(\.isCoarse))
    try dbQueue.inDatabase { db throws -> Void in
      sqlite3_exec(
        db.sqliteConnection, "BEGIN; INSERT INTO book VALUES (2, 'B', 1); SAVEPOINT a; COMMIT", nil, nil, nil)
    }
    #expect(recorder.take().map(\.isUnknown) == [true])
  }

  @Test func foreignSavepointsMakeATransactionUncertain() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.write { db in
      sqlite3_exec(db.sqliteConnection, "SAVEPOINT a", nil, nil, nil)
      try db.execute(sql: "INSERT INTO book VALUES (1, 'A', 1)")
      sqlite3_exec(db.sqliteConnection, "ROLLBACK TO a", nil, nil, nil)
      try db.execute(sql: "INSERT INTO book VALUES (1, 'B', 1)")
    }
    #expect(recorder.take().map(\.isUnknown) == [true])
  }

  @Test func sessionsTakingTheHookAreDetected() throws {
    guard SQLiteLibrary.hasSession else { return }
    let (dbQueue, recorder) = try captured(Captured.book)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'A', 1)")
      var session: OpaquePointer?
      #expect(sqlite3session_create(db.sqliteConnection, "main", &session) == SQLITE_OK)
      _ = recorder.take()
      try db.execute(sql: "INSERT INTO book VALUES (2, 'B', 1)")
      #expect(recorder.take().map(\.isUnknown) == [true])
      try db.execute(sql: "DELETE FROM book")
      #expect(recorder.take().first?.tables.map(\.key) == [TableKey("book")])
      sqlite3session_delete(session)
    }
  }

  @Test func reopenedVirtualTablesAreReported() throws {
    let needs = CaptureNeeds(tables: [TableKey("box"): .init()])
    let (dbQueue, recorder) = try captured("CREATE VIRTUAL TABLE box USING rtree(id, a, b); CREATE TABLE t (a);", needs)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
      _ = recorder.take()
      try db.execute(sql: "INSERT INTO box VALUES (1, 1, 2)")
    }
    #expect(recorder.take().flatMap(\.tables).map(\.key) == [TableKey("box")])
  }

  @Test func virtualTablesChangeWithTheirShadowTables() throws {
    let needs = CaptureNeeds(tables: [TableKey("docs"): .init(), TableKey("box"): .init()])
    let (dbQueue, recorder) = try captured(
      """
      CREATE VIRTUAL TABLE docs USING fts5(body); CREATE VIRTUAL TABLE box USING rtree(id, a, b);
      CREATE TABLE t (a);
      """, needs)
    func keys() -> [TableKey] { recorder.take().flatMap(\.tables).map(\.key) }
    try dbQueue.inDatabase { db in
      for _ in 1...2 {
        try db.execute(sql: "INSERT INTO docs VALUES ('hello')")
        #expect(keys() == [TableKey("docs")])
        try db.execute(sql: "INSERT INTO box VALUES (NULL, 1, 2)")
        #expect(keys() == [TableKey("box")])
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        #expect(keys() == [])
        try db.execute(sql: "DELETE FROM docs")
        #expect(keys() == [TableKey("docs")])
      }
    }
  }

  /// `CREATE TABLE` makes the full-text table write what it has buffered. The hook of these rows reads the schema, before
  /// it contains the new table.
  @Test(arguments: [false, true])
  func `rows of a new table are reported after buffered content of a full-text table`(isAttached: Bool) throws {
    let (dbQueue, recorder) = try captured(
      """
      \(isAttached ? "ATTACH ':memory:' AS other;" : "")
      CREATE VIRTUAL TABLE docs USING fts5(body);
      CREATE TABLE t (a); INSERT INTO t VALUES (1);
      """)
    func rowsOfNewTable() -> [String] { recorder.takeRows().filter { $0.contains("copy") } }
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO docs VALUES ('hello')")
      try db.execute(sql: "CREATE TABLE copy AS SELECT * FROM t")
    }
    #expect(rowsOfNewTable() == ["insert copy #1(a=1)"])
    try dbQueue.write { try $0.execute(sql: "INSERT INTO copy VALUES (2)") }
    #expect(rowsOfNewTable() == ["insert copy #2(a=2)"])
  }
}
