import Testing

import Tidemark
@testable import TidemarkEssentials

/// Notifications of the ends of transactions, and what observers may do in them.
@Suite struct CommitObserverTests {
  @Test func allWillCommitCallsPrecedeDidCommit() throws {
    let (first, second) = (EventRecorder { _ in false }, EventRecorder { _ in false })
    let dbQueue = try observed(first)
    dbQueue.add(transactionObserver: second)
    first.didCommit = { _ in #expect(second.log == ["will commit"]) }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (1)") }
    #expect(first.log == ["will commit", "did commit"])
    #expect(second.log == ["will commit", "did commit"])
  }

  @Test func observerErrorsRollBackTheTransaction() throws {
    let (first, second) = (EventRecorder(), EventRecorder())
    let dbQueue = try observed(first)
    dbQueue.add(transactionObserver: second)
    first.refusal = PlannedRefusal()
    #expect(throws: PlannedRefusal.self) {
      try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (1)") }
    }
    #expect(first.log == ["insert book 1", "will commit", "did roll back"])
    #expect(second.log == ["insert book 1", "did roll back"])
    first.refusal = nil
    try dbQueue.write { db throws -> Void in #expect(try Int.fetchAll(db, sql: "SELECT id FROM book").isEmpty) }
  }

  @Test(arguments: ["BEGIN DEFERRED", "BEGIN IMMEDIATE"])
  func observersCanRefuseAnEmptyTransaction(begin: String) throws {
    let recorder = EventRecorder()
    recorder.refusal = PlannedRefusal()
    try observed(recorder).inDatabase { db throws -> Void in
      try db.execute(sql: begin)
      #expect(throws: PlannedRefusal.self) { try db.execute(sql: "COMMIT") }
      #expect(!db.isInsideTransaction)
      try db.rollback()
    }
    #expect(recorder.log == ["will commit", "did roll back"])
  }

  @Test func observersCanRefuseAStatement() throws {
    let recorder = EventRecorder()
    recorder.refusal = PlannedRefusal()
    try observed(recorder).inDatabase { db throws -> Void in
      #expect(throws: PlannedRefusal.self) { try db.execute(sql: "INSERT INTO book (id) VALUES (1)") }
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM book").isEmpty)
    }
    #expect(recorder.log == ["insert book 1", "will commit", "did roll back"])
  }

  @Test func emptyTransactionsAreCommitted() throws {
    let recorder = EventRecorder()
    let dbQueue = try observed(recorder)
    try dbQueue.write { _ in }
    try dbQueue.inDatabase { try $0.execute(sql: "BEGIN DEFERRED; COMMIT") }
    try dbQueue.inDatabase { try $0.execute(sql: "SAVEPOINT a; RELEASE a") }
    #expect(recorder.log == ["will commit", "did commit", "will commit", "did commit", "will commit", "did commit"])
  }

  @Test func readsAreNotReported() throws {
    let recorder = EventRecorder()
    let dbQueue = try observed(recorder)
    try dbQueue.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM book") }
    try dbQueue.inDatabase { _ = try Row.fetchAll($0, sql: "SELECT * FROM book") }
    #expect(throws: PlannedRefusal.self) { try dbQueue.read { _ in throw PlannedRefusal() } }
    #expect(recorder.log == [])
  }

  @Test func failedCommitsLeaveTheTransactionOpen() throws {
    let recorder = EventRecorder()
    try observed(recorder).inDatabase { db throws -> Void in
      try db.execute(sql: "CREATE TABLE c (a REFERENCES author DEFERRABLE INITIALLY DEFERRED)")
      _ = recorder.takeLog()
      try db.execute(sql: "BEGIN; INSERT INTO c VALUES (5)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
      #expect(recorder.takeLog() == ["insert c 1"])
      try db.execute(sql: "INSERT INTO author VALUES (5, 'Five'); COMMIT")
      #expect(recorder.takeLog() == ["insert author 5", "will commit", "did commit"])
    }
  }

  @Test func observersCanWriteAfterACommit() throws {
    let recorder = EventRecorder(table: "author")
    let dbQueue = try observed(recorder)
    recorder.didCommit = { [unowned recorder] db in
      recorder.didCommit = { _ in }
      #expect(!db.isInsideTransaction)
      #expect(throws: Never.self) { try db.execute(sql: "INSERT INTO author VALUES (2, 'Lem')") }
    }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (1)") }
    #expect(
      recorder.log == ["will commit", "did commit", "insert author 2", "will commit", "did commit"])
    try dbQueue.read { db throws -> Void in #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM author") == 2) }
  }

  @Test func observersCanWriteAfterARollback() throws {
    let recorder = EventRecorder(table: "author")
    let dbQueue = try observed(recorder)
    recorder.didRollBack = { db in
      #expect(throws: Never.self) { try db.execute(sql: "INSERT INTO author VALUES (2, 'Lem')") }
    }
    #expect(throws: DatabaseError.self) {
      try dbQueue.write { try $0.execute(sql: "INSERT OR ROLLBACK INTO book VALUES (1, 'a', 1), (2, 'a', 1)") }
    }
    #expect(recorder.log == ["did roll back", "insert author 2", "will commit", "did commit"])
  }

  @Test func observersCanRemoveOthers() throws {
    let (first, second) = (EventRecorder(), EventRecorder())
    let dbQueue = try observed(first)
    dbQueue.add(transactionObserver: second)
    first.didCommit = { $0.remove(transactionObserver: second) }
    try dbQueue.write { _ in }
    #expect(second.log == ["will commit"])
  }
}
