import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Accesses that give up, or that find a connection, at the moment when they are admitted.
///
/// One at a time: two tests whose threads wait for each other would use all threads of a machine with two processors.
@Suite(.untilItHangs, .serialized) struct LateGiveUpTests {
  private let folder: TemporaryFolder
  private let pool: DatabasePool
  private let hooks: Hooks
  private var gate: AccessGate { pool._core.ownWriter.gate }

  /// What happens before a thread waits.
  private final class Hooks: Sendable {
    let willWait = Locked<(@Sendable () -> Void)?>(nil)
  }

  init() throws {
    folder = try TemporaryFolder()
    let hooks = Hooks()
    self.hooks = hooks
    pool = try folder.tablePool { configuration in
      configuration.maximumReaderCount = 1
      configuration.environment.makeWaitSignal = {
        hooks.willWait.value?()
        return DispatchSemaphore(value: 0)
      }
    }
  }

  /// Fails unless the writer and the reader are free.
  private func expectNothingIsHeld() throws {
    #expect(gate.enterNow())
    gate.leave()
    #expect(pool.readers.load == (0, 0))
    try pool.barrierWriteWithoutTransaction { try $0.insert(1) }
    #expect(try pool.read { try $0.numbers() } == [1])
  }

  // MARK: - Barriers

  @Test func aBarrierThatHasBegunDoesNotGiveUp() throws {
    let barrier = BarrierAdmission(gate, pool.readers)
    let hasBegun = Moment()
    let giveUp = try #require(barrier.begin { hasBegun.happen() })
    #expect(hasBegun.hasHappened)
    for _ in 1...2 { giveUp() }
    #expect(!gate.enterNow())
    #expect(pool.readers.acquireNow() == nil)
    barrier.end()
    try expectNothingIsHeld()
  }

