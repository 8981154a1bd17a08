import Foundation
import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The deliveries of a consumer, with a scheduler that runs actions when the test asks for it.
@Suite struct DeliveryMailboxTests {
  private final class Value: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  /// Records what is scheduled and delivered.
  private final class Calls: DeliveryCalls {
    let actions = Locked<[@Sendable () -> Void]>([])
    let delivered = Locked<[String]>([])
    let onDelivery = Locked<@Sendable () -> Void>({})

    func schedule(_ action: @escaping @Sendable () -> Void) { actions.update { $0.append(action) } }

    func deliver(_ value: any FetchedValue) {
      onDelivery.value()
      delivered.update { $0.append("\((value as? Value)?.number ?? -1)") }
    }

    func fail(_ error: any Error) { delivered.update { $0.append("\(error)") } }

    /// Runs the next action, and returns what was delivered until now.
    func runNext() throws -> [String] {
      let action = try #require(actions.update { $0.isEmpty ? nil : $0.removeFirst() })
      action()
      return delivered.value
    }

    var scheduledCount: Int { actions.value.count }
  }

  @Test func eachDeliveryIsScheduledAfterTheOneBeforeIt() throws {
    let calls = Calls()
    let mailbox = DeliveryMailbox(keepsAll: true, calls)
    mailbox.post(Value(1))
    mailbox.post(Value(2))
    #expect(calls.scheduledCount == 1)
    #expect(calls.delivered.value == [])
    #expect(try calls.runNext() == ["1"])
    #expect(calls.scheduledCount == 1)
    #expect(try calls.runNext() == ["1", "2"])
    #expect(calls.scheduledCount == 0)
  }

  @Test func valuesOfAClosureAreDeliveredBeforeItsCallReturns() {
    let calls = Calls()
    let mailbox = DeliveryMailbox(keepsAll: false, calls)
    mailbox.deliveringNow(if: true) { mailbox.post(Value(1)) }
    #expect(calls.delivered.value == ["1"])
    #expect(calls.scheduledCount == 0)
  }

  @Test func valuesOfAClosureAreScheduledUnlessTheyAreImmediate() throws {
    let calls = Calls()
    let mailbox = DeliveryMailbox(keepsAll: false, calls)
    mailbox.deliveringNow(if: false) { mailbox.post(Value(1)) }
    #expect(calls.delivered.value == [])
    #expect(try calls.runNext() == ["1"])
  }

  @Test func cancelledMailboxesDeliverNothing() throws {
    let calls = Calls()
    let mailbox = DeliveryMailbox(keepsAll: true, calls)
    mailbox.post(Value(1))
    mailbox.cancel()
    mailbox.post(Value(2))
    #expect(try calls.runNext() == [])
    #expect(calls.scheduledCount == 0)
  }

  @Test func cancelledMailboxesReleaseTheirClosures() {
    var calls: Calls? = Calls()
    weak let released = calls
    let mailbox = calls.map { DeliveryMailbox(keepsAll: false, $0) }
    calls = nil
    mailbox?.cancel()
    #expect(released == nil)
  }

  @Test func closuresAreReleasedAfterAnError() throws {
    var calls: Calls? = Calls()
    weak let released = calls
    let mailbox = try DeliveryMailbox(keepsAll: false, #require(calls))
    mailbox.fail(Planned(number: 7))
    #expect(try calls?.runNext() == ["Planned(number: 7)"])
    calls = nil
    #expect(released == nil)
    mailbox.post(Value(1))
  }

  @Test func closuresAreKeptAfterAValue() throws {
    let calls = Calls()
    let mailbox = DeliveryMailbox(keepsAll: false, calls)
    mailbox.post(Value(1))
    _ = try calls.runNext()
    mailbox.post(Value(2))
    #expect(try calls.runNext() == ["1", "2"])
  }

  @Test func aDeliveryCanCancelItself() throws {
    let calls = Calls()
    let mailbox = DeliveryMailbox(keepsAll: true, calls)
    calls.onDelivery.update { $0 = { mailbox.cancel() } }
    mailbox.post(Value(1))
    mailbox.post(Value(2))
    #expect(try calls.runNext() == ["1"])
    #expect(calls.scheduledCount == 0)
  }

  @Test(.untilItHangs) func cancellingWaitsForARunningDelivery() throws {
    let calls = Calls()
    let mailbox = DeliveryMailbox(keepsAll: false, calls)
    let (hasBegun, hasDelivered, hasCancelled) = (Signal(), Signal(), Signal())
    let threads = Locked<(deliverer: ThreadID, canceller: ThreadID)>((0, 0))
    let deliveredBefore = Locked<[String]?>(nil)
    calls.onDelivery.update {
      $0 = {
        threads.update { $0.deliverer = currentThreadID() }
        hasBegun.fire()
        // A cancellation that does not wait returns in this time.
        for _ in 0..<10_000 { sched_yield() }
      }
    }
    mailbox.post(Value(1))
    onThread {
      _ = try? calls.runNext()
      hasDelivered.fire()
    }
    try hasBegun.wait()
    onThread {
      threads.update { $0.canceller = currentThreadID() }
      mailbox.cancel()
      deliveredBefore.update { $0 = calls.delivered.value }
      hasCancelled.fire()
    }
    try hasDelivered.wait()
    try hasCancelled.wait()
    #expect(deliveredBefore.value == ["1"])
    // The wait is over: a wait in the other direction can begin.
    let (deliverer, canceller) = threads.value
    #expect(DeliveryWaits.shared.begin(deliverer, for: canceller))
    DeliveryWaits.shared.end(deliverer)
  }
}
