import Synchronization

/// The threads that wait for the end of a delivery on another thread.
///
/// Invariant: no thread waits for itself, not even through other threads. When two closures cancel each other's
/// observation at the same time, the second one does not wait for the first one, which waits for it.
final class DeliveryWaits: Sendable {
  /// The waits of the process: a closure may cancel any observation of any database.
  static let shared = DeliveryWaits()

  /// For each waiting thread, the thread for which it waits.
  private let deliverers = Mutex<[ThreadID: ThreadID]>([:])

  /// Reports that a thread is about to wait for a delivery on another one.
  ///
  /// - Returns: Whether it may wait: false if the other one waits for it, directly or through others.
  func begin(_ thread: ThreadID, for deliverer: ThreadID) -> Bool {
    deliverers.withLock { deliverers in
      var other = deliverer
      while other != thread {
        guard let next = deliverers[other] else {
          deliverers[thread] = deliverer
          return true
        }
        other = next
      }
      return false
    }
  }

  /// Reports that the wait of a thread has ended.
  func end(_ thread: ThreadID) {
    deliverers.withLock { $0[thread] = nil }
  }
}
