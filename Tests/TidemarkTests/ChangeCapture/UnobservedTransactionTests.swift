import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Transactions that begin without any observer: their beginnings and ends are not tracked, and an observer that
/// starts later misses nothing all the same.
@Suite struct UnobservedTransactionTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: Self.schema) }
  }

  private static let schema = """
    CREATE TABLE author (id INTEGER PRIMARY KEY);
    CREATE TABLE book (
      id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author DEFERRABLE INITIALLY DEFERRED);
    """

  @Test(arguments: ["BEGIN DEFERRED", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
  func lateObserversReceiveTheRestAndTheCommit(begin: String) throws {
    let recorder = EventRecorder()
    try dbQueue.inDatabase { db throws in
      try db.execute(sql: begin)
      try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
      db.add(transactionObserver: recorder)
      try db.execute(sql: "INSERT INTO book (id) VALUES (2)")
      try db.execute(sql: "COMMIT")
    }
    #expect(recorder.log == ["insert book 2", "will commit", "did commit"])
  }

  @Test func lateObserversReceiveTheRollback() throws {
    let recorder = EventRecorder()
    try dbQueue.inDatabase { db throws in
      try db.execute(sql: "BEGIN; INSERT INTO book (id) VALUES (1)")
      db.add(transactionObserver: recorder)
      try db.execute(sql: "INSERT INTO book (id) VALUES (2); ROLLBACK")
    }
    #expect(recorder.log == ["insert book 2", "did roll back"])
  }

  @Test func lateObserversReceiveAnEmptyCommit() throws {
    let recorder = EventRecorder { _ in false }
    try dbQueue.write { $0.add(transactionObserver: recorder) }
    #expect(recorder.log == ["will commit", "did commit"])
  }

  @Test func lateObserversCanRefuseTheCommit() throws {
    let recorder = EventRecorder()
    recorder.refusal = PlannedRefusal()
    #expect(throws: PlannedRefusal.self) {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
        db.add(transactionObserver: recorder)
      }
    }
    #expect(recorder.log == ["will commit", "did roll back"])
    let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
    #expect(count == 0)
  }

  @Test func removedObserversReceiveNoEnd() throws {
    let recorder = EventRecorder()
    dbQueue.add(transactionObserver: recorder)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
      db.remove(transactionObserver: recorder)
    }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (2)") }
    #expect(recorder.log == ["insert book 1"])
  }

  @Test func changesUndoneByASavepointAreNotReported() throws {
    let recorder = EventRecorder()
    try dbQueue.write { db in
      try db.inSavepoint {
        db.add(transactionObserver: recorder)
        try db.execute(sql: "INSERT INTO book (id) VALUES (1)")
        return .rollback
      }
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO book (id) VALUES (2)")
        return .commit
      }
    }
    #expect(recorder.log == ["insert book 2", "will commit", "did commit"])
  }

  @Test func failedCommitsAreNoEnd() throws {
    let recorder = EventRecorder()
    try dbQueue.inDatabase { db throws in
      try db.execute(sql: "BEGIN; INSERT INTO book (id, authorId) VALUES (1, 1)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
      db.add(transactionObserver: recorder)
      try db.execute(sql: "INSERT INTO author VALUES (1)")
      #expect(recorder.log == ["insert author 1"])
      try db.execute(sql: "COMMIT")
    }
    #expect(recorder.log == ["insert author 1", "will commit", "did commit"])
  }

  @Test func failedBeginsStartNothing() throws {
    let recorder = EventRecorder()
    try dbQueue.inDatabase { db throws in
      try db.execute(sql: "BEGIN; INSERT INTO book (id) VALUES (1)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "BEGIN") }
      db.add(transactionObserver: recorder)
      try db.execute(sql: "COMMIT")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
      try db.execute(sql: "INSERT INTO book (id) VALUES (2)")
    }
    #expect(recorder.log == ["will commit", "did commit", "insert book 2", "will commit", "did commit"])
  }

  @Test(arguments: [true, false])
  func lateSubscribersReceiveTheCommit(rowHook: Bool) throws {
    let (dbQueue, recorder) = try captured(Captured.book, .none, rowHook: rowHook)
    let version = try dbQueue.inDatabase { db throws in
      try db.execute(sql: "BEGIN; INSERT INTO book VALUES (1, 'Dune', 412)")
      let version = recorder.setNeeds(.all)
      try db.execute(sql: "INSERT INTO book VALUES (2, 'Solaris', 204); COMMIT")
      return version
    }
    let commits = recorder.take()
    // They have not seen the first row, and must not take the second one for the only change.
    #expect(commits.count == 1 && commits.allSatisfy { $0.needsVersion < version })
  }

  @Test(arguments: [true, false])
  func lateObserversSeeRowsWithoutTheHook(rowHook: Bool) throws {
    let (dbQueue, _) = try captured(Captured.book, .none, rowHook: rowHook)
    let recorder = EventRecorder()
    try dbQueue.write { db in
      db.add(transactionObserver: recorder)
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412); UPDATE book SET pages = 1; DELETE FROM book")
    }
    #expect(recorder.log == ["insert book 1", "update book 1", "delete book 1", "will commit", "did commit"])
  }

  @Test func afterNextTransactionRunsOnceUnobserved() throws {
    let words = Locked<[String]>([])
    try dbQueue.write { db in
      db.afterNextTransaction(
        onCommit: { _ in words.update { $0.append("committed") } },
        onRollback: { _ in words.update { $0.append("undone") } })
    }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (1)") }
    #expect(words.value == ["committed"])
  }

  // The trace function is called in the middle of the step.
  @Test(arguments: ["SELECT 1", "INSERT INTO book (id) VALUES (9)", "COMMIT", "SAVEPOINT a; RELEASE a"])
  func statementsCanRunInsideUncapturedSteps(sql: String) throws {
    let recorder = EventRecorder()
    try dbQueue.inDatabase { db throws in
      var isInside = false
      db.trace { _ in
        guard !isInside else { return }
        isInside = true
        defer { isInside = false }
        // SQLite's rejection is not the subject of this test.
        do { try db.execute(sql: sql) } catch {}
      }
      for statement in ["BEGIN", "INSERT INTO book (id) VALUES (1)", "COMMIT"] {
        do { try db.execute(sql: statement) } catch { try db.rollback() }
      }
      db.trace(nil)
      try db.execute(sql: "DELETE FROM book")
      db.add(transactionObserver: recorder)
      try db.execute(sql: "BEGIN; INSERT INTO book (id) VALUES (3); COMMIT")
    }
    #expect(recorder.log == ["insert book 3", "will commit", "did commit"])
  }

  @Test func observersAddedDuringTheCommitReceiveIt() throws {
    let recorder = EventRecorder()
    try dbQueue.inDatabase { db throws in
      try db.execute(sql: "BEGIN; INSERT INTO book (id) VALUES (1)")
      db.trace { [unowned db] event in
        if "\(event)" == "COMMIT" { db.add(transactionObserver: recorder) }
      }
      try db.execute(sql: "COMMIT")
    }
    #expect(recorder.log == ["will commit", "did commit"])
  }

  @Test func foreignSavepointsMakeLaterChangesUncertain() throws {
    let (dbQueue, recorder) = try captured(Captured.book, .none)
    let version = try dbQueue.inDatabase { db throws in
      try db.execute(sql: "BEGIN")
      let version = recorder.setNeeds(.all)
      sqlite3_exec(db.sqliteConnection, "SAVEPOINT a", nil, nil, nil)
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 412)")
      sqlite3_exec(db.sqliteConnection, "ROLLBACK TO a", nil, nil, nil)
      try db.execute(sql: "COMMIT")
      return version
    }
    let commits = recorder.take()
    #expect(commits.count == 1 && commits.allSatisfy { $0.isUnknown || $0.needsVersion < version })
  }

  /// The number of commits that the database has counted, for queries that begin to observe it meanwhile.
  private var commitCount: UInt64 { dbQueue.inDatabase { $0.changeCapture.broker.writeCount } }

  @Test func `a commit without observers is counted`() throws {
    let start = commitCount
    try dbQueue.write { try $0.execute(sql: "INSERT INTO author VALUES (1)") }
    #expect(commitCount == start + 1)
  }

  @Test func `while there is an observer, a commit is counted if it has written or notified`() throws {
    let recorder = EventRecorder()
    dbQueue.add(transactionObserver: recorder)
    let start = commitCount
    try dbQueue.write { try $0.execute(sql: "INSERT INTO author VALUES (1)") }
    #expect(commitCount == start + 1)
    // BEGIN DEFERRED: SQLite does not know a write before the first one.
    try dbQueue.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM author; COMMIT") }
    #expect(commitCount == start + 1)
    try dbQueue.write { try $0.notifyChanges(in: Table("book")) }
    #expect(commitCount == start + 2)
    withExtendedLifetime(recorder) {}
  }
}
