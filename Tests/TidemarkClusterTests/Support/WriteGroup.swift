import Dispatch
import Tidemark

@testable import TidemarkCluster

/// Writes that a node executes as one group: the first one does not end before all of them wait.
///
/// The node has a ``ClusterConfiguration/turnLength`` that leaves time for this.
struct WriteGroup {
  private let writes: [PendingWrite]

  /// Submits the writes.
  ///
  /// - Parameter bodies: How long the caller of each write waits, and its closure.
  init(on database: ClusterDatabase, _ bodies: [(timeLimit: Duration, body: @Sendable (Database) throws -> Void)]) {
    let areSubmitted = DispatchSemaphore(value: 0)
    let now = ContinuousClock.now
    writes = bodies.enumerated().map { index, write in
      PendingWrite(until: now + write.timeLimit) { db in
        if index == 0 {
          areSubmitted.wait()
          // For the next execution.
          areSubmitted.signal()
        }
        try write.body(db)
      }
    }
    for write in writes { database.node.submit(write) }
    areSubmitted.signal()
  }

  /// Waits until the caller of a write is resumed.
  func result(_ index: Int) async throws -> LogPosition {
    try await withCheckedThrowingContinuation { continuation in
      writes[index].wait { continuation.resume(with: $0) }
    }
  }
}
