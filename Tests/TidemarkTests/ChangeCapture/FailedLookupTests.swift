import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// What cannot be looked up while a statement runs is reported in a wider form.
///
/// SQLite refuses long statements in these tests: statements of the library fail, and compiled statements still run.
@Suite struct FailedLookupTests {
  private func refusingLongStatements<Result>(_ db: Database, _ body: () throws -> Result) throws -> Result {
    let connection = try #require(db.handle).pointer
    let limit = sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, 10)
    defer { sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, limit) }
    return try body()
  }

  // MARK: - Values

  /// The rows are older than the column `d`, and do not contain its value.
  private static let defaulted = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, x'01'), (2, x'02');
    ALTER TABLE t ADD COLUMN d DEFAULT 5;
    """

  @Test(arguments: ["UPDATE t SET a = 0, d = d WHERE id = ?", "DELETE FROM t WHERE id = ?"])
  func `a row whose old value cannot be read is not reported as a row`(sql: String) throws {
    let (dbQueue, recorder) = try captured(Self.defaulted)
    try dbQueue.write { db in
      let statement = try db.makeStatement(sql: sql)
      // The tables of the statement are looked up.
      try statement.execute(arguments: [99])
      try refusingLongStatements(db) { try statement.execute(arguments: [1]) }
    }
    let changes = recorder.take()
    #expect(changes.flatMap(\.rows).isEmpty)
    #expect(changes.flatMap(\.tables).map(\.summary) == ["t insert delete update(*) coarse"])
  }

  @Test func `a blob write to a row whose old value cannot be read is not reported as a row`() throws {
    let (dbQueue, recorder) = try captured(Self.defaulted)
    try dbQueue.inDatabase { db in
      var blob: OpaquePointer?
      try #require(sqlite3_blob_open(db.sqliteConnection, "main", "t", "a", 1, 1, &blob) == SQLITE_OK)
      defer { sqlite3_blob_close(blob) }
      // The table is looked up.
      try db.execute(sql: "DELETE FROM t WHERE id = 99")
      _ = recorder.take()
      try refusingLongStatements(db) { #expect(sqlite3_blob_write(blob, [9], 1, 0) == SQLITE_OK) }
    }
    let changes = recorder.take()
    #expect(changes.flatMap(\.rows).isEmpty)
    #expect(changes.flatMap(\.tables).map(\.summary) == ["t insert delete update(*) coarse"])
  }

  /// `"rowid"` is a column of this table. As a condition, it would find another row, with another value of `d`.
  @Test func `the old value of a column is not read from another row`() throws {
    let (dbQueue, recorder) = try captured(
      """
      CREATE TABLE t (k TEXT PRIMARY KEY, rowid, oid, _rowid_);
      INSERT INTO t VALUES ('a', 2, 0, 0), ('b', 1, 0, 0);
      ALTER TABLE t ADD COLUMN d DEFAULT 5;
      UPDATE t SET d = 7 WHERE k = 'b';
      """)
    try dbQueue.write { try $0.execute(sql: "UPDATE t SET k = 'c', d = d WHERE k = 'a'") }
    let changes = recorder.take()
    #expect(changes.flatMap(\.rows).isEmpty)
    #expect(changes.flatMap(\.tables).map(\.summary) == ["t insert delete update(*) coarse"])
  }

  // MARK: - Tables

  @Test func `a table that does not exist is not needed, and observers are asked about no column`() throws {
    let observer = EventRecorder()
    observer.logsQuestions = true
    let dbQueue = try observed(observer)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
      _ = observer.takeLog()
      db.changeCapture.needs.ofSubscribers = .all
      let missing = db.changeCapture.unplannedTable(TableKey("missing"))
      #expect(missing.layout == nil)
    }
    #expect(observer.log.prefix(3) == ["insert into missing?", "delete from missing?", "update missing()?"])
  }

  @Test func `a statement whose tables are unknown is not ordinary`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (a); CREATE VIRTUAL TABLE docs USING fts5(body)")
      let (insert, query) = (
        try db.makeStatement(sql: "INSERT INTO t VALUES (1)"), try db.makeStatement(sql: "SELECT 1")
      )
      let insertDocument = try db.makeStatement(sql: "INSERT INTO docs VALUES ('hello')")
      #expect(!db.changeCapture.isOrdinary(query))
      try refusingLongStatements(db) { #expect(!db.changeCapture.isOrdinary(insert)) }
      #expect(db.changeCapture.isOrdinary(insert))
      #expect(!db.changeCapture.isOrdinary(insertDocument))
    }
  }

  @Test func `if the schema cannot be searched for REPLACE, each step of a statement is captured`() throws {
    let needs = CaptureNeeds(tables: [TableKey("t"): .init(columns: nil)])
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a UNIQUE ON CONFLICT REPLACE);", needs)
    try dbQueue.write { db in
      let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
      for number in 1...7 { try insert.execute(arguments: [number]) }
      try refusingLongStatements(db) { for number in 8...12 { try insert.execute(arguments: [number]) } }
      try insert.execute(arguments: [1])
    }
    #expect(recorder.take().flatMap(\.tables).map(\.summary) == ["t insert delete coarse"])
  }

  // MARK: - Failed statements

  @Test func `a statement that cannot be explained may have kept its changes`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (a UNIQUE)")
      let insert = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
      #expect(!insert.mayFailWithoutUndoing)
      try refusingLongStatements(db) { #expect(insert.mayFailWithoutUndoing) }
    }
  }

  /// Whether the rows of a failed statement are found as the statement left them; nil if no row shows it.
  private func areRowsKept(_ db: Database, _ change: (inout ChangeLog) -> Void) -> Bool? {
    let capture = db.changeCapture
    capture.log.willStep()
    defer { capture.log.didStep(.undone) }
    change(&capture.log)
    return capture.areRowsKept()
  }

  private func withTables(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'a');
          CREATE TABLE w (k PRIMARY KEY, n) WITHOUT ROWID; INSERT INTO w VALUES ('a', 1);
          """)
      try db.inTransaction {
        try db.execute(sql: "UPDATE t SET a = 'a'")
        try body(db)
        return .commit
      }
    }
  }

  private static func table(_ name: String, _ columns: [String], hasRowID: Bool) -> CapturedTable {
    CapturedTable(TableKey(name), layout: .ofTable(name, columns, hasRowID: hasRowID))
  }

  @Test func `a row shows whether the changes of a failed statement were kept`() throws {
    let (t, w) = (Self.table("t", ["a"], hasRowID: true), Self.table("w", ["k", "n"], hasRowID: false))
    try withTables { db in
      #expect(areRowsKept(db) { $0.insert(1, ["a"], into: t) } == true)
      #expect(areRowsKept(db) { $0.delete(1, ["a"], from: t) } == false)
      #expect(areRowsKept(db) { $0.insert(0, ["a", 1], into: w) } == true)
      #expect(areRowsKept(db) { $0.insert(0, ["b", 1], into: w) } == false)
    }
  }

  @Test func `an updated row shows by its values whether the changes of a failed statement were kept`() throws {
    let (t, w) = (Self.table("t", ["a"], hasRowID: true), Self.table("w", ["k", "n"], hasRowID: false))
    try withTables { db in
      #expect(areRowsKept(db) { $0.update(1, from: ["b"], to: ["a"], changing: 1, in: t) } == true)
      #expect(areRowsKept(db) { $0.update(1, from: ["a"], to: ["b"], changing: 1, in: t) } == false)
      #expect(areRowsKept(db) { $0.update(0, from: ["a", 1], to: ["a", 2], changing: 2, in: w) } == false)
      // The first values and the last ones count.
      #expect(
        areRowsKept(db) { log in
          log.update(1, from: ["a"], to: ["b"], changing: 1, in: t)
          log.update(1, from: ["b"], to: ["c"], changing: 1, in: t)
        } == false)
    }
  }

  @Test func `an updated row with other values, or without changed ones, shows nothing`() throws {
    let t = Self.table("t", ["a"], hasRowID: true)
    try withTables { db in
      #expect(areRowsKept(db) { $0.update(1, from: ["x"], to: ["y"], changing: 1, in: t) } == nil)
      #expect(areRowsKept(db) { $0.update(1, from: ["a"], to: ["a"], changing: 1, in: t) } == nil)
      #expect(areRowsKept(db) { $0.update(9, from: ["a"], to: ["b"], changing: 1, in: t) } == nil)
      // A later change of the same row is not known.
      #expect(
        areRowsKept(db) { log in
          log.update(1, from: ["a"], to: ["b"], changing: 1, in: t)
          log.update(1, from: ["b"], to: ["c"], changing: 1, unknownColumn: 0, in: t)
        } == nil)
    }
  }

  @Test func `a row without a known identity shows nothing`() throws {
    let missing = [Self.table("missing", ["a"], hasRowID: true), Self.table("missing", ["k"], hasRowID: false)]
    let keyless = Self.table("w", ["n"], hasRowID: false)
    try withTables { db in
      for table in missing { #expect(areRowsKept(db) { $0.insert(1, ["a"], into: table) } == nil) }
      #expect(areRowsKept(db) { $0.insert(0, [1], into: keyless) } == nil)
    }
  }

  @Test func `rows that cannot be looked up show nothing`() throws {
    let (t, w) = (Self.table("t", ["a"], hasRowID: true), Self.table("w", ["k", "n"], hasRowID: false))
    try withTables { db in
      try refusingLongStatements(db) { #expect(areRowsKept(db) { $0.insert(0, ["a", 1], into: w) } == nil) }
      _ = try db.primaryKey("t")
      try refusingLongStatements(db) { #expect(areRowsKept(db) { $0.insert(1, ["a"], into: t) } == nil) }
    }
  }
}
