/// When to check whether there were external commits.
///
/// A file is written before its commit becomes visible. Usually, the commit is visible when the thread has been woken.
/// If the last commits were not, the first check waits for a moment, which follows their duration. A file event ends
/// all other pauses. So only a commit whose last write was reported before a check that did not find it waits for the
/// end of a pause.
///
///     idle ──a file is written──► written ──the first check finds nothing───► searching ──a commit is found──► idle
///                                    └──────the first check finds a commit──► found ──another one is found───► idle
///
///     each phase ──only own commits are found──► unwatched ──an external commit is found──► found
///                                                    └──────no own commit for some time───► written
///
/// A written file leads from each phase but `unwatched` to `written`. `searching` and `found` end when their pauses are
/// as long as in the idle phase. In the phase `unwatched`, file events are disabled, because each of them costs the
/// writer.
///
/// Invariants:
/// 1. After a write to a file, checks continue until a commit has been found since, with pauses that are at most as
///    long as the time since the write.
/// 2. When file events are enabled again, checks follow as after a write: the next commit may have been written before.
/// 3. Without any events, there is a check after each idle interval.
struct ExternalCommitSchedule {
  /// What is known about the next commit.
  private enum Phase {
    /// No file was written since the last commit was found.
    case idle

    /// A file was written, and not checked since. Checks after an earlier write may have found nothing.
    case written(at: Duration, failedChecks: Int)

    /// Checks since a write have found no commit. So the commit that is found next has caused the write.
    case searching(since: Duration, failedChecks: Int)

    /// The first check after a write has found a commit, which may be an earlier one.
    case found(since: Duration)

    /// There are only own commits, and no file events.
    case unwatched(lastOwnCommit: Duration)
  }

  /// The time after which a commit is usually visible.
  static let commitTimeout = Duration.milliseconds(50)

  /// The pause after a first check that has found a commit.
  static let pauseAfterDetection = Duration.milliseconds(2)

  /// The maximum time to wait for the end of an own commit.
  static let ownCommitTimeout = Duration.milliseconds(200)

  /// The interval between two checks in the idle phase.
  private let pollingInterval: Duration

  /// Whether there are file events.
  private let usesFileEvents: Bool

  private var phase = Phase.idle
  private var firstCheckDelay = FirstCheckDelay()
  private var distance = DetectionDistance()

  /// The time of the next check.
  private(set) var next: Duration

  /// The time since which checks have had no clear result.
  private var inconclusiveSince: Duration?

  /// Whether to wait for an own commit that has not ended.
  private(set) var waitsForOwnCommit = true

  init(pollingInterval: Duration, usesFileEvents: Bool = true, now: Duration) {
    self.pollingInterval = pollingInterval
    self.usesFileEvents = usesFileEvents
    next = now
  }

  /// Whether file events should be disabled.
  var ignoresFileEvents: Bool { if case .unwatched = phase { true } else { false } }

  /// Whether the next check is the first one after a file event, which other events do not bring forward.
  var isDelayed: Bool { if case .written = phase { true } else { false } }

  /// Reports that a file was written, or may have been.
  mutating func filesDidChange(_ now: Duration) {
    let check = distance.earliestCheck(at: now + firstCheckDelay.value)
    switch phase {
    case .idle, .found:
      phase = .written(at: now, failedChecks: 0)
      next = check
    case .written(_, let failedChecks), .searching(_, let failedChecks):
      phase = .written(at: now, failedChecks: failedChecks)
      next = min(next, check)
    case .unwatched: break
    }
  }

  /// Performs the next check now.
  mutating func checkNow(_ now: Duration) { next = min(next, now) }

