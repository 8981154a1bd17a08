import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The transactions of a group, and its end.
@Suite struct TransactionGroupTests {
  private static let transaction = ChangeCapture.Group.Transaction(
    changes: nil, needsVersion: 1, isNeeded: true, recordedVersion: 7)

  private func group(after settlement: TransactionMachine.Settlement) -> ChangeCapture.Group {
    var group = ChangeCapture.Group(transactions: [Self.transaction])
    group.transactionDidEnd(settlement)
    return group
  }

  @Test func `the transactions are kept until they have ended`() {
    #expect(group(after: .nothing).outcome == nil)
    #expect(!group(after: .nothing).isEmpty)
  }

  @Test(arguments: [TransactionMachine.Settlement.publish(hasWritten: true), .publishRebuild])
  func `committed transactions are published`(settlement: TransactionMachine.Settlement) {
    #expect(group(after: settlement).outcome == .committed)
    #expect(!group(after: settlement).isEmpty)
  }

  @Test(arguments: [TransactionMachine.Settlement.publishUnknown, .publishUnknownAndContinue, .forget])
  func `transactions with an unknown end are forgotten`(settlement: TransactionMachine.Settlement) {
    #expect(group(after: settlement).outcome == .unknown)
    #expect(group(after: settlement).isEmpty)
  }

  @Test(arguments: [TransactionMachine.Settlement.discard(isReported: true), .discardAndContinue(isReported: true)])
  func `rolled back transactions are forgotten`(settlement: TransactionMachine.Settlement) {
    #expect(group(after: settlement).outcome == .rolledBack)
    #expect(group(after: settlement).isEmpty)
  }

  @Test func `the outcome of a group is that of its commit`() throws {
    try inMemory { db in
      func outcome(_ outcome: ChangeCapture.Group.Outcome?) -> String {
        db.changeCapture.group.outcome = outcome
        switch db.takeGroupOutcome() {
        case .success?: return "committed"
        case .failure(let error as DatabaseError)?: return "SQLite error \(error.resultCode.rawValue)"
        case .failure(let error)?: return "\(type(of: error))"
        case nil: return "open"
        }
      }
      #expect(outcome(.committed) == "committed")
      #expect(outcome(.rolledBack) == "MustRunAlone")
      #expect(outcome(.unknown) == "SQLite error 4")
      // The transaction has ended without the library.
      #expect(outcome(nil) == "MustRunAlone")
      try db.inTransaction {
        #expect(outcome(nil) == "open")
        return .commit
      }
    }
  }

  @Test func `an observer that a write adds receives the commit, and subscribers receive all writes`() async throws {
    let writes = try GroupedWrites()
    let database = try writes.open(.pool)
    let recorder = ChangeRecorder(database)
    let observer = EventRecorder()
    nonisolated(unsafe) let added = observer
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.add(1) }
    let second = try await queue.add { db in
      try db.add(2)
      db.add(transactionObserver: added)
    }
    let third = try await queue.add { try $0.add(3) }
    queue.start()
    for write in [first, third] { _ = try await write.value }
    try await second.value
    #expect(recorder.takeRows() == ["insert t #1(a=1)", "insert t #2(a=2)", "insert t #3(a=3)"])
    #expect(observer.log.contains("insert t 3"))
    #expect(observer.log.suffix(2) == ["will commit", "did commit"])
  }

  @Test func `no write follows one that leaves a deferred foreign key violated`() async throws {
    let writes = try GroupedWrites()
    let database = try writes.open(.pool)
    try await database.write { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (p REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
          """)
    }
    let queue = try WriteQueue(database)
    let first = try await queue.add { try $0.execute(sql: "INSERT INTO child VALUES (9)") }
    let second = try await queue.add { try $0.add(2) }
    queue.start()
    let error = await #expect(throws: DatabaseError.self) { try await first.value }
    #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    _ = try await second.value
    #expect(try await database.read { try $0.all() } == [2])
  }
}
