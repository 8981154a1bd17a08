/// When to check whether there were external commits.
///
///           +--------------- a file was written ----------------+
///           v                                                   |
///     checking repeatedly, with growing pauses --a while--> idle: rare checks
///
/// A file event ends all pauses but the shortest. So only a commit whose last write was reported before a check
/// that did not find it waits for the end of a pause.
///
/// A file is written before its commit becomes visible: an immediate check usually finds nothing. If there are only
/// own commits for some time, file events are disabled, because each of them costs the writer.
///
/// Invariants:
/// 1. After a write to a file, checks continue for as long as a commit may take, unless a commit has been found since.
/// 2. Disabled events are enabled again before the idle state, followed by checks as after an event.
/// 3. Without any events, there is a check after each idle interval.
struct CommitLookout {
  /// The time after which a commit is visible.
  static let patience = Duration.milliseconds(50)

  /// The maximum time to wait for the end of an own commit.
  static let ownPatience = Duration.milliseconds(200)

  /// The interval between two checks in the idle state.
  private let rest: Duration

  /// Whether there are file events.
  private let listens: Bool

  /// The time of the next check.
  private(set) var next: Duration

  /// Whether file events should be disabled.
  private(set) var isMuted = false

  /// The time of the last file event, while a commit may still follow from it.
  private var told: Duration?

  /// The number of checks since then, and whether one of them has found a commit.
  private var lookCount = 0
  private var hasFound = false

  /// The time of the last own commit.
  private var ownCommit: Duration?

  /// The time since which checks have had no clear result.
  private var unclear: Duration?

  /// Whether to wait for an own commit that has not ended.
  private(set) var isPatient = true

  init(rest: Duration, listens: Bool = true, now: Duration) {
    self.rest = rest
    self.listens = listens
    next = now
  }

  /// Reports that a file was written, or may have been.
  mutating func filesDidChange(_ now: Duration) {
    told = now
    (lookCount, hasFound) = (0, false)
    next = now
  }

  /// Reports the result of a check.
  ///
  /// - parameter hasOwn: Whether there were own commits since the last check.
  mutating func didLook(_ finding: CommitFinding, hasOwn: Bool, _ now: Duration) {
    lookCount += 1
    if finding == .unclear {
      unclear = unclear ?? now
    } else {
      unclear = nil
    }
    isPatient = unclear.map { now - $0 < Self.ownPatience } ?? true
    switch finding {
    case .others, .moved:
      isMuted = false
      ownCommit = nil
      // It was not found by the first check after the event, so it is the commit that caused the event.
      if lookCount > 1 { told = nil }
      hasFound = true
    case .nothing where hasOwn && listens:
      ownCommit = now
      isMuted = true
      if lookCount > 1 { told = nil }
    case .nothing, .unclear:
      break
    }
    if isMuted, let own = ownCommit, now - own >= Self.patience {
      // Invariant 2.
      isMuted = false
      ownCommit = nil
      told = now
      (lookCount, hasFound) = (0, false)
    }
    next = now + pause(now)
  }

  private func pause(_ now: Duration) -> Duration {
    if isMuted { return .milliseconds(1) }
    if let told {
      let elapsed = now - told
      // Usually, no further commit follows.
      let longest = hasFound ? Duration.milliseconds(1) : .microseconds(200)
      if elapsed < .milliseconds(10) { return min(max(elapsed / 4, .microseconds(20)), longest) }
      if elapsed < Self.patience { return .milliseconds(1) }
    }
    if let unclear {
      // The connection is in use, or not available.
      return min(max((now - unclear) / 4, .milliseconds(1)), rest)
    }
    return rest
  }
}
