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

  /// How often to look where nothing is told.
  let rest: Duration

  /// Whether what the system tells of the files is listened to.
  let listens: Bool

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
    rest: Duration?, listens: Bool, _ tell: @escaping @Sendable (News) -> Void
  ) {
    let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    folder = end == path.startIndex ? "." : String(path[..<end])
    names = ["", "-wal", "-journal"].map { Array((path[end...] + $0).utf8) }
    self.path = path
    self.gauge = gauge
    self.broker = broker
    self.standing = standing
    self.rest = rest ?? .milliseconds(500)
    self.listens = listens && rest == nil
    self.tell = tell
  }

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
    phase.withLock { phase in
      guard phase == .looking else { return }
      phase = .paused
      gauge.rest()
    }
  }

  /// Looks again.
  func resume() {
    phase.withLock { if $0 == .paused { $0 = .looking } }
  }

  /// Looks no more.
  func end() {
    let isFirst = phase.withLock { phase in
      if phase == .ended { return false }
      phase = .ended
      if !standing.isInherited { gauge.end() }
      return true
    }
    if isFirst { CommitWatcher.shared.remove(self) }
  }
}

/// Has a database looked at as long as it is kept.
final class CommitWatching: Sendable {
  private let watch: CommitWatch

  init(_ watch: CommitWatch) {
    self.watch = watch
    CommitWatcher.shared.add(watch)
  }

  deinit { watch.end() }

  /// A connection is about to read for live queries.
  func begin(with db: Database) { watch.begin(with: db) }

  /// Lets go of what it holds for now, as the database is about to be closed.
  func pause() { watch.pause() }

  /// The database was not closed.
  func resume() { watch.resume() }
}
