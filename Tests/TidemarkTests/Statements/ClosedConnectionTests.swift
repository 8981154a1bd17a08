import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The properties and the errors of a connection that is closed, or that has stopped.
@Suite struct ClosedConnectionTests {
  @Test func aClosedConnectionHasNoLimitAndReportsMisuse() throws {
    let dbQueue = try DatabaseQueue()
    #expect(dbQueue.inDatabase { $0.maximumStatementArgumentCount } > 0)
    try dbQueue.close()
    dbQueue.inDatabase { db in
      #expect(db.maximumStatementArgumentCount == 0)
      #expect(db.lastErrorCode == .SQLITE_MISUSE)
      #expect(db.lastErrorMessage == nil)
    }
  }

  @Test func aConnectionIsClosedOnce() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.close()
    dbQueue.inDatabase { db in
      db.closeWithStatements()
      #expect(db.handle == nil)
    }
    #expect(message { try dbQueue.read { _ in } } == closedMessage)
  }

  @Test func onlyStatementsInUseAreLogged() async {
    await #expect(processExitsWith: .success) {
      let texts = Locked<[String]>([])
      Database.logError = { _, message in texts.update { $0.append(message) } }
      let dbQueue = try DatabaseQueue()
      try dbQueue.inDatabase { db throws in
        let statement = try db.makeStatement(sql: "SELECT 1")
        db.logUnfinalizedStatements(Planned())
        db.logUnfinalizedStatements(DatabaseError(resultCode: .SQLITE_IOERR))
        precondition(texts.value == [], "\(texts.value)")
        db.logUnfinalizedStatements(DatabaseError(resultCode: .SQLITE_BUSY))
        withExtendedLifetime(statement) {}
      }
      precondition(texts.value.contains("unfinalized statement: SELECT 1"), "\(texts.value)")
    }
  }

  @Test func aDatabaseThatHasStoppedReportsTheFirstReason() {
    let health = DatabaseHealth()
    #expect(health.refusal == nil)
    health.stop(because: DatabaseError(resultCode: .SQLITE_IOERR_FSYNC))
    health.stop(because: DatabaseError(resultCode: .SQLITE_FULL, message: "database or disk is full"))
    #expect(health.refusal?.extendedResultCode == .SQLITE_IOERR_FSYNC)
    #expect(
      health.refusal?.message == "the database has stopped after an error: close it and open it again: disk I/O error")
    #expect(health.refusal?.isDatabaseStopped == true)
  }

  @Test func aReadOnlyConnectionCommitsTemporaryTables() throws {
    let folder = try TemporaryFolder()
    try DatabaseQueue(path: folder.path("db")).write { try $0.execute(sql: "CREATE TABLE book (title)") }
    var configuration = Configuration()
    configuration.readonly = true
    let dbQueue = try DatabaseQueue(path: folder.path("db"), configuration: configuration)
    let titles = try dbQueue.inDatabase { db throws in
      try db.execute(sql: "CREATE TEMP TABLE draft (title); INSERT INTO draft VALUES ('Dune')")
      return try String.fetchAll(db, sql: "SELECT title FROM draft")
    }
    #expect(titles == ["Dune"])
  }

  @Test func aMovedFileMayHaveNoPath() {
    let error = Database.movedError(path: nil)
    #expect(error.extendedResultCode == .SQLITE_READONLY_DBMOVED)
    #expect(error.message == "the database file was moved, deleted or replaced while it was open: ")
  }
}
