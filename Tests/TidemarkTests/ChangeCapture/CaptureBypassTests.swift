import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Statements whose row changes no observer needs bypass the capture, and no change is missed.
@Suite struct CaptureBypassTests {
  private static let tables = "CREATE TABLE wanted (a INTEGER PRIMARY KEY, b); CREATE TABLE other (c UNIQUE);"

  /// The rows of one table are observed.
  private static let rows = CaptureNeeds(tables: [TableKey("wanted"): .all])

  /// The kinds of changes of one table are observed.
  private static let kinds = CaptureNeeds(tables: [TableKey("wanted"): .init(columns: nil)])

  /// Runs a statement several times.
  private func repeatedly(_ db: Database, _ sql: String, _ arguments: some Sequence<Int>) throws {
    for argument in arguments { try db.execute(sql: sql, arguments: [argument]) }
  }

  private func bypassesCapture(_ db: Database, _ sql: String) throws -> Bool {
    try db.preparedStatement(sql: sql).bypassesCapture(wasInsideTransaction: true)
  }

  private static let intoOther = "INSERT OR IGNORE INTO other VALUES (?)"
  private static let intoWanted = "INSERT INTO wanted VALUES (?, 0)"

  // MARK: - What is quiet

  @Test func statementsOfUnneededTablesBypassCapture() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    try dbQueue.write { db in
      try repeatedly(db, Self.intoOther, 1...3)
      try repeatedly(db, Self.intoWanted, 1...20)
      #expect(try bypassesCapture(db, Self.intoOther))
      #expect(try !bypassesCapture(db, Self.intoWanted))
    }
    try dbQueue.inDatabase { db throws -> Void in #expect(try !bypassesCapture(db, Self.intoOther)) }
    #expect(recorder.takeRows().count == 20)
  }

