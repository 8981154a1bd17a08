import Foundation
import Testing
import Tidemark

/// The guarantees of `ValueObservation`, on a queue and on a pool.
@Suite struct ValueObservationTests {
  static let playerCount = ValueObservation.tracking { db in try db.playerCount() }

  @Test(arguments: Observed.allCases)
  func firstValueIsDeliveredOnce(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (deliveries, cancellable) = Self.playerCount.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.addPlayer("Arthur") }
      #expect(try deliveries.wait(forLast: 1) == [0, 1])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func lastValueIsAlwaysDelivered(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (deliveries, cancellable) = Self.playerCount.collect(in: writer)
      for number in 1...200 { try writer.write { try $0.addPlayer("\(number)") } }
      let values = try deliveries.wait(forLast: 200)
      #expect(values == values.sorted())
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func unrelatedCommitsWakeNothing(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let names = ValueObservation.tracking { db in try db.playerNames() }
      let (deliveries, cancellable) = names.collect(in: writer)
      try deliveries.wait(forLast: [])
      try writer.write { db in
        try db.execute(sql: "INSERT INTO team (name) VALUES ('Red')")
      }
      try writer.write { try $0.addPlayer("Arthur", score: 1) }
      try deliveries.wait(forLast: ["Arthur"])
      try writer.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
      try writer.write { try $0.execute(sql: "UPDATE player SET name = 'Art'") }
      #expect(try deliveries.wait(forLast: ["Art"]) == [[], ["Arthur"], ["Art"]])
      #expect(writer.observationMetrics.wakeCount == 2)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func rollbacksWakeNothing(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (deliveries, cancellable) = Self.playerCount.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.writeWithoutTransaction { db in
        try db.inTransaction {
          try db.addPlayer("Arthur")
          return .rollback
        }
      }
      try writer.write { try $0.addPlayer("Barbara") }
      try deliveries.wait(forLast: 1)
      #expect(writer.observationMetrics.wakeCount == 1)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func dataDependentRegionsAreFollowed(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let observation = ValueObservation.tracking { db in
        try db.playerCount() < 2 ? 0 : Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") ?? 0
      }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Red')") }
      try writer.write { db in
        try db.addPlayer("Arthur")
        try db.addPlayer("Barbara")
      }
      try deliveries.wait(forLast: 1)
      try writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Blue')") }
      #expect(try deliveries.wait(forLast: 2) == [0, 1, 2])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func givenRegionsAreObservedRegardlessOfReads(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let observation = ValueObservation.tracking(region: Table("team")) { db in try db.playerCount() }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.addPlayer("Arthur") }
      try writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Red')") }
      #expect(try deliveries.wait(forLast: 1) == [0, 1])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func errorsEndTheObservation(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (deliveries, cancellable) = Self.playerCount.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.execute(sql: "DROP TABLE player") }
      let deliveriesFailure = try deliveries.failureText()
      #expect(deliveriesFailure.contains("no such table: player"))
      #expect(writer.observationMetrics.observationCount == 0)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func recreatedTablesAreObserved(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (deliveries, cancellable) = Self.playerCount.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { db in
        try db.execute(sql: "DROP TABLE player")
        try db.createPlayersAgain()
        try db.addPlayer("Arthur")
      }
      try deliveries.wait(forLast: 1)
      try writer.write { try $0.addPlayer("Barbara") }
      try deliveries.wait(forLast: 2)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func nothingIsDeliveredAfterCancel(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      for _ in 0..<50 {
        let isCancelled = Mutex(false)
        let lateCount = Mutex(0)
        let cancellable = Self.playerCount.start(in: writer, scheduling: Inline(), onError: { _ in }) { _ in
          if isCancelled.withLock({ $0 }) { lateCount.withLock { $0 += 1 } }
        }
        try writer.write { try $0.addPlayer("Arthur") }
        cancellable.cancel()
        isCancelled.withLock { $0 = true }
        try writer.write { try $0.addPlayer("Barbara") }
        #expect(lateCount.withLock { $0 } == 0)
      }
      #expect(writer.observationMetrics.observationCount == 0)
    }
  }

  @Test(arguments: Observed.allCases)
  func releasedObservationsEnd(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      var collected: (deliveries: Deliveries<Int>, cancellable: AnyDatabaseCancellable)? =
        Self.playerCount.collect(in: writer)
      try collected?.deliveries.wait(forLast: 0)
      #expect(writer.observationMetrics.observationCount == 1)
      collected = nil
      #expect(writer.observationMetrics.observationCount == 0)
    }
  }

  @Test(arguments: Observed.allCases)
  func callbacksCanCancelWriteAndStart(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let deliveries = Deliveries<Int>()
      let otherTables = Deliveries<Int>()
      let cancellables = Mutex<[AnyDatabaseCancellable]>([])
      let queue = DispatchQueue(label: "callbacks")
      let cancellable = Self.playerCount.start(in: writer, scheduling: .async(onQueue: queue), onError: { _ in }) {
        count in
        deliveries.append(count)
        switch count {
        case 0:
          try? writer.write { try $0.addPlayer("Arthur") }
        case 1:
          let (_, other) = Self.playerCount.collect(in: writer, into: otherTables)
          cancellables.withLock { $0.append(other) }
        default:
          cancellables.withLock { $0 }.first?.cancel()
        }
      }
      cancellables.withLock { $0.append(cancellable) }
      try deliveries.wait(forLast: 1)
      try otherTables.wait(forLast: 1)
      cancellable.cancel()
      for other in cancellables.withLock({ $0 }) { other.cancel() }
      #expect(writer.observationMetrics.observationCount == 0)
    }
  }

  @Test(arguments: Observed.allCases)
  func closingEndsObservationsWithAnError(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (deliveries, cancellable) = Self.playerCount.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.close()
      let deliveriesFailure = try deliveries.failureText()
      #expect(deliveriesFailure == closedMessage)
      let (late, lateCancellable) = Self.playerCount.collect(in: writer)
      let lateFailure = try late.failureText()
      #expect(lateFailure == closedMessage)
      cancellable.cancel()
      lateCancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func copiesOfAnObservationFetchTogether(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let fetchCount = Mutex(0)
      let observation = ValueObservation.tracking { db in
        fetchCount.withLock { $0 += 1 }
        return try db.playerCount()
      }
      let all = (0..<100).map { _ in observation.collect(in: writer) }
      for (deliveries, _) in all { try deliveries.wait(forLast: 0) }
      let before = fetchCount.withLock { $0 }
      try writer.write { try $0.addPlayer("Arthur") }
      for (deliveries, _) in all { try deliveries.wait(forLast: 1) }
      #expect(fetchCount.withLock { $0 } == before + 1)
      for (_, cancellable) in all { cancellable.cancel() }
    }
  }

  @Test(arguments: Observed.allCases)
  func writeAccessFetchesCanWrite(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      var observation = ValueObservation.trackingConstantRegion { db in
        try db.execute(sql: "INSERT INTO team (name) VALUES ('fetched')")
        return try db.playerCount()
      }
      observation.requiresWriteAccess = true
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.addPlayer("Arthur") }
      try deliveries.wait(forLast: 1)
      #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") } == 2)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func readAccessFetchesCannotWrite(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let observation = ValueObservation.tracking { db in
        try db.execute(sql: "INSERT INTO team (name) VALUES ('fetched')")
      }
      let (deliveries, cancellable) = observation.collect(in: writer)
      let deliveriesFailure = try deliveries.failureText()
      #expect(deliveriesFailure.contains("readonly"))
      cancellable.cancel()
    }
  }

  @Test func writersDoNotWaitForFetches() throws {
    try Observed.pool.withDatabase { writer in
      let isFetching = Moment()
      let mayEnd = Moment()
      let observation = ValueObservation.tracking { db in
        let count = try db.playerCount()
        if count == 1 {
          isFetching.happen()
          try mayEnd.wait()
        }
        return count
      }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.addPlayer("Arthur") }
      try isFetching.wait()
      for number in 2...9 { try writer.write { try $0.addPlayer("\(number)") } }
      mayEnd.happen()
      #expect(try deliveries.wait(forLast: 9) == [0, 1, 9])
      cancellable.cancel()
    }
  }

  @Test func slowFetchesDoNotDelayOthers() throws {
    try Observed.pool.withDatabase { writer in
      let mayEnd = Moment()
      let isFetching = Moment()
      let slow = ValueObservation.tracking { db in
        isFetching.happen()
        try mayEnd.wait()
        return try db.playerCount()
      }
      let (slowDeliveries, slowCancellable) = slow.collect(in: writer)
      try isFetching.wait()
      let (deliveries, cancellable) = Self.playerCount.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.addPlayer("Arthur") }
      try deliveries.wait(forLast: 1)
      mayEnd.happen()
      try slowDeliveries.wait(forLast: 1)
      cancellable.cancel()
      slowCancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func cancelledFetchesAreInterrupted(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let isFetching = Moment()
      let end = Deliveries<String>()
      let observation = ValueObservation.tracking { db in
        isFetching.happen()
        do {
          try db.execute(
            sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
        } catch {
          end.append("\(error)")
          throw error
        }
      }
      let (_, cancellable) = observation.collect(in: writer)
      try isFetching.wait()
      cancellable.cancel()
      #expect(try end.wait { !$0.isEmpty } == ["CancellationError()"])
    }
  }

  @Test(arguments: Observed.allCases)
  func transientErrorsAreRetried(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let failureCount = Mutex(3)
      let observation = ValueObservation.tracking { db in
        let fails = failureCount.withLock { count in
          count -= 1
          return count >= 0
        }
        if fails { throw DatabaseError(resultCode: .SQLITE_BUSY, message: "planned") }
        return try db.playerCount()
      }
      let (patient, cancellable) = observation.retryingTransientErrors(after: .milliseconds(1)).collect(in: writer)
      #expect(try patient.wait(forLast: 0) == [0])
      #expect(writer.observationMetrics.failureCount == 3)
      try writer.write { try $0.addPlayer("Arthur") }
      try patient.wait(forLast: 1)
      failureCount.withLock { $0 = 1 }
      let (impatient, other) = observation.collect(in: writer)
      let impatientFailure = try impatient.failureText()
      #expect(impatientFailure == "SQLite error 5: planned")
      try writer.write { try $0.addPlayer("Barbara") }
      try patient.wait(forLast: 2)
      cancellable.cancel()
      other.cancel()
    }
  }

  @Test func snapshotsAreObservedOnce() throws {
    try Observed.pool.withDatabase { writer in
      let pool = try #require(writer as? DatabasePool)
      try pool.write { try $0.addPlayer("Arthur") }
      let snapshot = try pool.makeSnapshot()
      try pool.write { try $0.addPlayer("Barbara") }
      let (deliveries, cancellable) = Self.playerCount.collect(in: snapshot)
      #expect(try deliveries.wait(forLast: 1) == [1])
      let (immediate, other) = Self.playerCount.collect(
        in: try pool.makeSnapshotPool(), scheduling: ImmediateScheduler())
      #expect(immediate.values == [2])
      cancellable.cancel()
      other.cancel()
    }
  }
}

extension ValueObservation {
  /// Starts an observation, and collects its deliveries.
  fileprivate func collect(
    in reader: some DatabaseReader, into deliveries: Deliveries<Reducer.Value>
  ) -> (Deliveries<Reducer.Value>, AnyDatabaseCancellable) {
    let cancellable = start(
      in: reader, scheduling: Inline(), onError: { deliveries.fail($0) }, onChange: { deliveries.append($0) })
    return (deliveries, cancellable)
  }
}

extension Database {
  fileprivate func createPlayersAgain() throws {
    try execute(sql: "CREATE TABLE player (score INTEGER, id INTEGER PRIMARY KEY, name TEXT)")
  }
}
