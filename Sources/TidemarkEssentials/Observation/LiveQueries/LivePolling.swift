import Synchronization

/// Whether a connection that has nothing to fetch polls for more work before its thread sleeps.
///
/// Waking a thread costs the committing thread more than the rest of a commit. When commits follow each other so
/// fast that the next one arrives before the thread would sleep, setting a flag suffices. When they do
/// not, no time is wasted: after a few unsuccessful polls it does not poll again, until an idle time was short.
///
/// A state machine, which the engine protects with its lock.
struct LivePolling {
  /// Set when there is something to fetch.
  final class WorkFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    fileprivate(set) var isSet: Bool {
      get { flag.load(ordering: .acquiring) }
      set { flag.store(newValue, ordering: .releasing) }
    }
  }

  /// The maximum time of polling, and the idle time up to which it is useful.
  static let spinDuration = Duration.microseconds(40)
  private static let creditMax = 16
  private static let wastedPollPenalty = 4

  private let isPossible: Bool
  private let snapshotChanges = WorkFlag()
  private var isPolling = false
  private var credit = 0

  /// The time at which the last connection had nothing to fetch any more.
  private var idleStart: Duration?

  init(processorCount: Int = SystemThread.processorCount) {
    isPossible = processorCount > 1
  }

  /// Reports that there is something to fetch.
  ///
  /// - Returns: Whether a connection is polling.
  mutating func notify() -> Bool {
    if isPolling { snapshotChanges.isSet = true }
    return isPolling
  }

  /// Reports that there is something to fetch after an idle time.
  mutating func idleEnded(at now: Duration) {
    if let idleStart, now - idleStart < Self.spinDuration { credit = Self.creditMax }
    idleStart = nil
  }

  /// Reports that a connection has nothing to fetch.
  ///
  /// - Returns: The flag to poll, and the end of polling; nil if the thread should sleep.
  mutating func begin(at now: Duration) -> (WorkFlag, end: Duration)? {
    idleStart = now
    guard isPossible, credit > 0, !isPolling else { return nil }
    isPolling = true
    snapshotChanges.isSet = false
    return (snapshotChanges, now + Self.spinDuration)
  }

  /// Reports the end of polling.
  mutating func end(hasWork: Bool) {
    isPolling = false
    credit = hasWork ? min(credit + 1, Self.creditMax) : credit - Self.wastedPollPenalty
    if hasWork { idleStart = nil }
  }
}
