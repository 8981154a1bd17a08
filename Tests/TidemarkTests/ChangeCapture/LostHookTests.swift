import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Changes are reported table by table while other code uses the pre-update hook.
@Suite struct LostHookTests {
  @Test func `a session that has the hook before changes are needed is detected`() throws {
    guard SQLiteLibrary.hasSession else { return }
    let (dbQueue, recorder) = try captured(Captured.book, .none)
    try dbQueue.inDatabase { db in
      var session: OpaquePointer?
      #expect(sqlite3session_create(db.sqliteConnection, "main", &session) == SQLITE_OK)
      defer { sqlite3session_delete(session) }
      _ = recorder.setNeeds(.all)
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412)")
      #expect(recorder.take().map(\.isUnknown) == [true])
      try db.execute(sql: "DELETE FROM book")
      #expect(recorder.take().flatMap(\.tables).map(\.summary) == ["book delete coarse"])
    }
  }

  @Test func `without the hook, changes cannot be recorded`() throws {
    let (dbQueue, _) = try captured(Captured.book, rowHook: false)
    try dbQueue.write { db throws -> Void in
      let error = #expect(throws: DatabaseError.self) {
        try db.recordingChanges { try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412)") }
      }
      #expect(error?.resultCode == .SQLITE_MISUSE)
      #expect(error?.message?.hasPrefix("changes cannot be recorded: other code, such as a session,") == true)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") == 0)
    }
  }

  @Test func `without the hook, observers do not receive the entries of a change feed`() throws {
    var configuration = Configuration()
    configuration.environment.usesRowHook = false
    configuration.changeFeed = ChangeFeedConfiguration()
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.write { try $0.execute(sql: Captured.book) }
    let observer = EventRecorder()
    dbQueue.add(transactionObserver: observer)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412)") }
    #expect(observer.log == ["insert book 1", "will commit", "did commit"])
  }

  @Test func `needs that change during a recording apply to the next transaction`() throws {
    let pages = CaptureNeeds(tables: [TableKey("book"): .init(columns: ["pages"])])
    let (dbQueue, recorder) = try captured(Captured.book + "INSERT INTO book VALUES (1, 'Dune', 412);", .none)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "BEGIN")
      let former = try db.changeCapture.beginRecording()
      _ = recorder.setNeeds(pages)
      try db.execute(sql: "COMMIT; BEGIN")
      #expect(db.changeCapture.endRecording(restoring: former) == nil)
      try db.execute(sql: "UPDATE book SET title = 'Emma'; UPDATE book SET pages = 500; COMMIT")
    }
    #expect(recorder.take().map { $0.tables.map(\.summary) } == [["book update(pages) coarse"]])
  }
}
