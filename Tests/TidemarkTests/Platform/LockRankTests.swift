import Testing

@testable import TidemarkEssentials

@Suite struct LockRankTests {
  private typealias EngineMutex = TidemarkEssentials.Mutex

  @Test func `locks are taken in the order of their ranks`() {
    let poller = EngineMutex(1, rank: .externalCommitPoller)
    let monitor = EngineMutex(2, rank: .externalCommitMonitor)
    let leaf = EngineMutex(3)
    let sum = poller.withLock { one in monitor.withLock { two in leaf.withLock { three in one + two + three } } }
    #expect(sum == 6)
    // A lock that was released does not count.
    #expect(leaf.withLock { $0 } + poller.withLock { $0 } == 4)
  }

  @Test func `a lock counts as released when its closure throws`() throws {
    struct Refusal: Error {}
    let leaf = EngineMutex(0)
    #expect(throws: Refusal.self) { try leaf.withLock { _ in throw Refusal() } }
    #expect(leaf.withLock { $0 } == 0)
  }

  #if DEBUG
    @Test func `a lock of a lower rank ends the process`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let poller = EngineMutex(1, rank: .externalCommitPoller)
        let monitor = EngineMutex(2, rank: .externalCommitMonitor)
        monitor.withLock { _ in poller.withLock { _ in } }
      }
      let message = "Lock order: externalCommitPoller is taken while externalCommitMonitor is held"
      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(output.contains(message))
    }

    @Test func `a lock of the same rank ends the process`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let one = EngineMutex(1)
        let other = EngineMutex(2)
        one.withLock { _ in other.withLock { _ in } }
      }
      let message = "Lock order: leaf is taken while leaf is held"
      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(output.contains(message))
    }
  #endif
}
