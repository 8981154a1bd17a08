import Synchronization

/// A database that is looked at for commits of others, until this is ended.
///
/// Laws:
/// 1. Who is told is called by the thread that looks, outside of all locks.
/// 2. Once `pause` or `end` has returned, nobody is looking, and nothing is held.
final class CommitWatch: Sendable {
  /// What is told.
  enum News: Sendable {
    /// Others have committed.
    case commits

    /// The file was moved, deleted or replaced.
    case moved(DatabaseError)
  }

  /// The folder of the files, and what these are called.
  let folder: String
  let names: [[UInt8]]

  let attention: Attention

  /// How one knows when to look.
  enum Attention: Sendable {
    /// The system tells, and one looks now and then in any case.
    case listening(rest: Duration)

    /// The system cannot tell.
    case deaf

    /// One looks now and then.
    case resting(Duration)
  }

  private let path: String
  private let gauge: any CommitGauge
  private let broker: ChangeBroker?
  private let standing: DatabaseStanding
  private let tell: @Sendable (News) -> Void

  private enum Phase {
    case looking
    case paused
    case ended
  }

  private let phase = Mutex(Phase.looking)

  /// Whether somebody has read what he may not be told of.
  private let owesNews = Atomic<Bool>(false)

  init(
    path: String, _ gauge: any CommitGauge, _ broker: ChangeBroker?, _ standing: DatabaseStanding,
    _ attention: Attention, _ tell: @escaping @Sendable (News) -> Void
  ) {
    let folder = FilePath.folder(of: path)
    self.folder = folder.isEmpty ? "." : folder
    let name = FilePath.name(of: path)
    names = ["", "-wal", "-journal"].map { Array((name + $0).utf8) }
    self.path = path
    self.gauge = gauge
    self.broker = broker
    self.standing = standing
    self.attention = attention
    self.tell = tell
  }

  /// Whether what the system tells of the files is of interest.
  var listens: Bool { if case .listening = attention { true } else { false } }

  /// How many commits of our own there were.
  var ownCommitCount: UInt64 { broker?.writeCount ?? 0 }

  /// Looks, and tells what is to be told.
  ///
  /// - parameter telling: Calls what tells.
  /// - returns: Nil when there is nothing to look at any more.
  func look(_ patience: Bool, telling: (() -> Void) -> Void) -> CommitFinding? {
    if standing.isInherited { return nil }
    var finding: CommitFinding? = phase.withLock { phase in
      switch phase {
      case .looking: gauge.look(patience)
      case .paused: .unclear
      case .ended: nil
      }
    }
    // Whoever reads from now on is told.
    if finding == .nothing, owesNews.exchange(false, ordering: .sequentiallyConsistent) { finding = .others }
    switch finding {
    case .others: telling { tell(.commits) }
    case .moved:
      telling {
        tell(.moved(Database.movedError(path: path)))
        end()
      }
    case .nothing, .unclear, nil: break
    }
    return finding
  }

  /// A connection is about to read for live queries.
  func begin(with db: Database) {
    // What others have committed before the next look may not be noticed: it is told as if something were.
    if !gauge.begin(with: db) { owesNews.store(true, ordering: .sequentiallyConsistent) }
  }

  /// Looks no more for now, and lets go of what it holds.
  func pause() {
    if standing.isInherited { return }
    phase.withLock { phase in
      guard phase == .looking else { return }
      phase = .paused
      gauge.rest()
    }
  }

  /// Looks again.
  func resume() {
    if standing.isInherited { return }
    phase.withLock { if $0 == .paused { $0 = .looking } }
  }

  /// Whether it looks no more.
  var hasEnded: Bool { phase.withLock { $0 == .ended } }

  /// Looks no more.
  func end() {
    // In a child made by fork(), the thread that looks is not there, and may never let go.
    if standing.isInherited { return }
    let isFirst = phase.withLock { phase in
      if phase == .ended { return false }
      phase = .ended
      gauge.end()
      return true
    }
    if isFirst { CommitWatcher.shared.remove(self) }
  }
}

/// Has a database, and those that are attached to it, looked at as long as it is kept.
final class CommitWatching: Sendable {
  private let watch: CommitWatch?
  private let attachedWatch: CommitWatch
  private let attachedDatabases: AttachedDatabases

  /// - parameter watch: Nil where the main database is nobody else's.
  /// - parameter attachedWatch: Looks as soon as databases are attached.
  init(_ watch: CommitWatch?, _ attachedWatch: CommitWatch, _ attachedDatabases: AttachedDatabases) {
    self.watch = watch
    self.attachedWatch = attachedWatch
    self.attachedDatabases = attachedDatabases
    if let watch { CommitWatcher.shared.add(watch) }
    let isAdded = OnceFlag()
    attachedDatabases.setListener(of: attachedWatch) { [attachedWatch] in
      guard isAdded.setFirst() else { return }
      CommitWatcher.shared.add(attachedWatch)
      // It may have ended meanwhile, on another thread, which has found nothing to remove.
      if attachedWatch.hasEnded { CommitWatcher.shared.remove(attachedWatch) }
    }
  }

  deinit {
    attachedDatabases.removeListener(of: attachedWatch)
    watch?.end()
    attachedWatch.end()
  }

  /// A connection is about to read for live queries.
  func begin(with db: Database) {
    watch?.begin(with: db)
    attachedWatch.begin(with: db)
  }

  /// Lets go of what it holds for now, as the database is about to be closed.
  func pause() {
    watch?.pause()
    attachedWatch.pause()
  }

  /// The database was not closed.
  func resume() {
    watch?.resume()
    attachedWatch.resume()
  }
}
