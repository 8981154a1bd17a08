import Synchronization

/// The detection of external commits in a database, until it is ended.
///
/// Invariants:
/// 1. Subscribers are called by the checking thread, outside of all locks.
/// 2. After `pause` or `end` has returned, no check runs, and no resources are held.
final class ExternalCommitMonitor: Sendable {
  /// A detected event.
  enum Event: Sendable {
    /// There were external commits.
    case commits

    /// There were external commits in an attached database.
    case commitsInAttachedDatabase

    /// The file was moved, deleted or replaced.
    case fileMoved(DatabaseError)
  }

  /// The folder of the files, and their names.
  let folder: String
  let names: [[UInt8]]

  let detectionMode: CommitDetectionMode

  private let path: String
  private let detector: any ExternalCommitDetector
  private let broker: ChangeBroker?
  private let health: DatabaseHealth
  private let commitEvent: Event
  private let notify: @Sendable (Event) -> Void

  private enum Phase {
    case active
    case paused
    case ended
  }

  private let phase = Mutex(Phase.active, rank: .externalCommitMonitor)

  /// Whether a query has read a state whose later commits might not be reported.
  private let hasPendingNotification = Atomic<Bool>(false)

  init(
    path: String, _ detector: any ExternalCommitDetector, _ broker: ChangeBroker?, _ health: DatabaseHealth,
    _ detectionMode: CommitDetectionMode, reporting commitEvent: Event, _ notify: @escaping @Sendable (Event) -> Void
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
    self.commitEvent = commitEvent
    self.notify = notify
  }

  /// Identifies the monitors that are checked together: those that share a connection, and are triggered by the same.
  struct Group: Hashable {
    fileprivate let connection: ObjectIdentifier
    fileprivate let detectionMode: CommitDetectionMode
  }

  var group: Group {
    Group(
      connection: detector.sharedConnection.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self),
      detectionMode: detectionMode)
  }

  /// Begins a round of checks of the monitors of its group.
  func beginRound() { detector.sharedConnection?.beginRound() }

  /// Whether file events trigger checks.
  var usesFileEvents: Bool { if case .fileEvents = detectionMode { true } else { false } }

  /// The number of commits of this database object.
  var ownCommitCount: UInt64 { broker?.writeCount ?? 0 }

  /// Performs a check, and notifies subscribers.
  ///
  /// - Parameter notifying: Runs the notifications.
  /// - Returns: The result; nil if the monitor has ended.
  func check(_ waitsForOwnCommit: Bool, notifying: (() -> Void) -> Void) -> CommitCheckResult? {
    if health.isInherited { return nil }
    var finding: CommitCheckResult? = phase.withLock { phase in
      switch phase {
      case .active: detector.check(waitsForOwnCommit)
      case .paused: .inconclusive
      case .ended: nil
      }
    }
    // Later reads are notified.
    if finding == .unchanged, hasPendingNotification.exchange(false, ordering: .sequentiallyConsistent) {
      finding = .externalCommit
    }
    switch finding {
    case .externalCommit: notifying { notify(commitEvent) }
    case .fileMoved:
      notifying {
        notify(.fileMoved(Database.movedError(path: path)))
        end()
      }
    case .unchanged, .inconclusive, nil: break
    }
    return finding
  }

  /// Reports that a connection is about to read for live queries.
  ///
  /// - Parameter willNotify: Called before a notification is requested.
  func begin(with db: Database, willNotify: () -> Void) {
    // Commits before the next check may not be detected, so that the check reports a commit in any case.
    if detector.begin(with: db) { return }
    willNotify()
    requestNotification()
  }

  /// Lets the next check report a commit in any case.
  func requestNotification() { hasPendingNotification.store(true, ordering: .sequentiallyConsistent) }

  /// Suspends checks, and releases resources.
  func pause() {
    if health.isInherited { return }
    phase.withLock { phase in
      guard phase == .active else { return }
      phase = .paused
      detector.releaseResources()
    }
  }

  /// Resumes checks.
  func resume() {
    if health.isInherited { return }
    phase.withLock { if $0 == .paused { $0 = .active } }
  }

  /// Whether the monitor has ended.
  var hasEnded: Bool { phase.withLock { $0 == .ended } }

  /// Ends the monitor.
  func end() {
    // In a child created by fork(), the checking thread does not exist, and may have left the lock taken.
    if health.isInherited { return }
    let isFirst = phase.withLock { phase in
      if phase == .ended { return false }
      phase = .ended
      detector.releaseResources()
      return true
    }
    if isFirst { ExternalCommitPoller.shared.remove(self) }
  }
}
