/// Not for you to use: how observations reach a database, whatever it is.
public final class _DatabaseGround: Sendable {
  /// What there is to read from.
  private enum Connections: Sendable {
    case queue(SerializedConnection)
    case pool(SerializedConnection, ReaderPool)
    case snapshot(SerializedConnection)
    case snapshotPool(ReaderPool)
  }

  /// What a later room keeps for the database as long as it is open.
  protocol Tenant: AnyObject, Sendable {
    /// The database is about to be closed.
    func willClose()

    /// It was not closed.
    func didNotClose()

    /// The database was closed.
    func didClose()
  }

  private let connections: Connections
  private let timeLimit: AccessTimeLimit
  private let tenant = Mutex<(any Tenant)?>(nil)
  private let numbering = Mutex(CommitNumbering())

  let clock: WorldClock
  private let configuration: Configuration

  private init(_ connections: Connections, _ configuration: Configuration) {
    self.connections = connections
    self.configuration = configuration
    timeLimit = AccessTimeLimit(configuration)
    clock = configuration.environment.clock
  }

  static func queue(_ connection: SerializedConnection, _ configuration: Configuration) -> _DatabaseGround {
    _DatabaseGround(.queue(connection), configuration)
  }

  static func pool(
    _ writer: SerializedConnection, _ readers: ReaderPool, _ configuration: Configuration
  ) -> _DatabaseGround {
    _DatabaseGround(.pool(writer, readers), configuration)
  }

  static func snapshot(_ connection: SerializedConnection, _ configuration: Configuration) -> _DatabaseGround {
    _DatabaseGround(.snapshot(connection), configuration)
  }

  static func snapshotPool(_ readers: ReaderPool, _ configuration: Configuration) -> _DatabaseGround {
    _DatabaseGround(.snapshotPool(readers), configuration)
  }

  // MARK: What it is

  /// The connection that writes; nil when the database never changes.
  var writer: SerializedConnection? {
    switch connections {
    case .queue(let writer), .pool(let writer, _): writer
    case .snapshot, .snapshotPool: nil
    }
  }

  /// How many fetches may run at the same time.
  var fetchCountMax: Int {
    switch connections {
    case .queue, .snapshot: 1
    case .pool(_, let readers), .snapshotPool(let readers): readers.liveCountMax
    }
  }

  /// How many connections read, and how many accesses wait for one.
  var load: (busy: Int, waiting: Int) {
    switch connections {
    case .queue, .snapshot: (0, 0)
    case .pool(_, let readers), .snapshotPool(let readers): readers.load
    }
  }

  /// Whether this is a child, made by `fork`, of the process that opened the database.
  var isInherited: Bool {
    switch connections {
    case .queue(let connection), .pool(let connection, _), .snapshot(let connection): connection.standing.isInherited
    case .snapshotPool(let readers): readers.standing.isInherited
    }
  }

  /// Whether who fetches keeps others from writing.
  var fetchesExcludeWrites: Bool {
    if case .queue = connections { true } else { false }
  }

  /// When a fetch that begins now must be over, if it must.
  func deadline() -> Database.Deadline? { timeLimit.deadline() }

  /// What a later room keeps, made when it is first asked for.
  func tenant<T: Tenant>(_ make: () -> T) -> T {
    tenant.withLock { tenant in
      if let tenant = tenant as? T { return tenant }
      precondition(tenant == nil, "There is one tenant")
      let new = make()
      tenant = new
      return new
    }
  }

  /// The database is about to be closed, and nobody uses it.
  func willClose() {
    if isInherited { return }
    tenant.withLock { $0 }?.willClose()
  }

  /// It was not closed.
  func didNotClose() {
    if isInherited { return }
    tenant.withLock { $0 }?.didNotClose()
  }

  /// The database was closed.
  func didClose() {
    // What observes is the parent's, and goes on there.
    if isInherited { return }
    tenant.withLock { $0 }?.didClose()
  }

  // MARK: Others