  @Test func aBarrierThatGivesUpTwiceLeavesTheReadersOnce() throws {
    let barrier = BarrierAdmission(gate, pool.readers)
    let (hasBegun, lease) = (Moment(), try #require(pool.readers.acquireNow()))
    let giveUp = try #require(barrier.begin { hasBegun.happen() })
    for _ in 1...2 { giveUp() }
    pool.readers.release(lease)
    #expect(!hasBegun.hasHappened)
    try expectNothingIsHeld()
  }

  @Test func aBarrierThatGivesUpWhileItAsksForTheReadersLeavesThem() throws {
    #expect(gate.enterNow())
    let lease = try #require(pool.readers.acquireNow())
    // A suspended read is resumed when the barrier asks for all readers.
    let giveUp = Locked<(@Sendable () -> Void)?>(nil)
    #expect(pool.readers.acquire(reserves: true) { _ in giveUp.value?() } != nil)
    let barrier = BarrierAdmission(gate, pool.readers)
    let hasBegun = Moment()
    let withdrawal = try #require(barrier.begin { hasBegun.happen() })
    giveUp.update { $0 = withdrawal }
    gate.leave()
    pool.readers.release(lease)
    #expect(!hasBegun.hasHappened)
    try expectNothingIsHeld()
  }

  /// Both threads meet at different moments.
  @Test func aBarrierIsAdmittedOrGivesUp() throws {
    for round in 0..<500 {
      #expect(gate.enterNow())
      let lease = try #require(pool.readers.acquireNow())
      let barrier = BarrierAdmission(gate, pool.readers)
      let hasBegun = Moment()
      let giveUp = try #require(barrier.begin { hasBegun.happen() })
      let count = Mutex(0)
      DispatchQueue.concurrentPerform(iterations: 2) { [gate, pool] thread in
        count.withLock { $0 += 1 }
        while count.withLock({ $0 < 2 }) {}
        if thread == 0 {
          gate.leave()
          pool.readers.release(lease)
        } else {
          for _ in 0..<round % 40 { count.withLock { $0 += 1 } }
          giveUp()
        }
      }
      if hasBegun.hasHappened { barrier.end() }
      #expect(pool.readers.load == (0, 0))
    }
    try expectNothingIsHeld()
  }

  // MARK: - Reads

  @Test func aReadTakesAConnectionThatBecomesFreeBeforeItWaits() throws {
    let first = try #require(pool.readers.acquireNow())
    hooks.willWait.update { $0 = { [pool] in pool.readers.release(first) } }
    let second = try pool.readers.acquire(until: nil)
    hooks.willWait.update { $0 = nil }
    #expect(pool.readers.load == (1, 0))
    pool.readers.release(second)
    try expectNothingIsHeld()
  }

  @Test func aReadOfASnapshotPoolWaitsForItsConnection() throws {
    try pool.write { try $0.insert(7) }
    let snapshots = try pool.makeSnapshotPool()
    let read = try LongAccess { last in try snapshots.read { _ in try last() } }
    let waiting = Background { try snapshots.read { try $0.numbers() } }
    try waitUntil("a read that waits") { snapshots._core.load.waiting == 1 }
    try read.end()
    #expect(try waiting.value() == [7])
  }

  @Test func anAccessThatIsCancelledWhileItAsksForItsLeaseWithdrawsTheRequest() async {
    let withdrawn = Journal<Int>()
    let task = Task {
      try await AsyncAccess<String>.acquire(
        until: nil,
        enter: { _ in
          withUnsafeCurrentTask { $0?.cancel() }
          return 7
        }, giveUp: { withdrawn.append($0) }, leave: { _ in })
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(withdrawn.entries == [7])
  }

  @Test func `a lease that arrives after the access has given up is returned`() async {
    let returned = Journal<String>()
    let task = Task {
      try await AsyncAccess<String>.acquire(
        until: nil,
        enter: { admit -> Int? in
          withUnsafeCurrentTask { $0?.cancel() }
          admit("lease")
          return nil
        }, giveUp: { _ in }, leave: { returned.append($0) })
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(returned.entries == ["lease"])
  }

  // MARK: - Nested writes

  /// A signal whose thread wakes up later.
  private final class LateSignal: WaitSignal {
    let isWaitedFor = Moment()
    private let mayWake = Moment()

    func notify() {}
    func wake() { mayWake.happen() }

    func wait() {
      isWaitedFor.happen()
      do { try mayWake.wait() } catch { Issue.record(error) }
    }

    func wait(for duration: Duration) -> Bool {
      wait()
      return true
    }
  }

  @Test func aNestedWriteThatWasAdmittedIsNotRefused() throws {
    let signal = LateSignal()
    var environment = Environment.live
    environment.makeWaitSignal = { signal }
    let (gate, nested) = (AccessGate(environment), NestedWrites(writer: pool._core.ownWriter))
    #expect(gate.enterNow())
    let write = Background { try nested.enter(gate, until: nil) }
    try signal.isWaitedFor.wait()
    gate.leave()
    // The writer waits for readers before the thread of the write has noticed its admission.
    nested.rejectWaiters()
    nested.writerResumes()
    signal.wake()
    try write.value()
    #expect(!gate.enterNow())
    gate.leave()
  }

  /// Both threads meet at different moments.
  @Test func aNestedWriteIsAdmittedOrRefused() throws {
    let (gate, nested) = (AccessGate(), NestedWrites(writer: pool._core.ownWriter))
    nested.rejectWaiters()
    for round in 0..<500 {
      #expect(gate.enterNow())
      let (count, code) = (Mutex(0), Mutex<ResultCode?>(nil))
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        count.withLock { $0 += 1 }
        while count.withLock({ $0 < 2 }) {}
        if thread == 0 {
          for _ in 0..<round % 40 { count.withLock { $0 += 1 } }
          gate.leave()
        } else {
          let refusal = resultCode { try nested.enter(gate, until: nil) }
          code.withLock { $0 = refusal }
          if refusal == nil { gate.leave() }
        }
      }
      #expect(code.withLock { $0 == nil || $0 == .SQLITE_LOCKED })
      // In both cases, the gate is free.
      #expect(gate.enterNow())
      gate.leave()
    }
    nested.writerResumes()
  }
}
