/// When to look whether others have committed.
///
///                +--------------- a file was written ---------------+
///                v                                                  |
///     looking again and again, with growing pauses --- some time --> resting: one look now and then
///
/// Pauses end when something is told, but for the shortest. So only a commit whose last write was told before a look
/// that did not show it waits for the end of a pause.
///
/// A file is written before a commit is there for others to see: whoever looks at once sees nothing, most often. Only
/// our own commits have happened, for some time: then what is told of files is muted, for who writes pays for it.
///
/// Laws:
/// 1. A file that was written is looked at for as long as a commit may take, unless a commit has come to be seen since.
/// 2. What was muted is heard again before one rests, and looked at from then on as if something had been told.
/// 3. However little is told, one looks each time that the rest is over.
struct CommitLookout {
  /// How long a commit may take to be seen.
  static let patience = Duration.milliseconds(50)

  /// How long one waits for the end of a commit of our own.
  static let ownPatience = Duration.milliseconds(200)

  /// How long one rests between two looks.
  private let rest: Duration

  /// Whether somebody tells of files.
  private let listens: Bool

  /// When to look next.
  private(set) var next: Duration

  /// Whether what is told of the files is to be muted.
  private(set) var isMuted = false

  /// When the files were last told to be written, as long as a commit may still come of it.
  private var told: Duration?

  /// How many looks there were since, and whether one of them has shown a commit.
  private var lookCount = 0
  private var hasFound = false

  /// When there was last a commit of our own.
  private var ownCommit: Duration?

  /// Since when one has not been able to tell.
  private var unclear: Duration?

  /// Whether to wait for a commit of our own that has not ended.
  private(set) var isPatient = true

  init(rest: Duration, listens: Bool = true, now: Duration) {
    self.rest = rest
    self.listens = listens
    next = now
  }

  /// A file was written, or may have been.
  mutating func filesDidChange(_ now: Duration) {
    told = now
    (lookCount, hasFound) = (0, false)
    next = now
  }

  /// Somebody has looked.
  ///
  /// - parameter hasOwn: Whether there were commits of our own since the last look.
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
      // It was not there at the first look after the file was told to be written: it is what was being written.
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
      // Law 2.
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
      // Most often, what was found is all that there is.
      let longest = hasFound ? Duration.milliseconds(1) : .microseconds(200)
      if elapsed < .milliseconds(10) { return min(max(elapsed / 4, .microseconds(20)), longest) }
      if elapsed < Self.patience { return .milliseconds(1) }
    }
    if let unclear {
      // The connection is in use, or cannot be had.
      return min(max((now - unclear) / 4, .milliseconds(1)), rest)
    }
    return rest
  }
}
