/// Not for you to use: how observations reach a database, whatever it is.
public final class _DatabaseCore: Sendable {
  /// What there is to read from.
  private enum Connections: Sendable {
    case queue(SerializedConnection)
    case pool(SerializedConnection, ReaderPool)
    case snapshot(SerializedConnection)
    case snapshotPool(ReaderPool)
  }

  /// What a later module keeps for the database as long as it is open.
  protocol Component: AnyObject, Sendable {
    /// The database is about to be closed.
    func willClose()

    /// It was not closed.
    func didNotClose()

    /// The database was closed.
    func didClose()
  }

  private let connections: Connections
  private let timeLimit: AccessTimeLimit
  private let component = Mutex<(any Component)?>(nil)
  private let numbering = Mutex(DatabaseVersionNumbering())

  let clock: MonotonicClock
  private let configuration: Configuration

  private init(_ connections: Connections, _ configuration: Configuration) {
    self.connections = connections
    self.configuration = configuration
    timeLimit = AccessTimeLimit(configuration)
    clock = configuration.environment.clock
  }

  static func queue(_ connection: SerializedConnection, _ configuration: Configuration) -> _DatabaseCore {
    _DatabaseCore(.queue(connection), configuration)
  }

  static func pool(
    _ writer: SerializedConnection, _ readers: ReaderPool, _ configuration: Configuration
  ) -> _DatabaseCore {
    _DatabaseCore(.pool(writer, readers), configuration)
  }

  static func snapshot(_ connection: SerializedConnection, _ configuration: Configuration) -> _DatabaseCore {
    _DatabaseCore(.snapshot(connection), configuration)
  }

  static func snapshotPool(_ readers: ReaderPool, _ configuration: Configuration) -> _DatabaseCore {
    _DatabaseCore(.snapshotPool(readers), configuration)
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
    case .queue(let connection), .pool(let connection, _), .snapshot(let connection): connection.health.isInherited
    case .snapshotPool(let readers): readers.health.isInherited
    }
  }

  /// Whether who fetches keeps others from writing.
  var fetchesExcludeWrites: Bool {
    if case .queue = connections { true } else { false }
  }

  /// When a fetch that begins now must be over, if it must.
  func deadline() -> Database.Deadline? { timeLimit.deadline() }

  /// What a later module keeps, made when it is first asked for.
  func component<T: Component>(_ make: () -> T) -> T {
    component.withLock { component in
      if let component = component as? T { return component }
      precondition(component == nil, "There is one tenant")
      let new = make()
      component = new
      return new
    }
  }

  /// The database is about to be closed, and nobody uses it.
  func willClose() {
    if isInherited { return }
    component.withLock { $0 }?.willClose()
  }

  /// It was not closed.
  func didNotClose() {
    if isInherited { return }
    component.withLock { $0 }?.didNotClose()
  }

  /// The database was closed.
  func didClose() {
    // What observes is the parent's, and goes on there.
    if isInherited { return }
    component.withLock { $0 }?.didClose()
  }

  // MARK: Others

  /// Has a closure told when others have committed, as long as the answer is kept; nil when they are not looked for.
  func subscribeToExternalCommits(_ notify: @escaping @Sendable (ExternalCommitMonitor.Event) -> Void)
    -> ExternalCommitSubscription?
  {
    let environment = configuration.environment
    let detectionMode: ExternalCommitMonitor.DetectionMode
    switch configuration.externalCommitDetection {
    case .disabled: return nil
    case .immediate:
      detectionMode =
        environment.usesFileEvents ? .fileEvents(pollingInterval: environment.commitPollingInterval) : .frequentPolling
    case .polling(let duration): detectionMode = .polling(duration)
    }
    guard let writer else { return nil }
    guard let path = writer.filePath else {
      // A database in memory has no commits of others, but those that are attached may have some.
      guard writer.attachedDatabases.mayExist else { return nil }
      return ExternalCommitSubscription(nil, attachedWatch(writer, detectionMode, notify), writer.attachedDatabases)
    }
    let detector: any ExternalCommitDetector =
      switch connections {
      case .pool: PoolCommitDetector(path: path, vfs: environment.vfs, writer.health, writer.ownCommits)
      case .queue, .snapshot, .snapshotPool: QueueCommitDetector(writer)
      }
    return ExternalCommitSubscription(
      ExternalCommitMonitor(path: path, detector, writer.changeBroker, writer.health, detectionMode, notify),
      attachedWatch(writer, detectionMode, notify), writer.attachedDatabases)
  }

  /// Looks at the databases that are attached to the connection that writes. Their files may be anywhere, and change
  /// with each `ATTACH`: nobody listens to them.
  private func attachedWatch(
    _ writer: SerializedConnection, _ detectionMode: ExternalCommitMonitor.DetectionMode,
    _ notify: @escaping @Sendable (ExternalCommitMonitor.Event) -> Void
  ) -> ExternalCommitMonitor {
    let detectionMode: ExternalCommitMonitor.DetectionMode =
      if case .polling = detectionMode { detectionMode } else { .frequentPolling }
    return ExternalCommitMonitor(
      path: writer.filePath ?? "", AttachedCommitDetector(writer), writer.changeBroker, writer.health, detectionMode,
      notify)
  }

  /// Has a pool tell its own commits from those of others, as long as the answer is kept, where nobody looks for them.
  func trackOwnCommits() -> OwnCommitTracking? {
    if case .pool(let writer, _) = connections { OwnCommitTracking(writer.ownCommits) } else { nil }
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
