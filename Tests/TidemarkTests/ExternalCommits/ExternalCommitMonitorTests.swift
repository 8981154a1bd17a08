import Testing

@testable import TidemarkEssentials

/// The checks of a monitor, and the notifications that they cause.
@Suite struct ExternalCommitMonitorTests {
  /// A detector with given results.
  private final class Detector: ExternalCommitDetector {
    private let results: Locked<[CommitCheckResult]>

    init(_ results: [CommitCheckResult]) { self.results = Locked(results) }

    func check(_ waitsForOwnCommit: Bool) -> CommitCheckResult { results.update { $0.removeFirst() } }
    func begin(with db: Database) -> Bool { true }
  }

  @Test func `a requested notification is kept by an inconclusive check`() {
    let count = Locked(0)
    let monitor = ExternalCommitMonitor(
      path: "/db.sqlite", Detector([.inconclusive, .unchanged, .unchanged]), nil, DatabaseHealth(), .frequentPolling,
      reporting: .commits
    ) { _ in count.update { $0 += 1 } }
    monitor.requestNotification()
    let results = (1...3).map { _ in monitor.check(false) { $0() } }
    #expect(results == [.inconclusive, .externalCommit, .unchanged])
    #expect(count.value == 1)
  }
}
