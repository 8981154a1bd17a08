import Foundation
import TestSupport
import Testing
import Tidemark

/// The events of an observation's life.
@Suite struct ObservationEventTests {
  /// Receives lines, without line feeds at their ends.
  final class Lines: TextOutputStream, @unchecked Sendable {
    private let storage = Mutex<[String]>([])

    var all: [String] { storage.withLock { $0 } }

    func write(_ string: String) { storage.withLock { $0.append(string) } }
  }

  @Test(arguments: Observed.allCases)
  func printWritesALinePerEvent(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let lines = Lines()
      let (deliveries, cancellable) = ValueObservationTests.playerCount.print("p", to: lines).collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.addPlayer("Arthur") }
      try deliveries.wait(forLast: 1)
      cancellable.cancel()
      #expect(
        lines.all == [
          "p: start", "p: fetch", "p: tracked region: player(*)", "p: value: 0",
          "p: database did change", "p: fetch", "p: value: 1", "p: cancel",
        ])
    }
  }

  @Test(arguments: Observed.allCases)
  func anImmediateStartPrintsTheSameLines(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let lines = Lines()
      let (deliveries, cancellable) = ValueObservationTests.playerCount.print(to: lines)
        .collect(in: writer, scheduling: ImmediateScheduler())
      try writer.write { try $0.addPlayer("Arthur") }
      try deliveries.wait(forLast: 1)
      cancellable.cancel()
      #expect(
        lines.all == [
          "start", "fetch", "tracked region: player(*)", "value: 0", "database did change", "fetch", "value: 1",
          "cancel",
        ])
    }
  }

  @Test func `without a stream, events are printed on standard output`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let queue = try DatabaseQueue()
      try await queue.write { try $0.createPlayers() }
      let (_, cancellable) = ValueObservationTests.playerCount.print("p")
        .collect(in: queue, scheduling: ImmediateScheduler())
      cancellable.cancel()
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("p: start\np: fetch\np: tracked region: player(*)\np: value: 0\np: cancel\n"))
  }

  @Test(arguments: Observed.allCases)
  func failuresAreReportedWithoutALaterCancellation(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let lines = Lines()
      let observation = ValueObservation.tracking { _ -> Int in throw Planned(number: 7) }
      let (deliveries, cancellable) = observation.print(to: lines).collect(in: writer)
      let deliveriesFailure = try deliveries.failureText()
      #expect(deliveriesFailure == "Planned(number: 7)")
      cancellable.cancel()
      #expect(lines.all == ["start", "fetch", "failure: Planned(number: 7)"])
    }
  }

  @Test(arguments: Observed.allCases)
  func changedRegionsAreReported(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let regions = Mutex<[String]>([])
      let observation = ValueObservation.tracking { db in
        try db.playerCount() == 0 ? 0 : Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") ?? 0
      }
      let (deliveries, cancellable) =
        observation
        .handleEvents(willTrackRegion: { region in regions.withLock { $0.append("\(region)") } })
        .collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { db in
        try db.addPlayer("Arthur")
        try db.execute(sql: "INSERT INTO team (name) VALUES ('Red')")
      }
      try deliveries.wait(forLast: 1)
      #expect(regions.withLock { $0 } == ["player(*)", "player(*),team(*)"])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func valuesAreMappedAndDeduplicated(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let observation = ValueObservationTests.playerCount.map { $0 / 2 }.removeDuplicates().map { "\($0)" }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: "0")
      for number in 1...4 {
        let fetchCount = writer.observationMetrics.fetchCount
        try writer.write { try $0.addPlayer("\(number)") }
        try Moment.until { writer.observationMetrics.fetchCount > fetchCount }
      }
      #expect(try deliveries.wait(forLast: "2") == ["0", "1", "2"])
      #expect(writer.observationMetrics.falseWakeCount == 2)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func `a dropped value reaches no later operator`(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let received = Mutex<[Int]>([])
      let observation = ValueObservationTests.playerCount.map { $0 / 2 }.removeDuplicates().removeDuplicates()
        .handleEvents(didReceiveValue: { value in received.withLock { $0.append(value) } })
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: 0)
      for number in 1...4 {
        let fetchCount = writer.observationMetrics.fetchCount
        try writer.write { try $0.addPlayer("\(number)") }
        try Moment.until { writer.observationMetrics.fetchCount > fetchCount }
      }
      try deliveries.wait(forLast: 2)
      #expect(received.withLock { $0 } == [0, 1, 2])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func mapErrorsEndTheObservation(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let observation = ValueObservationTests.playerCount.map { count -> Int in
        if count > 0 { throw Planned(number: count) }
        return count
      }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: 0)
      try writer.write { try $0.addPlayer("Arthur") }
      let deliveriesFailure = try deliveries.failureText()
      #expect(deliveriesFailure == "Planned(number: 1)")
      cancellable.cancel()
    }
  }
}

extension Moment {
  /// Waits for a condition that has no event of its own, and blocks the thread.
  static func until(file: String = #fileID, line: Int = #line, _ holds: () -> Bool) throws {
    try Wait.until(file: file, line: line, holds)
  }
}
