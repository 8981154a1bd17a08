import Synchronization

/// A database that is looked at for commits of others, until this is ended.
///
/// Invariants:
/// 1. Who is told is called by the thread that looks, outside of all locks.
/// 2. Once `pause` or `end` has returned, nobody is looking, and nothing is held.
final class ExternalCommitMonitor: Sendable {
  /// What is told.
  enum Event: Sendable {
    /// Others have committed.
    case commits

    /// The file was moved, deleted or replaced.
    case fileMoved(DatabaseError)
  }

  /// The folder of the files, and what these are called.
  let folder: String
  let names: [[UInt8]]

  let detectionMode: DetectionMode

  /// How one knows when to look.
  enum DetectionMode: Sendable {
    /// The system tells, and one looks now and then in any case.
    case fileEvents(pollingInterval: Duration)

    /// The system cannot tell.
    case frequentPolling

    /// One looks now and then.
    case polling(Duration)
  }

  private let path: String
  private let detector: any ExternalCommitDetector
  private let broker: ChangeBroker?
  private let health: DatabaseHealth
  private let notify: @Sendable (Event) -> Void

  private enum Phase {
    case active
    case paused
    case ended
  }

  private let phase = Mutex(Phase.active)

  /// Whether somebody has read what he may not be told of.
  private let hasPendingNotification = Atomic<Bool>(false)

  init(
    path: String, _ detector: any ExternalCommitDetector, _ broker: ChangeBroker?, _ health: DatabaseHealth,
    _ detectionMode: DetectionMode, _ notify: @escaping @Sendable (Event) -> Void
  ) {
    let folder = FilePath.folder(of: path)
    self.folder = folder.isEmpty ? "." : folder
    let name = FilePath.name(of: path)
    names = ["", "-wal", "-journal"].map { Array((name + $0).utf8) }
    self.path = path
    self.detector = detector
    self.broker = broker
    self.health = health
    self.detectionMode = detectionMode
    self.notify = notify
  }

  /// Whether what the system tells of the files is of interest.
  var usesFileEvents: Bool { if case .fileEvents = detectionMode { true } else { false } }

  /// How many commits of our own there were.
  var ownCommitCount: UInt64 { broker?.writeCount ?? 0 }

  /// Looks, and tells what is to be told.
  ///
  /// - parameter notifying: Calls what tells.
  /// - returns: Nil when there is nothing to look at any more.
  func check(_ waitsForOwnCommit: Bool, notifying: (() -> Void) -> Void) -> CommitCheckResult? {
    if health.isInherited { return nil }
    var finding: CommitCheckResult? = phase.withLock { phase in
      switch phase {
      case .active: detector.check(waitsForOwnCommit)
      case .paused: .inconclusive
      case .ended: nil
      }
    }
    // Whoever reads from now on is told.
    if finding == .unchanged, hasPendingNotification.exchange(false, ordering: .sequentiallyConsistent) {
      finding = .externalCommit
    }
    switch finding {
    case .externalCommit: notifying { notify(.commits) }
    case .fileMoved:
      notifying {
        notify(.fileMoved(Database.movedError(path: path)))
        end()
      }
    case .unchanged, .inconclusive, nil: break
    }
    return finding
  }

  /// A connection is about to read for live queries.
  func begin(with db: Database) {
    // What others have committed before the next look may not be noticed: it is told as if something were.
    if !detector.begin(with: db) { hasPendingNotification.store(true, ordering: .sequentiallyConsistent) }
  }

  /// Looks no more for now, and lets go of what it holds.
  func pause() {
    if health.isInherited { return }
    phase.withLock { phase in
      guard phase == .active else { return }
      phase = .paused
      detector.releaseResources()
    }
  }

  /// Looks again.
  func resume() {
    if health.isInherited { return }
    phase.withLock { if $0 == .paused { $0 = .active } }
  }

  /// Whether it looks no more.
  var hasEnded: Bool { phase.withLock { $0 == .ended } }

  /// Looks no more.
  func end() {
    // In a child made by fork(), the thread that looks is not there, and may never let go.
    if health.isInherited { return }
    let isFirst = phase.withLock { phase in
      if phase == .ended { return false }
      phase = .ended
      detector.end()
      return true
    }
    if isFirst { ExternalCommitPoller.shared.remove(self) }
  }
}

/// Has a database, and those that are attached to it, looked at as long as it is kept.
final class ExternalCommitSubscription: Sendable {
  private let monitor: ExternalCommitMonitor?
  private let attachedWatch: ExternalCommitMonitor
  private let attachedDatabases: AttachedDatabases

  /// - parameter monitor: Nil where the main database is nobody else's.
  /// - parameter attachedWatch: Looks as soon as databases are attached.
  init(
    _ monitor: ExternalCommitMonitor?, _ attachedWatch: ExternalCommitMonitor, _ attachedDatabases: AttachedDatabases
  ) {
    self.monitor = monitor
    self.attachedWatch = attachedWatch
    self.attachedDatabases = attachedDatabases
    if let monitor { ExternalCommitPoller.shared.add(monitor) }
    let isAdded = OnceFlag()
    attachedDatabases.setListener(of: attachedWatch) { [attachedWatch] in
      guard isAdded.setFirst() else { return }
      ExternalCommitPoller.shared.add(attachedWatch)
      // It may have ended meanwhile, on another thread, which has found nothing to remove.
      if attachedWatch.hasEnded { ExternalCommitPoller.shared.remove(attachedWatch) }
    }
  }

  deinit {
    attachedDatabases.removeListener(of: attachedWatch)
    monitor?.end()
    attachedWatch.end()
  }

  /// A connection is about to read for live queries.
  func begin(with db: Database) {
    monitor?.begin(with: db)
    attachedWatch.begin(with: db)
  }

  /// Lets go of what it holds for now, as the database is about to be closed.
  func pause() {
    monitor?.pause()
    attachedWatch.pause()
  }

  /// The database was not closed.
  func resume() {
    monitor?.resume()
    attachedWatch.resume()
  }
}
