/// Not part of the public interface: the access of observations to a database.
public final class _DatabaseCore: Sendable {
  /// The readable connections.
  private enum Connections: Sendable {
    case queue(SerializedConnection)
    case pool(SerializedConnection, ReaderPool)
    case snapshot(SerializedConnection)
    case snapshotPool(ReaderPool)
  }

  /// The state of a later module, kept while the database is open.
  protocol Component: AnyObject, Sendable {
    /// Called before the database is closed, while it is unused.
    func willClose()

    /// Called if the database was not closed.
    func didNotClose()

    /// Called after the database was closed.
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

  // MARK: Properties

  /// The writer connection; nil if the database never changes.
  var writer: SerializedConnection? {
    switch connections {
    case .queue(let writer), .pool(let writer, _): writer
    case .snapshot, .snapshotPool: nil
    }
  }

  /// The maximum number of concurrent fetches.
  var fetchCountMax: Int {
    switch connections {
    case .queue, .snapshot: 1
    case .pool(_, let readers), .snapshotPool(let readers): readers.liveCountMax
    }
  }

  /// The number of connections in use, and the number of waiting accesses.
  var load: (busy: Int, waiting: Int) {
    switch connections {
    case .queue, .snapshot: (0, 0)
    case .pool(_, let readers), .snapshotPool(let readers): readers.load
    }
  }

  /// Whether this process is a child, created by `fork`, of the process that opened the database.
  var isInherited: Bool {
    switch connections {
    case .queue(let connection), .pool(let connection, _), .snapshot(let connection): connection.health.isInherited
    case .snapshotPool(let readers): readers.health.isInherited
    }
  }

  /// Whether fetches exclude writes.
  var fetchesExcludeWrites: Bool {
    if case .queue = connections { true } else { false }
  }

  /// The deadline of a fetch that begins now; nil if there is none.
  func deadline() -> Database.Deadline? { timeLimit.deadline() }

  /// Returns the state of a later module, created on first use.
  func component<T: Component>(_ make: () -> T) -> T {
    component.withLock { component in
      if let component = component as? T { return component }
      precondition(component == nil, "The component slot is already used by another type")
      let new = make()
      component = new
      return new
    }
  }

  /// Called before the database is closed, while it is unused.
  func willClose() {
    if isInherited { return }
    component.withLock { $0 }?.willClose()
  }

  /// Called if the database was not closed.
  func didNotClose() {
    if isInherited { return }
    component.withLock { $0 }?.didNotClose()
  }

  /// Called after the database was closed.
  func didClose() {
    // The observations belong to the parent, where they continue.
    if isInherited { return }
    component.withLock { $0 }?.didClose()
  }

  // MARK: External commits and versions

  /// Calls a closure after external commits, until the returned object is released. Returns nil if they are not
  /// detected.
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
      // Other connections cannot commit into a database in memory, but they can commit into its attached databases,
      // which may be attached later.
      return ExternalCommitSubscription(nil, attachedMonitor(writer, detectionMode, notify), writer.attachedDatabases)
    }
    let detector: any ExternalCommitDetector =
      switch connections {
      case .pool: PoolCommitDetector(path: path, vfs: environment.vfs, writer.health, writer.ownCommits)
      case .queue, .snapshot, .snapshotPool: QueueCommitDetector(writer)
      }
    return ExternalCommitSubscription(
      ExternalCommitMonitor(path: path, detector, writer.changeBroker, writer.health, detectionMode, notify),
      attachedMonitor(writer, detectionMode, notify), writer.attachedDatabases)
  }

  /// Creates the monitor of the databases attached to the writer. It does not use file events, because the files may be
  /// anywhere and change with each `ATTACH`.
  private func attachedMonitor(
    _ writer: SerializedConnection, _ detectionMode: ExternalCommitMonitor.DetectionMode,
    _ notify: @escaping @Sendable (ExternalCommitMonitor.Event) -> Void
  ) -> ExternalCommitMonitor {
    let detectionMode: ExternalCommitMonitor.DetectionMode =
      if case .polling = detectionMode { detectionMode } else { .frequentPolling }
    return ExternalCommitMonitor(
      path: writer.filePath ?? "", AttachedCommitDetector(writer), writer.changeBroker, writer.health, detectionMode,
      notify)
  }

  /// Tracks the own commits of a pool until the returned object is released, if external commits are not detected.
  func trackOwnCommits() -> OwnCommitTracking? {
    if case .pool(let writer, _) = connections { OwnCommitTracking(writer.ownCommits) } else { nil }
  }

  /// The number of the commit that left a state of the log.
  func number(of header: WALIndexHeader) -> UInt64 { numbering.withLock { $0.number(of: header) } }

  // MARK: Reads and writes

  /// Reads one snapshot on the calling thread, inside its current access if there is one.
  ///
  /// - Parameter value: Its second argument is whether a transaction of the writer is open around it.
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

  /// Writes on the calling thread, inside its current access if there is one. The writes of the closure are atomic.
  ///
  /// - Parameter updates: Its second argument is whether a transaction is open around it.
  func write<T>(_ updates: (Database, _ isInsideWrite: Bool) throws -> T) throws -> T {
    func committing(_ db: Database) throws -> T {
      let isInsideWrite = db.isInsideTransaction
      return try db.committingSavepoint { try updates($0, isInsideWrite) }
    }
    return switch connections {
    case .queue(let writer): try writer.boundedReentrantSync(committing)
    case .pool(let writer, let readers): try writer.boundedReentrantSync(nested: readers.nestedWrites, committing)
    case .snapshot, .snapshotPool: preconditionFailure("A snapshot cannot be written")
    }
  }

  /// Whether the calling thread is inside a transaction of the writer, and may see uncommitted changes.
  var isInsideTransaction: Bool { writer?.isInsideTransactionOfThisThread ?? false }

  /// Calls a closure with a reader later, on a thread of the database. No transaction is open, except in a snapshot.
  func fetchLater(_ value: @escaping Database.ResultHandler) {
    switch connections {
    case .queue(let connection): connection.scheduleResultOutsideTransaction(value)
    case .snapshot(let connection): connection.scheduleResult(value)
    case .pool(_, let readers): readers.scheduleLive(value)
    case .snapshotPool(let readers): readers.schedule(value) { db, call in call(db) }
    }
  }

  /// Calls a closure with the writer later, on a thread of the database. No transaction is open.
  func writeLater(_ value: @escaping Database.ResultHandler) {
    guard let writer else { preconditionFailure("A snapshot cannot be written") }
    writer.scheduleResultOutsideTransaction(value)
  }
}
