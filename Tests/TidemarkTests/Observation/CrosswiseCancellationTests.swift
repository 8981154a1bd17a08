import Dispatch
import Synchronization
import TestSupport
import Testing
import Tidemark
@testable import TidemarkEssentials

/// Closures that cancel other observations.
@Suite struct CrosswiseCancellationTests {
  /// Two closures that run at the same time, on two threads, and cancel each other's observation.
  @Test(.untilItHangs) func mutualCancellationDoesNotDeadlock() throws {
    try Observed.pool.withDatabase { writer in
      let cancellables = Mutex<[AnyDatabaseCancellable]>([])
      let ended = DispatchSemaphore(value: 0)
      let meeting = DispatchGroup()
      for _ in 0..<2 { meeting.enter() }
      for number in 0..<2 {
        let queue = DispatchQueue(label: "closure \(number)")
        let cancellable = ValueObservation.tracking { try $0.playerCount() }
          .start(in: writer, scheduling: .async(onQueue: queue), onError: { _ in }) { count in
            if count == 0 { return }
            meeting.leave()
            meeting.wait()
            let other = cancellables.withLock { $0[1 - number] }
            other.cancel()
            ended.signal()
          }
        cancellables.withLock { $0.append(cancellable) }
      }
      try writer.write { try $0.addPlayer("Arthur") }
      for _ in 0..<2 { try Wait.on(ended) }
    }
  }

  @Test func circularWaitsAreDetected() {
    let waits = DeliveryWaits()
    #expect(waits.begin(1, for: 2))
    #expect(waits.begin(2, for: 3))
    #expect(!waits.begin(3, for: 1))
    waits.end(1)
    #expect(waits.begin(3, for: 1))
  }

  @Test func threadsMayWaitForAThreadThatWaits() {
    let waits = DeliveryWaits()
    #expect(waits.begin(1, for: 2))
    #expect(waits.begin(3, for: 1))
  }

  @Test func closingInsideADeliveryDoesNotWaitForItself() {
    #expect(!DeliveryWaits().begin(1, for: 1))
  }
}
