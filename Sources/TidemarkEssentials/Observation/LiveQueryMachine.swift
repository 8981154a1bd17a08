/// The life of a query that is observed, in one database.
///
///                 +------------------- ask ------------------+
///                 v                                          |
///     resting --ask--> queued --begin--> fetching --end--> resting
///                        ^                  |
///                        |                  +--end, asked meanwhile--> queued
///                        +--- resume --- pausing <--pause (a passing error)--+
///
/// Laws:
/// 1. At most one fetch of a query runs.
/// 2. Whoever asks is served by a fetch that begins later. Many may be served by one.
struct LiveQueryMachine {
  /// Who wants a fetch.
  struct Wish: OptionSet {
    var rawValue: UInt8

    /// An observer that has not been given a value yet.
    static let newcomer = Wish(rawValue: 1)

    /// A commit that may have changed the value: it concerns all observers.
    static let change = Wish(rawValue: 2)

    /// A commit of somebody else, of which nothing is known: it concerns all observers if the value is another one.
    static let others = Wish(rawValue: 4)
  }

  private enum Phase {
    case resting
    case queued
    case fetching
    case pausing
  }

  private var phase = Phase.resting

  /// What was asked for since the last fetch began.
  private var wishes: Wish = []

  /// Somebody wants a fetch.
  ///
  /// - returns: Whether the query is to be put into the line of those that will be fetched.
  mutating func ask(_ wish: Wish) -> Bool {
    wishes.formUnion(wish)
    switch phase {
    case .resting:
      phase = .queued
      return true
    case .queued, .fetching, .pausing:
      return false
    }
  }

  /// Its turn has come.
  ///
  /// - returns: Whom the fetch is for.
  mutating func begin() -> Wish {
    guard case .queued = phase else { preconditionFailure("A query is fetched that is not in the line") }
    phase = .fetching
    defer { wishes = [] }
    return wishes
  }

  /// The fetch has ended.
  ///
  /// - returns: Whether the query is to be put into the line again.
  mutating func end() -> Bool {
    guard case .fetching = phase else { preconditionFailure("A fetch ends that had not begun") }
    phase = wishes.isEmpty ? .resting : .queued
    return !wishes.isEmpty
  }

  /// The fetch has failed, and is to be tried again later.
  ///
  /// - parameter unserved: Whom the fetch was for.
  mutating func pause(unserved: Wish) {
    guard case .fetching = phase else { preconditionFailure("A fetch fails that had not begun") }
    phase = .pausing
    wishes.formUnion(unserved)
  }

  /// The pause is over.
  ///
  /// - returns: Whether the query is to be put into the line.
  mutating func resume() -> Bool {
    guard case .pausing = phase else { return false }
    phase = .queued
    return true
  }
}
