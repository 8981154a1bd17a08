/// When to check whether there were external commits.
///
///           +--------------- a file was written ----------------+
///           v                                                   |
///     checking repeatedly, with growing pauses -----------> idle: rare checks
///
/// A file is written before its commit becomes visible. Usually, the commit is visible when the thread has been woken.
/// If the last commits were not, the first check waits for a moment, which follows their duration. A file event ends
/// all other pauses. So only a commit whose last write was reported before a check that did not find it waits for the
/// end of a pause.
///
/// While external commits follow each other at once, the detections have a minimum distance. If there are only own
/// commits for some time, file events are disabled, because each of them costs the writer.
///
/// Invariants:
/// 1. After a write to a file, checks continue until a commit has been found since, with pauses that are at most as
///    long as the time since the write.
/// 2. Disabled events are enabled again before the idle state, followed by checks as after an event.
/// 3. Without any events, there is a check after each idle interval.
struct ExternalCommitSchedule {
  /// The time after which a commit is usually visible.
  static let commitTimeout = Duration.milliseconds(50)

  /// The maximum time to wait for the end of an own commit.
  static let ownCommitTimeout = Duration.milliseconds(200)

  /// The interval between two checks in the idle state.
  private let pollingInterval: Duration

  /// Whether there are file events.
  private let usesFileEvents: Bool

  /// The time of the next check.
  private(set) var next: Duration

  /// Whether file events should be disabled.
  private(set) var ignoresFileEvents = false

  /// The time of the last file event, while a commit may still follow from it.
  private var lastFileChange: Duration?

  /// The number of checks since then, and whether one of them has found a commit.
  private var checkCount = 0
  private var hasDetectedCommit = false

  /// The time from the first write of a commit to the first check, and whether that check was too early.
  private var commitDelay = Duration.zero
  private var hasMissedCommit = false
  private static let shortestDelay = Duration.microseconds(20)
  private static let longestDelay = Duration.microseconds(250)

  /// The time of the last detection, and the distance of the next one.
  private var lastDetection: Duration?
  private var distance = shortestDistance
  private static let shortestDistance = Duration.microseconds(100)
  private static let longestDistance = Duration.milliseconds(1)

  /// The time of the last own commit.
  private var lastOwnCommit: Duration?

  /// The time since which checks have had no clear result.
  private var inconclusiveSince: Duration?

  /// Whether to wait for an own commit that has not ended.
  private(set) var waitsForOwnCommit = true

  init(pollingInterval: Duration, usesFileEvents: Bool = true, now: Duration) {
    self.pollingInterval = pollingInterval
    self.usesFileEvents = usesFileEvents
    next = now
  }

  /// Reports that a file was written, or may have been.
  mutating func filesDidChange(_ now: Duration) {
    let isFirst = lastFileChange == nil || hasDetectedCommit
    lastFileChange = now
    (checkCount, hasDetectedCommit) = (0, false)
    if isFirst { hasMissedCommit = false }
    let check = max(now + commitDelay, lastDetection.map { $0 + distance } ?? now)
    next = isFirst ? check : min(next, check)
  }

  /// Performs the next check now.
  mutating func checkNow(_ now: Duration) { next = min(next, now) }

  /// Whether the next check is the first one after a file event, which other events do not bring forward.
  var isDelayed: Bool { lastFileChange != nil && checkCount == 0 }

  /// Adapts the first checks to a commit that a check has found.
  private mutating func adapt(_ now: Duration) {
    if !hasDetectedCommit, lastFileChange != nil {
      let delay = hasMissedCommit ? max(commitDelay * 5 / 4, Self.shortestDelay) : commitDelay - commitDelay / 8
      commitDelay = delay < Self.shortestDelay ? .zero : min(delay, Self.longestDelay)
    }
    let isQuickSeries = lastDetection.map { now - $0 < distance * 2 } ?? false
    distance = isQuickSeries ? min(distance * 2, Self.longestDistance) : Self.shortestDistance
    lastDetection = now
  }

  /// Reports the result of a check.
  ///
  /// - Parameter isComplete: False if the result for some of the pools on the file is inconclusive.
  /// - Parameter hasOwn: Whether there were own commits since the last check.
  mutating func didCheck(
    _ finding: CommitCheckResult, isComplete: Bool = true, hasOwn: Bool, _ now: Duration
  ) {
    checkCount += 1
    if finding == .externalCommit { adapt(now) } else { hasMissedCommit = true }
    if finding == .inconclusive || !isComplete {
      inconclusiveSince = inconclusiveSince ?? now
    } else {
      inconclusiveSince = nil
    }
    waitsForOwnCommit = inconclusiveSince.map { now - $0 < Self.ownCommitTimeout } ?? true
    switch finding {
    case .externalCommit, .fileMoved:
      if ignoresFileEvents {
        // Invariant 2: the next commit may have been written before events are enabled again.
        ignoresFileEvents = false
        lastFileChange = now
      } else if checkCount > 1 {
        // It was not found by the first check after the event, so it is the commit that caused the event.
        lastFileChange = nil
      }
      lastOwnCommit = nil
      hasDetectedCommit = true
    case .unchanged where hasOwn && usesFileEvents:
      lastOwnCommit = now
      ignoresFileEvents = true
      if checkCount > 1 { lastFileChange = nil }
    case .unchanged, .inconclusive:
      break
    }
    if ignoresFileEvents, let own = lastOwnCommit, now - own >= Self.commitTimeout {
      // Invariant 2.
      ignoresFileEvents = false
      lastOwnCommit = nil
      lastFileChange = now
      (checkCount, hasDetectedCommit) = (0, false)
    }
    next = now + pause(now)
  }

  private func pause(_ now: Duration) -> Duration {
    if ignoresFileEvents { return .milliseconds(1) }
    var pause = pollingInterval
    if let lastFileChange { pause = min(pause, self.pause(afterFileChange: now - lastFileChange)) }
    // The connection is in use, or not available.
    if let inconclusiveSince { pause = min(pause, max((now - inconclusiveSince) / 4, .milliseconds(1))) }
    return pause
  }

  private func pause(afterFileChange elapsed: Duration) -> Duration {
    // Usually, no further commit follows, or it causes an event.
    if hasDetectedCommit { return max(elapsed, .milliseconds(1)) }
    if elapsed < .milliseconds(10) { return min(max(elapsed / 4, .microseconds(20)), .microseconds(200)) }
    // A commit may take long, for example on a busy machine. It is found before its duration has doubled.
    return elapsed < Self.commitTimeout ? .milliseconds(1) : elapsed
  }
}
