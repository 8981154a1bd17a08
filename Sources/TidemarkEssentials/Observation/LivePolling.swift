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
  final class News: Sendable {
    private let flag = Atomic<Bool>(false)

    fileprivate(set) var isSet: Bool {
      get { flag.load(ordering: .acquiring) }
      set { flag.store(newValue, ordering: .releasing) }
    }
  }

  /// The maximum time of polling, and the idle time up to which it is useful.
  static let patience = Duration.microseconds(40)
  private static let creditMax = 16
  private static let priceOfVanity = 4

  private let isPossible: Bool
  private let news = News()
  private var isPolling = false
  private var credit = 0

  /// The time at which the last connection had nothing to fetch any more.
  private var restBegan: Duration?

  init(processorCount: Int = SystemThread.processorCount) {
    isPossible = processorCount > 1
  }

  /// Reports that there is something to fetch.
  ///
  /// - returns: Whether a connection is polling.
  mutating func tell() -> Bool {
    if isPolling { news.isSet = true }
    return isPolling
  }

  /// Reports that there is something to fetch after an idle time.
  mutating func restIsOver(at now: Duration) {
    if let restBegan, now - restBegan < Self.patience { credit = Self.creditMax }
    restBegan = nil
  }

  /// Reports that a connection has nothing to fetch.
  ///
  /// - returns: The flag to poll, and the end of polling; nil if the thread should sleep.
  mutating func begin(at now: Duration) -> (News, end: Duration)? {
    restBegan = now
    guard isPossible, credit > 0, !isPolling else { return nil }
    isPolling = true
    news.isSet = false
    return (news, now + Self.patience)
  }

  /// Reports the end of polling.
  mutating func end(hasWork: Bool) {
    isPolling = false
    credit = hasWork ? min(credit + 1, Self.creditMax) : credit - Self.priceOfVanity
    if hasWork { restBegan = nil }
  }
}