  /// Reports the result of a check.
  ///
  /// - Parameter isComplete: False if the result for some of the pools on the file is inconclusive.
  /// - Parameter hasOwn: Whether there were own commits since the last check.
  mutating func didCheck(
    _ finding: CommitCheckResult, isComplete: Bool = true, hasOwn: Bool, _ now: Duration
  ) {
    let isInconclusive = finding == .inconclusive || !isComplete
    inconclusiveSince = isInconclusive ? inconclusiveSince ?? now : nil
    waitsForOwnCommit = inconclusiveSince.map { now - $0 < Self.ownCommitTimeout } ?? true
    switch finding {
    case .externalCommit, .fileMoved: didFind(now)
    case .unchanged where hasOwn && usesFileEvents: phase = .unwatched(lastOwnCommit: now)
    case .unchanged, .inconclusive: didFindNothing(now)
    }
    next = now + pause(now)
  }

  private mutating func didFind(_ now: Duration) {
    distance.detected(now)
    switch phase {
    case .written(let write, let failedChecks):
      firstCheckDelay.adapt(failedChecks: failedChecks)
      phase = .found(since: write)
    case .searching(_, let failedChecks):
      firstCheckDelay.adapt(failedChecks: failedChecks)
      phase = .idle
    case .unwatched: phase = .found(since: now)
    case .idle, .found: phase = .idle
    }
  }

  private mutating func didFindNothing(_ now: Duration) {
    switch phase {
    case .written(let write, let failedChecks): phase = .searching(since: write, failedChecks: failedChecks + 1)
    case .unwatched(let lastOwnCommit) where now - lastOwnCommit >= Self.commitTimeout:
      phase = .written(at: now, failedChecks: 0)
    case .searching(let write, _) where now - write >= pollingInterval,
      .found(let write) where now - write >= pollingInterval:
      phase = .idle
    case .searching(let write, let failedChecks): phase = .searching(since: write, failedChecks: failedChecks + 1)
    case .idle, .found, .unwatched: break
    }
  }

  private func pause(_ now: Duration) -> Duration {
    let pause: Duration =
      switch phase {
      case .idle: pollingInterval
      case .unwatched: .milliseconds(1)
      case .written(let write, _), .searching(let write, _): Self.searchPause(after: now - write)
      // Usually, no further commit follows, or it causes an event.
      case .found(let write): max(now - write, Self.pauseAfterDetection)
      }
    // While a result is not clear, the connection is in use, or not available.
    let retry = inconclusiveSince.map { max((now - $0) / 4, .milliseconds(1)) } ?? pollingInterval
    return min(pause, retry, pollingInterval)
  }

  private static func searchPause(after elapsed: Duration) -> Duration {
    if elapsed < .milliseconds(10) { return min(max(elapsed / 4, .microseconds(20)), .microseconds(200)) }
    // A commit may take long, for example on a busy machine. It is found before its duration has doubled.
    return elapsed < commitTimeout ? .milliseconds(1) : elapsed
  }
}

/// The time from the first write of a commit to the first check. It grows until the first or second check finds the
/// commit, and shrinks again. A check that fails once takes less time than delaying all first checks.
private struct FirstCheckDelay {
  private(set) var value = Duration.zero
  private static let shortest = Duration.microseconds(20)
  private static let longest = Duration.microseconds(250)

  /// - Parameter failedChecks: The number of checks that have not found the commit.
  mutating func adapt(failedChecks: Int) {
    if failedChecks == 1 { return }
    let new = failedChecks > 1 ? max(value * 5 / 4, Self.shortest) : value - value / 8
    value = new < Self.shortest ? .zero : min(new, Self.longest)
  }
}

/// The minimum distance of two detections. It grows while commits follow each other at once.
private struct DetectionDistance {
  private var last: Duration?
  private var value = shortest
  private static let shortest = Duration.microseconds(100)
  private static let longest = Duration.milliseconds(1)

  func earliestCheck(at time: Duration) -> Duration { last.map { max(time, $0 + value) } ?? time }

  mutating func detected(_ now: Duration) {
    let isQuickSeries = last.map { now - $0 < value * 2 } ?? false
    value = isQuickSeries ? min(value * 2, Self.longest) : Self.shortest
    last = now
  }
}
