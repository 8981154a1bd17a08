import Foundation
import TestSupport
import Testing

@testable import TidemarkEssentials

/// Objects removed from a mutex are released outside of the lock.
///
/// The optimizer moves releases: run in release builds, these tests say more (`make test-release`).
@Suite(.untilItHangs) struct MutexReleaseTests {
  private typealias EngineMutex = TidemarkEssentials.Mutex

  /// Whether the lock was free in the `deinit` of an object.
  private final class Report: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Bool] = []

    func add(_ value: Bool) { lock.withLock { values.append(value) } }
    var all: [Bool] { lock.withLock { values } }
  }

  /// Takes a lock in its `deinit`, on another thread.
  private final class Probe: Sendable {
    let lock: @Sendable () -> Void
    let report: Report

    init(_ report: Report, lock: @escaping @Sendable () -> Void) {
      (self.lock, self.report) = (lock, report)
    }

    deinit {
      let isFree = DispatchSemaphore(value: 0)
      let lock = lock
      Thread.detachNewThread {
        lock()
        isFree.signal()
      }
      // A wait that fails is reported by the test, which finds false.
      report.add((try? Wait.on(isFree, "a free lock")) != nil)
    }
  }

  private final class Owner: Sendable {
    struct State {
      var number = 0
      var probe: Probe?
      var other: Probe?
    }

    let state = EngineMutex(State())
    let report = Report()

    init() {
      let (first, second) = (makeProbe(), makeProbe())
      state.withLock { ($0.probe, $0.other) = (first, second) }
    }

    func makeProbe() -> Probe {
      Probe(report) { [weak self] in self?.state.withLock { $0.number += 1 } }
    }

    @inline(never)
    func discardTupleElements() -> Int {
      let (number, _, _) = state.withLock { state -> (Int, Probe?, Probe?) in
        defer { (state.probe, state.other) = (nil, nil) }
        return (state.number, state.probe, state.other)
      }
      return number
    }

    @inline(never)
    func discardTheResult() {
      _ = state.withLock { state in
        defer { state.probe = nil }
        return state.probe
      }
    }

    @inline(never)
    func compareTheResult() -> Bool { state.withLock { $0.probe.take() } != nil }
  }

  @Test func discardedElementsAreReleasedAfterTheUnlock() {
    let owner = Owner()
    _ = owner.discardTupleElements()
    #expect(owner.report.all == [true, true])
  }

  @Test func aDiscardedResultIsReleasedAfterTheUnlock() {
    let owner = Owner()
    owner.discardTheResult()
    #expect(owner.report.all == [true])
  }

  @Test func aResultThatIsOnlyComparedIsReleasedAfterTheUnlock() {
    let owner = Owner()
    #expect(owner.compareTheResult())
    #expect(owner.report.all == [true])
  }

  @Test func anExchangedValueIsReleasedAfterTheUnlock() {
    let report = Report()
    final class Box: Sendable { let mutex = EngineMutex<Probe?>(nil) }
    let box = Box()
    box.mutex.exchange(Probe(report) { [weak box] in box?.mutex.withLock { _ in } })
    box.mutex.exchange(nil)
    #expect(report.all == [true])
  }

  @Test func anErrorUnlocks() {
    let mutex = EngineMutex(1)
    #expect(throws: CancellationError.self) { try mutex.withLock { _ in throw CancellationError() } }
    #expect(mutex.withLock { $0 } == 1)
  }
}