  /// Has a closure told when others have committed, as long as the answer is kept; nil when they are not looked for.
  func watchCommitsByOthers(_ tell: @escaping @Sendable (CommitWatch.News) -> Void) -> CommitWatching? {
    let environment = configuration.environment
    let attention: CommitWatch.Attention
    switch configuration.noticesCommitsByOthers {
    case .never: return nil
    case .atOnce: attention = environment.listensToFiles ? .listening(rest: environment.lookoutRest) : .deaf
    case .every(let duration): attention = .resting(duration)
    }
    guard let writer else { return nil }
    guard let path = writer.filePath else {
      // A database in memory has no commits of others, but those that are attached may have some.
      guard writer.attachedDatabases.mayExist else { return nil }
      return CommitWatching(nil, attachedWatch(writer, attention, tell), writer.attachedDatabases)
    }
    let gauge: any CommitGauge =
      switch connections {
      case .pool: PoolCommitGauge(path: path, vfs: environment.vfs, writer.standing, writer.ownCommits)
      case .queue, .snapshot, .snapshotPool: QueueCommitGauge(writer)
      }
    return CommitWatching(
      CommitWatch(path: path, gauge, writer.changeBroker, writer.standing, attention, tell),
      attachedWatch(writer, attention, tell), writer.attachedDatabases)
  }

  /// Looks at the databases that are attached to the connection that writes. Their files may be anywhere, and change
  /// with each `ATTACH`: nobody listens to them.
  private func attachedWatch(
    _ writer: SerializedConnection, _ attention: CommitWatch.Attention,
    _ tell: @escaping @Sendable (CommitWatch.News) -> Void
  ) -> CommitWatch {
    let attention: CommitWatch.Attention = if case .resting = attention { attention } else { .deaf }
    return CommitWatch(
      path: writer.filePath ?? "", AttachedCommitGauge(writer), writer.changeBroker, writer.standing, attention, tell)
  }

  /// Has a pool tell its own commits from those of others, as long as the answer is kept, where nobody looks for them.
  func noteOwnCommits() -> OwnCommitNotes? {
    if case .pool(let writer, _) = connections { OwnCommitNotes(writer.ownCommits) } else { nil }
  }

  /// The number of the commit that has left a state of the log.
  func number(of header: WALIndexHeader) -> UInt64 { numbering.withLock { $0.number(of: header) } }

  // MARK: Reading and writing

  /// Reads one state on the calling thread, inside the access that it is in if there is one.
  ///
  /// - parameter value: Its second argument is whether a transaction of the connection that writes is open around it.
  func read<T>(_ value: (Database, _ isInsideWrite: Bool) throws -> T) throws -> T {
    switch connections {
    case .queue(let connection):
      try connection.reentrantSync { db in
        db.isInsideTransaction
          ? try db.readOnly { try value(db, true) } : try db.isolatedRead { try value($0, false) }
      }
    case .pool(_, let readers):
      try readers.reentrantSync { db in
        db.isInsideTransaction ? try value(db, false) : try db.isolatedRead { try value($0, false) }
      }
    case .snapshot(let connection):
      try connection.reentrantSync { try $0.readingSnapshot { try value($0, false) } }
    case .snapshotPool(let readers):
      try readers.reentrantSync { try $0.readingSnapshot { try value($0, false) } }
    }
  }

  /// Writes on the calling thread, inside the access that it is in if there is one: what the closure writes is there
  /// or not as a whole.
  ///
  /// - parameter updates: Its second argument is whether a transaction is open around it.
  func write<T>(_ updates: (Database, _ isInsideWrite: Bool) throws -> T) throws -> T {
    func committing(_ db: Database) throws -> T {
      let isInsideWrite = db.isInsideTransaction
      return try db.committingSavepoint { try updates($0, isInsideWrite) }
    }
    return switch connections {
    case .queue(let writer): try writer.boundedReentrantSync(committing)
    case .pool(let writer, let readers): try writer.boundedReentrantSync(nested: readers.nestedWrites, committing)
    case .snapshot, .snapshotPool: preconditionFailure("A snapshot is not written")
    }
  }

  /// Whether the calling thread is inside a transaction of the connection that writes: it may see what will never be
  /// committed.
  var isInsideTransaction: Bool { writer?.isInsideTransactionOfThisThread ?? false }

  /// Has a connection read later, on a thread of the database. No transaction is open, but in a snapshot.
  func fetchLater(_ value: @escaping Database.ResultHandler) {
    switch connections {
    case .queue(let connection): connection.scheduleResultOutsideTransaction(value)
    case .snapshot(let connection): connection.scheduleResult(value)
    case .pool(_, let readers): readers.scheduleLive(value)
    case .snapshotPool(let readers): readers.schedule(value) { db, call in call(db) }
    }
  }

  /// Has the connection that writes do something later, on a thread of the database. No transaction is open.
  func writeLater(_ value: @escaping Database.ResultHandler) {
    guard let writer else { preconditionFailure("A snapshot is not written") }
    writer.scheduleResultOutsideTransaction(value)
  }
}
