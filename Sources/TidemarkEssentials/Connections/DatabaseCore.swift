/// Not part of the public interface: the accesses to a database, which queues, pools, snapshots and erasers share.
///
/// The kinds of databases are policies: whether there is a writer, and which connections read.
///
///     queue           writer, which is also the single reader
///     pool            writer, and a pool of readers
///     snapshot        a single reader, which holds the snapshot
///     snapshot pool   a pool of readers, which hold the snapshot
public final class _DatabaseCore: Sendable {
  /// The state of a later module, kept while the database is open.
  protocol Component: AnyObject, Sendable {
    /// Called before the database is closed, while it is unused.
    func willClose()

    /// Called if the database was not closed.
    func didNotClose()

    /// Called after the database was closed.
    func didClose()
  }

  let path: String
  let configuration: Configuration

  /// The writer connection; nil if the database is a snapshot.
  let writer: SerializedConnection?

  let readers: ReadConnections
  let clock: MonotonicClock
  let wallClock: WallClock
  private let timeLimit: AccessTimeLimit
  private let components = Mutex<[any Component]>([])
  private let externalCommitListeners = ExternalCommitListeners()
  private let numbering = Mutex(DatabaseVersionNumbering())

  init(path: String, _ configuration: Configuration, writer: SerializedConnection?, readers: ReadConnections) {
    self.path = path
    self.configuration = configuration
    self.writer = writer
    self.readers = readers
    timeLimit = AccessTimeLimit(configuration)
    clock = configuration.environment.clock
    wallClock = configuration.environment.wallClock
  }

  // MARK: Properties

  /// The maximum number of concurrent fetches.
  var fetchCountMax: Int { readers.liveCountMax }

  /// The number of connections in use, and the number of waiting accesses.
  var load: (busy: Int, waiting: Int) { readers.load }

  /// Whether this process is a child, created by `fork`, of the process that opened the database.
  var isInherited: Bool { readers.health.isInherited }

  /// Whether fetches exclude writes.
  var fetchesExcludeWrites: Bool { queueConnection != nil }

  /// The connection, if reads and writes share a single one.
  var queueConnection: SerializedConnection? { if case .single = readers { writer } else { nil } }

  /// The deadline of a fetch that begins now; nil if there is none.
  func deadline() -> Database.Deadline? { timeLimit.deadline() }

  /// Returns the state of a later module, created on first use.
  func component<T: Component>(_ make: () -> T) -> T {
    components.withLock { components in
      for component in components { if let component = component as? T { return component } }
      let new = make()
      components.append(new)
      return new
    }
  }

  /// The number of the commit that left a state of the log.
  func number(of header: WALIndexHeader) -> UInt64 { numbering.withLock { $0.number(of: header) } }

  // MARK: Closing

  /// Closes the connections after the accesses that wait.
  func close() throws {
    // A barrier may be waiting for the read, and would let no other access begin.
    if case .pool(let readers) = readers {
      precondition(
        !readers.isAccessible, "close() cannot be called inside a read of the same database: finish the read first")
    }
    switch (writer, readers) {
    case (let writer?, .single):
      try writer.close()
      notifyComponents { $0.didClose() }
    case (nil, .single(let connection)): try connection.close()
    case (let writer?, .pool(let readers)): try close(writer, readers)
    case (nil, .pool(let readers)): try readers.close()
    }
  }

  private func close(_ writer: SerializedConnection, _ readers: ReaderPool) throws {
    // Waiting reads are admitted after the pool is closed. They must not open a connection, because it would not be
    // closed.
    var hasReaders = false
    defer {
      if writer.isClosed { readers.isClosed.set() }
      if hasReaders { readers.endExclusive() }
      if writer.isClosed { readers.executor.retire() }
      notifyComponents { writer.isClosed ? $0.didClose() : $0.didNotClose() }
    }
    try writer.close(closesWithStatements: true) {
      try readers.waitForAll()
      hasReaders = true
      // The last connection to close removes the WAL files.
      notifyComponents { $0.willClose() }
      return Result { try readers.closeAll() }
    }
  }

  // In a child created by fork(), the components belong to the parent, where they continue.
  private func notifyComponents(_ event: (any Component) -> Void) {
    if isInherited { return }
    components.withLock { $0 }.forEach(event)
  }

  /// Interrupts the running statements. Does not wait for them.
  func interrupt() {
    if case .pool = readers { writer?.interrupt() }
    readers.interrupt()
  }
}

extension _DatabaseCore {
  /// Whether a component is notified of external commits.
  var hasExternalCommitListeners: Bool { externalCommitListeners.exist }

  /// Detects external commits until the returned object is released. Nil if the database never changes.
  ///
  /// - Parameter reader: Reads their changes for the listener.
  func subscribeToExternalCommits(
    reader: (any StoredChangesReader)? = nil, _ notify: @escaping @Sendable (ExternalCommitMonitor.Event) -> Void
  ) -> ExternalCommitListener? {
    writer.map { writer in
      externalCommitListeners.add(notify, reader: reader) { notify in
        ExternalCommitSubscription(writer, isPool: !fetchesExcludeWrites, configuration, notify)
      }
    }
  }
}
