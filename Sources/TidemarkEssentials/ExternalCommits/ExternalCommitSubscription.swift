/// The detection of external commits in an open database and its attached databases. The components of a database share
/// one: see `ExternalCommitListeners`, the entry to this module.
///
/// A subscription begins when it is created, and ends with `stop` or its release, which any thread may call, under no
/// lock. Several subscriptions of a database may overlap: a new one may begin before an old one has ended.
///
///     ExternalCommitSubscription        of a database and its attached databases
///       ExternalCommitMonitor           of a set of files: active, paused, ended
///         ExternalCommitDetector        compares states: of a pool, a queue, or attached databases
///           CommitDetectionConnection   of the pools on one file
///       ExternalCommitPoller            of the process: the thread that checks
///         ExternalCommitSchedule        when to check a database, or the pools on one file
final class ExternalCommitSubscription: Sendable {
  /// The monitor of the main database; nil if other connections cannot use it, or if the detection is disabled.
  private let monitor: ExternalCommitMonitor?

  /// The monitor of attached databases, which begins with the first `ATTACH`; nil if the detection is disabled.
  private let attachedMonitor: ExternalCommitMonitor?
  private let attachedDatabases: AttachedDatabases

  /// The commits of the writer, while they are tracked.
  private let ownCommits: Mutex<OwnCommitTracker?>

  /// - Parameter isPool: Whether other connections than the writer read.
  /// - Parameter notify: A closure called after external commits, on another thread, outside of all locks.
  init(
    _ writer: SerializedConnection, isPool: Bool, _ configuration: Configuration,
    _ notify: @escaping @Sendable (ExternalCommitMonitor.Event) -> Void
  ) {
    let environment = configuration.environment
    let mode = CommitDetectionMode(configuration.externalCommitDetection, environment)
    func monitor(
      _ mode: CommitDetectionMode, _ detector: any ExternalCommitDetector, _ event: ExternalCommitMonitor.Event
    ) -> ExternalCommitMonitor {
      ExternalCommitMonitor(
        path: writer.filePath ?? "", detector, writer.changeBroker, writer.health, mode, reporting: event, notify)
    }
    attachedDatabases = writer.attachedDatabases
    attachedMonitor = mode.map {
      monitor($0.withoutFileEvents, AttachedCommitDetector(writer), .commitsInAttachedDatabase)
    }
    // Other connections cannot commit into a database in memory, but they can commit into its attached databases.
    self.monitor = writer.filePath.flatMap { path in
      mode.map { mode in
        let detector: any ExternalCommitDetector =
          isPool
          ? PoolCommitDetector(
            ExternalCommitPoller.shared.connection(
              to: .init(path: path, vfs: environment.vfs, identity: writer.health.knownIdentity)),
            writer.health, writer.ownCommits)
          : QueueCommitDetector(writer)
        return monitor(mode, detector, .commits)
      }
    }
    // The readers of a pool identify their snapshots with the tracker, and change streams their transactions, even if
    // the detection is disabled.
    let tracksOwnCommits = writer.filePath != nil
    ownCommits = Mutex(tracksOwnCommits ? writer.ownCommits : nil)
    if tracksOwnCommits { writer.ownCommits.begin() }
    if let monitor = self.monitor { ExternalCommitPoller.shared.add(monitor) }
    startAttachedMonitor()
  }

  private func startAttachedMonitor() {
    guard let attachedMonitor else { return }
    let isAdded = OnceFlag()
    attachedDatabases.setListener(of: attachedMonitor) {
      guard isAdded.setFirst() else { return }
      ExternalCommitPoller.shared.add(attachedMonitor)
      // It may have ended meanwhile on another thread, before it was added.
      if attachedMonitor.hasEnded { ExternalCommitPoller.shared.remove(attachedMonitor) }
    }
  }

  deinit { stop() }

  /// Ends the subscription. Has no effect if it has ended.
  func stop() {
    if let attachedMonitor { attachedDatabases.removeListener(of: attachedMonitor) }
    monitor?.end()
    attachedMonitor?.end()
    ownCommits.exchange(nil)?.end()
  }

  /// Whether external commits are possible and detected: in memory, only attached databases have them.
  var canReportCommits: Bool { monitor != nil || attachedMonitor != nil && attachedDatabases.mayExist }

  /// Reports that a connection is about to read for live queries.
  ///
  /// - Parameter willNotify: Called before a notification of commits is requested that may not be detected.
  func begin(with db: Database, willNotify: () -> Void) {
    monitor?.begin(with: db, willNotify: willNotify)
    attachedMonitor?.begin(with: db) {}
  }

  /// Requests a notification, even if no commit is detected.
  func requestNotification() { monitor?.requestNotification() }

  /// Releases resources before the database is closed.
  func pause() {
    monitor?.pause()
    attachedMonitor?.pause()
  }

  /// Resumes after the database was not closed.
  func resume() {
    monitor?.resume()
    attachedMonitor?.resume()
  }
}
