import Synchronization

/// Threads that wait for the end of a delivery, which happens on another thread.
///
/// Law: nobody waits for himself, in however roundabout a way. When two closures cancel each other's observation at the
/// same time, the second one does not wait for the first one, which waits for it.
final class DeliveryWaits: Sendable {
  /// Those of the process: a closure may cancel any observation of any database.
  static let shared = DeliveryWaits()

  /// For whom each thread waits.
  private let deliverers = Mutex<[ThreadID: ThreadID]>([:])

  /// A thread is about to wait for what another one delivers.
  ///
  /// - returns: Whether it may: false when the other one waits for it, directly or through others.
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

  /// What a thread waits for is over.
  func end(_ thread: ThreadID) {
    deliverers.withLock { $0[thread] = nil }
  }
}
