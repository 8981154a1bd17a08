import Testing

import Tidemark
@testable import TidemarkEssentials

/// The extent of transaction observers.
@Suite struct ObservationExtentTests {
  @Test func observersAreNotRetained() throws {
    var recorder: EventRecorder? = EventRecorder()
    weak let weakRecorder = recorder
    let dbQueue = try observed(recorder!)
    recorder = nil
    #expect(weakRecorder == nil)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (id) VALUES (1)") }
  }

  @Test func observersCanLiveAsLongAsTheDatabase() throws {
    weak var weakRecorder: EventRecorder?
    do {
      let dbQueue = try observed(
        {
          let recorder = EventRecorder()
          weakRecorder = recorder
          return recorder
        }(), .databaseLifetime)
      #expect(weakRecorder != nil)
      try dbQueue.write { _ in }
      #expect(weakRecorder?.log == ["will commit", "did commit"])
    }
    #expect(weakRecorder == nil)
  }

  @Test func observersOfTheNextTransactionAreRemovedAfterIt() throws {
    let recorder = EventRecorder()
    let dbQueue = try observed(recorder, .nextTransaction)
    try dbQueue.inDatabase { db in
      _ = try Row.fetchAll(db, sql: "SELECT * FROM book")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO book VALUES (1, 'a', 1), (2, 'a', 1)") }
    }
    #expect(recorder.log == [])
    try dbQueue.write { _ in }
    try dbQueue.write { _ in }
    #expect(recorder.log == ["will commit", "did commit"])
  }

  @Test func observersAddedTwiceAreNotifiedTwice() throws {
    let recorder = EventRecorder { _ in false }
    let dbQueue = try observed(recorder)
    dbQueue.add(transactionObserver: recorder)
    try dbQueue.write { _ in }
    #expect(recorder.takeLog() == ["will commit", "will commit", "did commit", "did commit"])
    dbQueue.remove(transactionObserver: recorder)
    try dbQueue.write { _ in }
    #expect(recorder.log == ["will commit", "did commit"])
  }

  @Test func observersCanBeAddedDuringATransaction() throws {
    let recorder = EventRecorder()
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'Dune', 1)")
      let emptying = try db.makeStatement(sql: "DELETE FROM book")
      db.add(transactionObserver: recorder)
      // Compiled before there is an observer.
      try emptying.execute()
    }
    #expect(recorder.log == ["delete book 1", "will commit", "did commit"])
  }

  // MARK: - afterNextTransaction

  @Test func afterNextTransactionRunsOnce() throws {
    var log: [String] = []
    let dbQueue = try DatabaseQueue.withBooks()
    func wait(_ db: Database) {
      db.afterNextTransaction(onCommit: { log.append("commit \($0.isInsideTransaction)") }) {
        log.append("rollback \($0.isInsideTransaction)")
      }
    }
    try dbQueue.write { wait($0) }
    try dbQueue.write { _ in }
    #expect(log == ["commit false"])
    try dbQueue.inDatabase { db in
      wait(db)
      _ = try db.titles()
      #expect(log == ["commit false"])
      try db.execute(sql: "BEGIN; ROLLBACK")
      #expect(log == ["commit false", "rollback false"])
      wait(db)
      try db.execute(sql: "DELETE FROM book")
    }
    #expect(log == ["commit false", "rollback false", "commit false"])
  }

  @Test func afterNextTransactionWaitsForARealTransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DatabaseQueue().read { $0.afterNextTransaction(onCommit: { _ in }) }
    }
    #expect(result.words.contains("Read-only transactions are not notified"))
  }
}
