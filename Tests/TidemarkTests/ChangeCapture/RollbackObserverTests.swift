import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Notifications of observers about rolled back changes.
@Suite struct RollbackObserverTests {
  @Test func rollbacksAreReportedWithoutWillCommit() throws {
    let recorder = EventRecorder()
    let dbQueue = try observed(recorder)
    #expect(throws: PlannedRefusal.self) {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
        throw PlannedRefusal()
      }
    }
    #expect(recorder.log == ["insert book 1", "did roll back"])
  }

  @Test func failedStatementsReportNothing() throws {
    let recorder = EventRecorder()
    try observed(recorder).write { db throws -> Void in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 1)")
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO book VALUES (2, 'Solaris', 1), (3, 'Dune', 1)")
      }
    }
    #expect(recorder.log == ["insert book 1", "will commit", "did commit"])
  }

  @Test func failedAutocommitStatementsReportNothing() throws {
    let recorder = EventRecorder()
    try observed(recorder).inDatabase { db throws -> Void in
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO book VALUES (2, 'Dune', 1), (3, 'Dune', 1)")
      }
    }
    #expect(recorder.log == [])
  }

  @Test func changesKeptByAFailedStatementAreReported() throws {
    let recorder = EventRecorder()
    try observed(recorder).write { db throws -> Void in
      #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT OR FAIL INTO book VALUES (1, 'Dune', 1), (2, 'Dune', 1)")
      }
    }
    #expect(recorder.log == ["insert book 1", "will commit", "did commit"])
  }

  @Test func failedAutocommitStatementsCanCommit() throws {
    let recorder = EventRecorder()
    try observed(recorder).inDatabase { db throws -> Void in
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT OR FAIL INTO book VALUES (1, 'Dune', 1), (2, 'Dune', 1)")
      }
      #expect(error?.commitOutcome == nil)
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM book") == [1])
    }
    #expect(recorder.log == ["insert book 1", "will commit", "did commit"])
  }

  @Test func rollbackConflictsAreRollbacks() throws {
    let recorder = EventRecorder()
    let dbQueue = try observed(recorder)
    #expect(throws: DatabaseError.self) {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 1)")
        try db.execute(sql: "INSERT OR ROLLBACK INTO book VALUES (2, 'Dune', 1)")
      }
    }
    #expect(recorder.log == ["insert book 1", "did roll back"])
  }

  // MARK: - Savepoints

  @Test func changesWaitForTheOutermostSavepoint() throws {
    let recorder = EventRecorder()
    try observed(recorder).write { db throws -> Void in
      try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO book (id) VALUES (2)")
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO book (id) VALUES (3)")
          return .commit
        }
        #expect(recorder.takeLog() == ["insert book 1"])
        return .commit
      }
      #expect(recorder.takeLog() == ["insert book 2", "insert book 3"])
    }
  }

  @Test func changesOfARolledBackSavepointAreNotReported() throws {
    let recorder = EventRecorder()
    try observed(recorder).write { db throws -> Void in
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO book (id) VALUES (2)")
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO book (id) VALUES (3)")
          return .rollback
        }
        try db.execute(sql: "INSERT INTO book (id) VALUES (4)")
        return .commit
      }
    }
    #expect(recorder.log == ["insert book 2", "insert book 4", "will commit", "did commit"])
  }

  @Test func equallyNamedSavepointsAreInnermostFirst() throws {
    let recorder = EventRecorder()
    try observed(recorder).inDatabase { db throws -> Void in
      try db.execute(
        sql: """
          SAVEPOINT a; INSERT INTO book (id) VALUES (1);
          SAVEPOINT "A"; INSERT INTO book (id) VALUES (2);
          ROLLBACK TO a; INSERT INTO book (id) VALUES (3); RELEASE a;
          ROLLBACK TO a; INSERT INTO book (id) VALUES (4); RELEASE A;
          """)
    }
    #expect(recorder.log == ["insert book 4", "will commit", "did commit"])
  }

  @Test func commitsReleaseAllSavepoints() throws {
    let recorder = EventRecorder()
    try observed(recorder).inDatabase { db throws -> Void in
      try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO book (id) VALUES (1); SAVEPOINT b; COMMIT")
    }
    #expect(recorder.log == ["insert book 1", "will commit", "did commit"])
  }

  /// SQLite calls no hook for such a commit. The statement that rolls back is refused because it is too long.
  @Test func aRefusedCommitWithoutChangesThatCannotBeRolledBackLeavesItsTransactionOpen() throws {
    let recorder = EventRecorder()
    try observed(recorder).inDatabase { db throws -> Void in
      let connection = try #require(db.handle).pointer
      // The library has compiled a statement that rolls back.
      db.releaseMemory()
      let commit = try db.makeStatement(sql: "COMMIT")
      try db.execute(sql: "BEGIN")
      recorder.refusal = PlannedRefusal()
      let limit = sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, 10)
      #expect(throws: PlannedRefusal.self) { try commit.execute() }
      sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, limit)
      #expect(db.isInsideTransaction)
      try db.rollback()
      #expect(recorder.log == ["will commit", "did roll back"])
    }
  }
}