  @Test func statementsAlreadyInTheLogBypassCapture() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.kinds)
    try dbQueue.write { db in
      try repeatedly(db, Self.intoWanted, 1...10)
      #expect(try bypassesCapture(db, Self.intoWanted))
      try repeatedly(db, "DELETE FROM wanted WHERE a = ?", 1...10)
      #expect(try bypassesCapture(db, "DELETE FROM wanted WHERE a = ?"))
    }
    let table = try #require(recorder.take().first?.tables.first)
    #expect(table.inserts && table.deletes && !table.updates)
  }

  @Test func updatesOfUnneededColumnsBypassCapture() throws {
    let needs = CaptureNeeds(tables: [TableKey("wanted"): .init(columns: ["a"], values: ["a"], rows: true)])
    let (dbQueue, recorder) = try captured(Self.tables, needs)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO wanted VALUES (1, 0)")
      try repeatedly(db, "UPDATE wanted SET b = ?", 1...10)
      #expect(try bypassesCapture(db, "UPDATE wanted SET b = ?"))
      try repeatedly(db, "UPDATE wanted SET a = ?", 1...10)
      #expect(try !bypassesCapture(db, "UPDATE wanted SET a = ?"))
    }
    #expect(recorder.takeRows().count == 10)
  }

  @Test func updatesOfGeneratingColumnsAreCaptured() throws {
    let needs = CaptureNeeds(tables: [TableKey("t"): .init(columns: ["c"], values: ["c"], rows: true)])
    let (dbQueue, recorder) = try captured("CREATE TABLE t (b, c AS (b + 1) STORED); INSERT INTO t VALUES (0);", needs)
    try dbQueue.write { try repeatedly($0, "UPDATE t SET b = ?", 1...10) }
    #expect(recorder.takeRows().count == 10)
  }

  @Test func replacingStatementsAreAlwaysCaptured() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.kinds)
    try dbQueue.write { db in
      try repeatedly(db, "INSERT OR REPLACE INTO wanted VALUES (?, 0)", 1...10)
      try db.execute(sql: "INSERT OR REPLACE INTO wanted VALUES (?, 0)", arguments: [1])
    }
    #expect(recorder.take().first?.tables.first?.deletes == true)
  }

  @Test func tablesWithReplaceConflictsAreAlwaysCaptured() throws {
    let needs = CaptureNeeds(tables: [TableKey("t"): .init(columns: nil)])
    let (dbQueue, recorder) = try captured("CREATE TABLE t (a UNIQUE ON CONFLICT REPLACE);", needs)
    try dbQueue.write { db in
      try db.execute(sql: "PRAGMA case_sensitive_like = ON")
      try repeatedly(db, "INSERT INTO t VALUES (?)", 1...10)
      try repeatedly(db, "INSERT INTO t VALUES (?)", 1...1)
    }
    #expect(recorder.take().first?.tables.first?.deletes == true)
  }

  // MARK: - What ends it

  @Test func changesAfterARollbackAreCaptured() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.kinds)
    func write(_ last: ClosedRange<Int>?) throws {
      try dbQueue.write { db in
        try db.inSavepoint {
          try repeatedly(db, Self.intoWanted, 1...20)
          return .rollback
        }
        if let last { try repeatedly(db, Self.intoWanted, last) }
      }
    }
    try write(nil)
    #expect(recorder.take().isEmpty)
    try write(1...1)
    #expect(recorder.take().map { $0.tables.map(\.inserts) } == [[true]])
  }

  @Test func newNeedsEndTheBypass() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    try dbQueue.write { try repeatedly($0, Self.intoOther, 1...5) }
    #expect(recorder.take().isEmpty)
    _ = recorder.setNeeds(.all)
    try dbQueue.write { try repeatedly($0, Self.intoOther, 6...7) }
    #expect(recorder.takeRows() == ["insert other #6(c=6)", "insert other #7(c=7)"])
  }

  @Test func newObserversEndTheBypass() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    let events = EventRecorder { $0.tableName == "other" }
    try dbQueue.write { db in
      try repeatedly(db, Self.intoOther, 1...5)
      db.add(transactionObserver: events)
      try repeatedly(db, Self.intoOther, 6...6)
    }
    #expect(events.log.contains("insert other 6"))
    #expect(recorder.take().isEmpty)
  }

  @Test(arguments: [[1, 6, 7, 8], [6, 7, 8]])
  func newTriggersEndTheBypass(arguments: [Int]) throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    try dbQueue.write { try repeatedly($0, Self.intoOther, 1...5) }
    try dbQueue.write { db in
      try db.execute(
        sql: "CREATE TRIGGER copied AFTER INSERT ON other BEGIN INSERT INTO wanted VALUES (new.c, 1); END")
    }
    _ = recorder.take()
    // In one case, the first of them changes nothing, and is recompiled all the same.
    try dbQueue.write { try repeatedly($0, Self.intoOther, arguments) }
    try dbQueue.write { try repeatedly($0, Self.intoOther, 9...14) }
    #expect(
      recorder.takeRows() == [6, 7, 8, 9, 10, 11, 12, 13, 14].map { "insert wanted #\($0)(a=\($0) b=1)" })
  }

  @Test func recompiledStatementsBypassCaptureAgain() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    try dbQueue.write { try repeatedly($0, Self.intoOther, 1...5) }
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE third (a)") }
    _ = recorder.take()
    try dbQueue.write { db in
      try repeatedly(db, Self.intoOther, 6...12)
      #expect(try bypassesCapture(db, Self.intoOther))
    }
    #expect(recorder.take().isEmpty)
  }

  @Test func deletesRecompiledDuringABypassReportTheirRowsLater() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    let empty = "DELETE FROM other"
    try dbQueue.write { db in for _ in 1...3 { try db.execute(sql: empty) } }
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE third (a)") }
    try dbQueue.write { try $0.execute(sql: empty) }
    _ = recorder.setNeeds(.all)
    try dbQueue.write { try $0.execute(sql: Self.intoOther, arguments: [1]) }
    _ = recorder.take()
    try dbQueue.write { try $0.execute(sql: empty) }
    #expect(recorder.takeRows() == ["delete other #1(c=1)"])
  }

  // MARK: - What happens inside of it

  /// An action that a function runs on request, on the thread that uses the connection.
  private final class Disturbance: @unchecked Sendable {
    let db: Database
    let body: (Database) throws -> Void
    var isDue = false

    init(_ db: Database, _ body: @escaping (Database) throws -> Void) {
      self.db = db
      self.body = body
    }
  }

  /// Calls a closure in the middle of a statement that bypasses the capture, and which then fails, or succeeds.
  ///
  /// - Parameter setUp: Called before.
  private func withinBypassedStep(
    fails: Bool, setUp: (Database) throws -> Void = { _ in }, _ body: @escaping (Database) throws -> Void
  ) throws -> (rows: [String], isCoarse: Bool) {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    let sql = "INSERT INTO other SELECT busy(?)"
    try dbQueue.inDatabase { db in
      try setUp(db)
      let disturbance = Disturbance(db, body)
      db.add(
        function: DatabaseFunction("busy", argumentCount: 1) { values in
          if disturbance.isDue {
            try disturbance.body(disturbance.db)
            if fails { throw DatabaseError(message: "no") }
          }
          return values[0]
        })
      try db.execute(sql: "BEGIN")
      try repeatedly(db, sql, 1...5)
      #expect(try bypassesCapture(db, sql))
      disturbance.isDue = true
      let outcome = Result { try db.execute(sql: sql, arguments: [6]) }
      #expect((try? outcome.get()) == nil || !fails)
      try db.execute(sql: "COMMIT")
    }
    let reports = recorder.take()
    return (
      reports.flatMap(\.rows).map(\.words), reports.contains { $0.isUnknown || $0.tables.contains(where: \.isCoarse) }
    )
  }

  @Test func nestedStatementsAreCaptured() throws {
    let reports = try withinBypassedStep(fails: false) { try $0.execute(sql: "INSERT INTO wanted VALUES (1, 0)") }
    #expect(reports.rows == ["insert wanted #1(a=1 b=0)"])
    #expect(!reports.isCoarse)
  }

  @Test func nestedStatementsOfAFailedOneMayPersist() throws {
    let reports = try withinBypassedStep(fails: true) { try $0.execute(sql: "INSERT INTO wanted VALUES (1, 0)") }
    #expect(reports.isCoarse)
  }

  @Test func foreignStatementsInsideABypassAreReported() throws {
    let reports = try withinBypassedStep(fails: false) { db in
      #expect(sqlite3_exec(db.sqliteConnection, "INSERT INTO wanted VALUES (1, 0)", nil, nil, nil) == SQLITE_OK)
    }
    #expect(reports.isCoarse || reports.rows == ["insert wanted #1(a=1 b=0)"])
  }

  @Test func statementsThatWereCompiledBeforeAreCapturedInsideABypass() throws {
    let sql = "INSERT INTO wanted VALUES (1, 0)"
    let reports = try withinBypassedStep(fails: false) {
      _ = try $0.cachedStatement(sql: sql)
    } _: {
      try $0.cachedStatement(sql: sql).execute()
    }
    #expect(reports.rows == ["insert wanted #1(a=1 b=0)"])
    #expect(!reports.isCoarse)
  }

  @Test func foreignStatementsThatWereCompiledBeforeAreReportedInsideABypass() throws {
    nonisolated(unsafe) var insert: OpaquePointer?
    defer { sqlite3_finalize(insert) }
    let reports = try withinBypassedStep(fails: false) { db in
      let sql = "INSERT INTO wanted VALUES (1, 0)"
      try #require(sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &insert, nil) == SQLITE_OK)
    } _: { _ in
      #expect(sqlite3_step(insert) == SQLITE_DONE)
      sqlite3_reset(insert)
    }
    #expect(reports.isCoarse || reports.rows == ["insert wanted #1(a=1 b=0)"])
  }

  // MARK: - The rest of a step

  /// Executes a statement that inserts the numbers from 1 to 60 into a table whose rows are not needed, and calls a
  /// closure before each row.
  ///
  /// - Returns: For each number, whether the statement was bypassing the capture; and the reported rows.
  private func insertingManyRows(
    _ body: @escaping (Database, _ number: Int) throws -> Void
  ) throws -> (bypasses: [Bool], rows: [String], isCoarse: Bool) {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    nonisolated(unsafe) var bypasses: [Bool] = []
    try dbQueue.write { db in
      let disturbance = Disturbance(db) { try body($0, bypasses.count) }
      db.add(
        function: DatabaseFunction("busy", argumentCount: 1) { values in
          bypasses.append(disturbance.db.capture.bypass.current != nil)
          try disturbance.body(disturbance.db)
          return values[0]
        })
      try db.execute(
        sql: """
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60)
          INSERT INTO other SELECT busy(n) FROM number
          """)
    }
    let reports = recorder.take()
    return (
      bypasses, reports.flatMap(\.rows).map(\.words),
      reports.contains { $0.isUnknown || $0.tables.contains(where: \.isCoarse) }
    )
  }

  @Test func afterManyUnneededRowsTheRestOfAStepBypassesCapture() throws {
    let inserted = try insertingManyRows { _, _ in }
    #expect(inserted.bypasses == Array(repeating: false, count: 32) + Array(repeating: true, count: 28))
    #expect(inserted.rows.isEmpty && !inserted.isCoarse)
  }

  @Test func statementsInsideTheRestOfAStepAreCaptured() throws {
    let inserted = try insertingManyRows { db, number in
      if number == 50 { try db.execute(sql: "INSERT INTO wanted VALUES (1, 0)") }
    }
    #expect(inserted.bypasses[49] && !inserted.bypasses[50])
    #expect(inserted.rows == ["insert wanted #1(a=1 b=0)"])
    #expect(!inserted.isCoarse)
  }

  @Test func foreignStatementsInsideTheRestOfAStepAreReported() throws {
    let inserted = try insertingManyRows { db, number in
      guard number == 50 else { return }
      #expect(sqlite3_exec(db.sqliteConnection, "INSERT INTO wanted VALUES (1, 0)", nil, nil, nil) == SQLITE_OK)
    }
    #expect(inserted.bypasses[49] && !inserted.bypasses[50])
    #expect(inserted.isCoarse || inserted.rows == ["insert wanted #1(a=1 b=0)"])
  }

  @Test func rowsAfterTheRestOfAStepAreCaptured() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    try dbQueue.write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60)
          INSERT INTO other SELECT n FROM number
          """)
      try db.execute(sql: "INSERT INTO wanted VALUES (1, 0)")
    }
    #expect(recorder.takeRows() == ["insert wanted #1(a=1 b=0)"])
  }

  // MARK: - Other users of the connection

  @Test func foreignStatementsBetweenBypassesAreReported() throws {
    let (dbQueue, recorder) = try captured(Self.tables, Self.rows)
    try dbQueue.write { db in
      try repeatedly(db, Self.intoOther, 1...5)
      sqlite3_exec(db.sqliteConnection, "INSERT INTO wanted VALUES (1, 0)", nil, nil, nil)
      try repeatedly(db, Self.intoOther, 6...9)
    }
    #expect(recorder.take().map { $0.tables.map(\.key) } == [[TableKey("wanted")]])
  }

  @Test func sessionsKeepTheirHook() throws {
    guard SQLiteLibrary.hasSession else { return }
    let (dbQueue, recorder) = try captured(
      "CREATE TABLE wanted (a INTEGER PRIMARY KEY); CREATE TABLE other (c INTEGER PRIMARY KEY);", Self.rows)
    try dbQueue.inDatabase { db in
      var session: OpaquePointer?
      #expect(sqlite3session_create(db.sqliteConnection, "main", &session) == SQLITE_OK)
      #expect(sqlite3session_attach(session, nil) == SQLITE_OK)
      try db.inTransaction {
        try repeatedly(db, Self.intoOther, 1...10)
        return .commit
      }
      var (size, changes) = (CInt(0), UnsafeMutableRawPointer?.none)
      #expect(sqlite3session_changeset(session, &size, &changes) == SQLITE_OK)
      sqlite3_free(changes)
      // Ten rows of some bytes each.
      #expect(size > 100)
      sqlite3session_delete(session)
    }
    #expect(recorder.take().isEmpty)
  }
}
