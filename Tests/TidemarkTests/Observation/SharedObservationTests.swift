import Dispatch
import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Observations with several subscribers.
@Suite(.untilItHangs) struct SharedObservationTests {
  private func follow(
    _ shared: SharedValueObservation<Int>
  ) -> (deliveries: Deliveries<Int>, cancellable: AnyDatabaseCancellable) {
    let deliveries = Deliveries<Int>()
    let cancellable = shared.start(onError: { deliveries.fail($0) }, onChange: { deliveries.append($0) })
    return (deliveries, cancellable)
  }

  @Test(arguments: Observed.allCases)
  func lateSubscribersReceiveTheLastValue(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let shared = ValueObservationTests.playerCount.shared(in: writer, scheduling: Inline())
      let (first, firstCancellable) = follow(shared)
      try first.wait(forLast: 0)
      let fetchCount = writer.observationMetrics.fetchCount
      let (second, secondCancellable) = follow(shared)
      #expect(second.values == [0])
      #expect(writer.observationMetrics.fetchCount == fetchCount)
      try writer.write { try $0.addPlayer("Arthur") }
      try first.wait(forLast: 1)
      try second.wait(forLast: 1)
      #expect(writer.observationMetrics.observationCount == 1)
      firstCancellable.cancel()
      secondCancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func lastSubscriberEndsTheObservation(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let shared = ValueObservationTests.playerCount.shared(in: writer, scheduling: Inline())
      let (first, firstCancellable) = follow(shared)
      let (second, secondCancellable) = follow(shared)
      try first.wait(forLast: 0)
      try second.wait(forLast: 0)
      firstCancellable.cancel()
      #expect(writer.observationMetrics.observationCount == 1)
      secondCancellable.cancel()
      #expect(writer.observationMetrics.observationCount == 0)
      try writer.write { try $0.addPlayer("Arthur") }
      let (third, thirdCancellable) = follow(shared)
      #expect(try third.wait(forLast: 1) == [1])
      #expect(second.values.last == 0)
      thirdCancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func observationLifetimeKeepsTheObservationRunning(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      var shared: SharedValueObservation<Int>? = ValueObservationTests.playerCount
        .shared(in: writer, scheduling: Inline(), extent: .observationLifetime)
      var followed: (deliveries: Deliveries<Int>, cancellable: AnyDatabaseCancellable)? = shared.map(follow)
      try followed?.deliveries.wait(forLast: 0)
      followed?.cancellable.cancel()
      followed = nil
      #expect(writer.observationMetrics.observationCount == 1)
      shared = nil
      // The delivery of the last value may retain it for a moment.
      try Moment.until { writer.observationMetrics.observationCount == 0 }
    }
  }

  @Test(arguments: [SharedValueObservationExtent.whileObserved, .observationLifetime])
  func failedObservationsRestartOnlyWhileObserved(_ extent: SharedValueObservationExtent) throws {
    try Observed.pool.withDatabase { writer in
      let isBroken = Mutex(true)
      let shared =
        ValueObservation
        .tracking { db in
          if isBroken.withLock({ $0 }) { throw Planned(number: 1) }
          return try db.playerCount()
        }
        .shared(in: writer, scheduling: Inline(), extent: extent)
      let (first, firstCancellable) = follow(shared)
      let firstFailure = try first.failureText()
      #expect(firstFailure == "Planned(number: 1)")
      isBroken.withLock { $0 = false }
      let (second, secondCancellable) = follow(shared)
      switch extent {
      case .whileObserved: try second.wait(forLast: 0)
      case .observationLifetime:
        let secondFailure = try second.failureText()
        #expect(secondFailure == "Planned(number: 1)")
      }
      firstCancellable.cancel()
      secondCancellable.cancel()
    }
  }

  @Test func lateValuesOfAnEarlierObservationAreIgnored() {
    let sinks = Locked<[any ValueSink<Int>]>([])
    let shared = SharedValueObservation<Int>(extent: .whileObserved, scheduler: Inline()) { _, sink in
      sinks.update { $0.append(sink) }
      return AnyDatabaseCancellable {}
    }
    let (_, firstCancellable) = follow(shared)
    firstCancellable.cancel()
    let (second, secondCancellable) = follow(shared)
    sinks.value[0].put(1)
    sinks.value[1].put(2)
    #expect(second.values == [2])
    secondCancellable.cancel()
  }

  @Test(arguments: Observed.allCases)
  func sharedValuesAreIterated(_ observed: Observed) async throws {
    try await observed.withDatabase { writer in
      let queue = DispatchQueue(label: "shared")
      let shared = ValueObservationTests.playerCount
        .shared(in: AnyDatabaseWriter(writer), scheduling: .async(onQueue: queue))
      var values: [Int] = []
      for try await count in shared.values() {
        values.append(count)
        if count == 2 { break }
        try await writer.write { try $0.addPlayer("\(count)") }
      }
      #expect(values == [0, 1, 2])
      #expect(writer.observationMetrics.observationCount == 0)
    }
  }
}
