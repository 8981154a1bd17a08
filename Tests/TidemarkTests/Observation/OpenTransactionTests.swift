import Testing
import Tidemark

/// Live queries of a queue whose accesses may leave a transaction open.
@Suite struct OpenTransactionTests {
  private func withQueue(_ body: (DatabaseQueue) throws -> Void) throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.write { try $0.createPlayers() }
    try body(dbQueue)
  }

  private static func count(writes: Bool) -> ValueObservation<ValueReducers.Fetch<Int>> {
    var observation = ValueObservation.tracking { try $0.playerCount() }
    observation.requiresWriteAccess = writes
    return observation
  }

  @Test(arguments: [false, true])
  func fetchesWaitForTheEndOfAnOpenTransaction(writes: Bool) throws {
    try withQueue { dbQueue in
      try dbQueue.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN")
        try db.addPlayer("Arthur")
      }
      let (deliveries, cancellable) = Self.count(writes: writes).collect(in: dbQueue)
      // The fetch was scheduled before this access.
      try dbQueue.writeWithoutTransaction { try $0.addPlayer("Barbara") }
      #expect(deliveries.values == [])
      try dbQueue.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
      #expect(try deliveries.wait(forLast: 2) == [2])
      cancellable.cancel()
    }
  }

  @Test(arguments: [false, true])
  func rolledBackTransactionsAreNotVisible(writes: Bool) throws {
    try withQueue { dbQueue in
      let (deliveries, cancellable) = Self.count(writes: writes).collect(in: dbQueue)
      try deliveries.wait(forLast: 0)
      try dbQueue.writeWithoutTransaction { db in
        try db.addPlayer("Arthur")
        try db.execute(sql: "BEGIN")
        try db.addPlayer("Barbara")
      }
      try dbQueue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      #expect(try deliveries.wait(forLast: 1) == [0, 1])
      cancellable.cancel()
    }
  }

  @Test(arguments: [false, true])
  func immediateValuesOfRolledBackTransactionsAreCorrected(writes: Bool) throws {
    try withQueue { dbQueue in
      try dbQueue.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN")
        try db.addPlayer("Arthur")
      }
      let (deliveries, cancellable) = Self.count(writes: writes).collect(in: dbQueue, scheduling: ImmediateScheduler())
      #expect(deliveries.values == [1])
      try dbQueue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      #expect(try deliveries.wait(forLast: 0) == [1, 0])
      cancellable.cancel()
    }
  }

  @Test func aFetchThatWaitsForATransactionEndsWithTheDatabase() throws {
    try withQueue { dbQueue in
      try dbQueue.writeWithoutTransaction { try $0.execute(sql: "BEGIN") }
      let (deliveries, cancellable) = Self.count(writes: false).collect(in: dbQueue)
      dbQueue.writeWithoutTransaction { _ in }
      try dbQueue.close()
      let error = try deliveries.error()
      #expect(error is DatabaseError)
      cancellable.cancel()
    }
  }
}
