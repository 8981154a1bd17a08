import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Without the pre-update hook, all changed tables are reported.
@Suite struct FallbackCaptureTests {
  @Test func tablesAreReportedWithoutTheHook() throws {
    let (dbQueue, recorder) = try captured(
      Captured.book + "CREATE TABLE w (a PRIMARY KEY) WITHOUT ROWID; CREATE TABLE c (a);", rowHook: false)
    func reports(_ sql: String) throws -> [String] {
      try dbQueue.inDatabase { try $0.execute(sql: sql) }
      return recorder.take().flatMap { commit in
        commit.tables.map { "\($0.key) \($0.isCoarse) \($0.updatedColumns?.sorted().joined(separator: ",") ?? "?")" }
      }
    }
    #expect(try reports("INSERT INTO book VALUES (1, 'A', 1)") == ["book true "])
    #expect(try reports("UPDATE book SET pages = 2") == ["book true pages"])
    #expect(try reports("DELETE FROM book") == ["book true "])
    #expect(try reports("INSERT INTO w VALUES (1)") == ["w true "])
    #expect(try reports("DELETE FROM book") == [])
    #expect(try reports("BEGIN; INSERT INTO c VALUES (1); ROLLBACK") == [])
  }

  @Test func foreignStatementsAreUnknownWithoutTheHook() throws {
    let (dbQueue, recorder) = try captured(Captured.book, rowHook: false)
    try dbQueue.inDatabase { db throws -> Void in
      sqlite3_exec(db.sqliteConnection, "INSERT INTO book VALUES (1, 'A', 1); DELETE FROM book", nil, nil, nil)
    }
    #expect(recorder.take().isEmpty == false)
  }

  @Test func tablesAreDroppedWithoutTheHook() throws {
    let (dbQueue, _) = try captured(Captured.book, rowHook: false)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'A', 1); DELETE FROM book; DROP TABLE book")
      #expect(try !db.tableExists("book"))
    }
  }

  @Test func observersReceiveRowsWithoutTheHook() throws {
    let (dbQueue, _) = try captured(Captured.book, .none, rowHook: false)
    let recorder = EventRecorder()
    dbQueue.add(transactionObserver: recorder)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'A', 1); UPDATE book SET pages = 2; DELETE FROM book")
    }
    #expect(recorder.log == ["insert book 1", "update book 1", "delete book 1", "will commit", "did commit"])
  }
}
