import Synchronization

/// Whether a connection that has nothing to fetch waits for more with the processor, before its thread goes to sleep.
///
/// To wake a thread up costs whoever commits more than the rest of a commit does. Where commits follow each other so
/// fast that the next one comes before the thread would be asleep, nobody has to: a flag is set, and that is all. Where
/// they do not, no time is wasted: what was in vain a few times is not done again, until a rest was short.
///
/// Events in, actions out; the engine has it under its lock.
struct LivePolling {
  /// Set when there is something to fetch.
  final class News: Sendable {
    private let flag = Atomic<Bool>(false)

    fileprivate(set) var isSet: Bool {
      get { flag.load(ordering: .acquiring) }
      set { flag.store(newValue, ordering: .releasing) }
    }
  }

  /// How long one waits at most, and how short a rest makes it worth while.
  static let patience = Duration.microseconds(40)
  private static let creditMax = 16
  private static let priceOfVanity = 4

  private let isPossible: Bool
  private let news = News()
  private var isPolling = false
  private var credit = 0

  /// When the last connection had nothing to fetch any more.
  private var restBegan: Duration?

  init(processorCount: Int = SystemThread.processorCount) {
    isPossible = processorCount > 1
  }

  /// There is something to fetch.
  ///
  /// - returns: Whether somebody looks at once.
  mutating func tell() -> Bool {
    if isPolling { news.isSet = true }
    return isPolling
  }

  /// There is something to fetch, and nobody was there.
  mutating func restIsOver(at now: Duration) {
    if let restBegan, now - restBegan < Self.patience { credit = Self.creditMax }
    restBegan = nil
  }

  /// A connection has nothing to fetch.
  ///
  /// - returns: What to look at, and until when; nil when it had better go.
  mutating func begin(at now: Duration) -> (News, end: Duration)? {
    restBegan = now
    guard isPossible, credit > 0, !isPolling else { return nil }
    isPolling = true
    news.isSet = false
    return (news, now + Self.patience)
  }

  /// It looks no more.
  mutating func end(hasWork: Bool) {
    isPolling = false
    credit = hasWork ? min(credit + 1, Self.creditMax) : credit - Self.priceOfVanity
    if hasWork { restBegan = nil }
  }
}
