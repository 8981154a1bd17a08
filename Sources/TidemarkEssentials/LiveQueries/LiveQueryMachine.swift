/// The states of an observed query in one database.
///
///     idle --request--> queued --begin--> fetching --end--> idle
///                        ^  ^  ^            |
///                        |  |  |            +--end, after another request--> queued
///                        |  |  |            +--end, after requests for unknown external commits only--> deferred
///                        |  |  |            +--pause (a transient error)--> pausing
///                        |  |  +--- resume --- pausing
///                        |  +--- another request --- deferred
///                        +--- release --- deferred
///
/// Invariants:
/// 1. At most one fetch of a query runs.
/// 2. A request is served by a fetch that begins later. One fetch may serve several requests.
struct LiveQueryMachine: Sendable {
  /// The observers that need a fetch.
  struct FetchReasons: OptionSet, Sendable {
    var rawValue: UInt8

    /// Observers that have not received a value yet.
    static let newObserver = FetchReasons(rawValue: 1)

    /// All observers, after a commit that may have changed the value.
    static let change = FetchReasons(rawValue: 2)

    /// All observers if the value has changed, after an external commit whose changes are unknown.
    static let externalCommit = FetchReasons(rawValue: 4)

    /// All observers, after an external commit that may have changed the value.
    static let externalChange: FetchReasons = [.change, isExternal]
    private static let isExternal = FetchReasons(rawValue: 8)

    /// Whether an external commit is among the reasons.
    var includesExternal: Bool { !isDisjoint(with: [.externalCommit, .isExternal]) }
  }

  private enum Phase {
    case idle
    case deferred
    case queued
    case fetching
    case pausing
  }

  private var phase = Phase.idle

  /// Whether it needs no fetch.
  var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// Whether it is to be queued when external commits may be followed.
  var isDeferred: Bool { if case .deferred = phase { true } else { false } }

  /// Whether it waits for another attempt after a failure.
  var isPausing: Bool { if case .pausing = phase { true } else { false } }

  /// The requests since the last fetch began.
  private var pendingReasons: FetchReasons = []

  /// Requests a fetch.
  ///
  /// - Returns: Whether to add the query to the queue.
  mutating func requestFetch(_ reasons: FetchReasons) -> Bool {
    pendingReasons.formUnion(reasons)
    switch phase {
    case .idle:
      phase = .queued
      return true
    case .deferred: return reasons == .externalCommit ? false : release()
    case .queued, .fetching, .pausing:
      return false
    }
  }

  /// Ends the deferral.
  ///
  /// - Returns: Whether to add the query to the queue.
  mutating func release() -> Bool {
    guard case .deferred = phase else { return false }
    phase = .queued
    return true
  }

  /// Begins a fetch.
  ///
  /// - Returns: The requests that the fetch serves.
  mutating func begin() -> FetchReasons {
    guard case .queued = phase else { preconditionFailure("Only a queued query can be fetched") }
    phase = .fetching
    defer { pendingReasons = [] }
    return pendingReasons
  }

  /// Ends a fetch.
  ///
  /// - Returns: Whether to add the query to the queue again.
  mutating func end() -> Bool {
    guard case .fetching = phase else { preconditionFailure("A fetch ended that was not running") }
    switch pendingReasons {
    case []: phase = .idle
    case .externalCommit: phase = .deferred
    default: phase = .queued
    }
    if case .queued = phase { return true }
    return false
  }

  /// Reports that the fetch has failed, and is to be retried later.
  ///
  /// - Parameter unserved: The requests that the fetch was to serve.
  mutating func pause(unserved: FetchReasons) {
    guard case .fetching = phase else { preconditionFailure("A fetch failed that was not running") }
    phase = .pausing
    pendingReasons.formUnion(unserved)
  }

  /// Ends the pause.
  ///
  /// - Returns: Whether to add the query to the queue.
  mutating func resume() -> Bool {
    guard case .pausing = phase else { return false }
    phase = .queued
    return true
  }
}
