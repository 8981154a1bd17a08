import Testing
import Tidemark

/// The outcome of the transaction that errors report (guarantee P4).
@Suite struct ErrorOutcomeTests {
  @Test(
    arguments: [
      (.SQLITE_BUSY, true), (.SQLITE_BUSY_SNAPSHOT, true), (.SQLITE_LOCKED, true), (.SQLITE_FULL, true),
      (.SQLITE_NOMEM, true), (.SQLITE_IOERR_NOMEM, true), (.SQLITE_PROTOCOL, true), (.SQLITE_IOERR, false),
      (.SQLITE_IOERR_FSYNC, false), (.SQLITE_CORRUPT, false), (.SQLITE_CONSTRAINT_UNIQUE, false),
      (.SQLITE_ERROR, false),
      (.SQLITE_CANTOPEN, false), (.SQLITE_READONLY, false), (.SQLITE_INTERRUPT, false),
    ] as [(ResultCode, Bool)])
  func transientErrorsAreRecognized(_ code: ResultCode, _ isTransient: Bool) {
    #expect(DatabaseError(resultCode: code).isTransient == isTransient)
  }

  @Test func refusedCommitsAreNotCommitted() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
          """)
    }
    let error = #expect(throws: DatabaseError.self) {
      try dbQueue.write { try $0.execute(sql: "INSERT INTO child VALUES (1)") }
    }
    #expect(error?.commitOutcome == .notCommitted)
  }

  @Test func statementErrorsHaveNoCommitOutcome() throws {
    let error = #expect(throws: DatabaseError.self) { try DatabaseQueue().write { try $0.execute(sql: "nonsense") } }
    #expect(error?.commitOutcome == nil)
    #expect(error?.cause == nil)
    #expect(error?.isDatabaseStopped == false)
  }
}
