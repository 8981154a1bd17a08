import Testing
import Tidemark

/// Operations that last until they are cancelled.
@Suite struct CancellableTests {
  private final class CountedOperation: DatabaseCancellable, Sendable {
    let cancellationCount = Locked(0)

    func cancel() { cancellationCount.update { $0 += 1 } }
  }

  @Test func `a cancellable cancels another one once`() {
    let operation = CountedOperation()
    let cancellable = AnyDatabaseCancellable(operation)
    #expect(operation.cancellationCount.value == 0)
    cancellable.cancel()
    cancellable.cancel()
    #expect(operation.cancellationCount.value == 1)
  }

  @Test func `a released cancellable cancels another one`() {
    let operation = CountedOperation()
    do { _ = AnyDatabaseCancellable(operation) }
    #expect(operation.cancellationCount.value == 1)
  }

  @Test func `a closure that cancels is called once`() {
    let count = Locked(0)
    do {
      let cancellable = AnyDatabaseCancellable { count.update { $0 += 1 } }
      cancellable.cancel()
    }
    #expect(count.value == 1)
  }

  @Test(arguments: Observed.allCases)
  func `an observation that is cancelled while it computes a value does not deliver it`(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let kept = Mutex<AnyDatabaseCancellable?>(nil)
      let observation = ValueObservationTests.playerCount.map { count in
        if count == 1 { kept.withLock { $0 }?.cancel() }
        return count
      }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: 0)
      kept.withLock { $0 = cancellable }
      try writer.write { try $0.addPlayer("Arthur") }
      try waitUntil { writer.observationMetrics.observationCount == 0 }
      try writer.write { try $0.addPlayer("Barbara") }
      #expect(deliveries.values == [0])
    }
  }
}
