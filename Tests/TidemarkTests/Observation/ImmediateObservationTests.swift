import Testing
import Tidemark

/// Observations that deliver their first value before the start returns.
@Suite struct ImmediateObservationTests {
  private static let playerCount = ValueObservationTests.playerCount

  @Test(arguments: Observed.allCases)
  func immediateStartDeliversTheFirstValueBeforeReturning(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      try writer.write { try $0.addPlayer("Arthur") }
      let (deliveries, cancellable) = Self.playerCount.collect(in: writer, scheduling: ImmediateScheduler())
      #expect(deliveries.values == [1])
      try writer.write { try $0.addPlayer("Barbara") }
      #expect(try deliveries.wait(forLast: 2) == [1, 2])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func immediateFetchesCanWrite(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      var observation = ValueObservation.tracking { db in
        if try db.playerCount() == 0 { try db.addPlayer("Somebody") }
        return try db.playerNames()
      }
      observation.requiresWriteAccess = true
      let (deliveries, cancellable) = observation.collect(in: writer, scheduling: ImmediateScheduler())
      #expect(deliveries.values == [["Somebody"]])
      try writer.write { try $0.addPlayer("Arthur") }
      try deliveries.wait(forLast: ["Somebody", "Arthur"])
      cancellable.cancel()
      try writer.write { db in
        try db.execute(sql: "DELETE FROM player")
        let (inside, other) = observation.collect(in: writer, scheduling: ImmediateScheduler())
        #expect(inside.values == [["Somebody"]])
        other.cancel()
      }
      #expect(try writer.read { try $0.playerNames() } == ["Somebody"])
    }
  }

  @Test func `a failed fetch of a snapshot ends the observation`() throws {
    try Observed.pool.withDatabase { writer in
      let snapshot = try #require(writer as? DatabasePool).makeSnapshot()
      let observation = ValueObservation.tracking { _ -> Int in throw Planned(number: 3) }
      let (immediate, _) = observation.collect(in: snapshot, scheduling: ImmediateScheduler())
      #expect(try immediate.failureText() == "Planned(number: 3)")
      let (later, cancellable) = observation.collect(in: snapshot)
      #expect(try later.failureText() == "Planned(number: 3)")
      #expect(later.values.isEmpty)
      cancellable.cancel()
    }
  }

  @Test func immediateValuesOfARolledBackTransactionAreCorrected() throws {
    try Observed.queue.withDatabase { writer in
      var kept: AnyDatabaseCancellable?
      let deliveries = Deliveries<Int>()
      #expect(throws: Planned.self) {
        try writer.write { db in
          try db.addPlayer("Arthur")
          kept = Self.playerCount.start(
            in: writer, scheduling: ImmediateScheduler(), onError: { deliveries.fail($0) },
            onChange: { deliveries.append($0) })
          throw Planned()
        }
      }
      let values = try deliveries.wait(forLast: 0)
      #expect(values == [1, 0])
      kept?.cancel()
    }
  }
}
