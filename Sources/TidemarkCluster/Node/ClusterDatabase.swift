import Foundation
public import Tidemark

/// A database that several nodes share through a replicated log.
///
/// Each node has a file of its own with the whole database. Reads and live queries use this file, so they are as fast
/// as those of a ``DatabasePool``, and need no connection to the other nodes. A write is executed on the file of the
/// node, and committed if the log has stored its changes. The other nodes apply them.
///
/// ```swift
/// var configuration = ClusterConfiguration(node: "berlin")
/// configuration.snapshots = DirectorySnapshotStore(URL(fileURLWithPath: "/srv/snapshots"))
/// let database = try await ClusterDatabase.open("/var/lib/shop.sqlite", log: log, configuration)
///
/// try await database.write { db in
///   try db.execute(sql: "UPDATE product SET price = price + 1")
/// }
/// ```
///
/// A cluster database is a `DatabaseReader`: requests, `ValueObservation`, change streams and all other means of
/// reading work on every node. Live queries are updated by the rows that other nodes have changed.
///
/// **Writes.** All writes of all nodes have one order, in which each of them sees the effects of those before it: they
/// are strictly serializable. If another node was first, the closure of a write is executed again.
///
/// **Reads.** ``DatabaseReader/read(_:)`` returns a state of the database that may be a moment old, but never mixes
/// two. ``read(after:timeLimit:_:)`` waits until the node has a known position: to read one's own writes on another
/// node. ``readLatest(timeLimit:_:)`` returns a state that includes all writes which were acknowledged before the call.
///
/// **The end.** A node runs until it is closed, also if the program keeps no reference to the database: live queries
/// and change streams go on.
public final class ClusterDatabase: DatabaseReader {
  let node: ClusterNode

  /// An internal requirement, which gives access to the database; do not use it.
  public let _core: _DatabaseCore

  private init(_ node: ClusterNode) {
    self.node = node
    _core = node.pool._core
  }

  // MARK: - Opening and closing

  /// Opens the file of a node, and begins to follow the log.
  ///
  /// The method returns before the node has caught up with the log: see ``catchUp(timeLimit:)``.
  ///
  /// - Parameters:
  ///   - path: The path of the file. It is created if it does not exist.
  ///   - log: The log of the cluster.
  ///   - configuration: The configuration of the node.
  /// - Returns: The database.
  /// - Throws: ``ClusterError/foreignWrite(_:)`` or ``ClusterError/unsuitableFile(_:)`` if the file cannot be used,
  ///   ``ClusterError/unsuitableConfiguration(_:)``, or a `DatabaseError`.
  public static func open(
    _ path: String, log: any ReplicatedLog, _ configuration: ClusterConfiguration
  ) async throws -> ClusterDatabase {
    guard !configuration.node.isEmpty, configuration.node.utf8.count <= 255 else {
      throw ClusterError.unsuitableConfiguration("the name of a node has between 1 and 255 bytes")
    }
    guard !configuration.database.readonly, configuration.database.accessTimeLimit == nil else {
      throw ClusterError.unsuitableConfiguration(
        "a node writes, and waits for the log in a transaction: it cannot be read-only or have an accessTimeLimit")
    }
    // Opening a file may take long: its write-ahead log may have to be recovered.
    return try await BlockingWork.run { _ in
      let pool = try DatabasePool(path: path, configuration: configuration.database)
      do {
        return ClusterDatabase(try ClusterNode(pool, log, configuration))
      } catch {
        // The first error is thrown.
        try? pool.close()
        throw error
      }
    }
  }

  /// Closes the node. Writes whose outcome is not known yet throw ``ClusterError/outcomeUnknown(_:)``, others
  /// ``ClusterError/closed``. Closing a closed database has no effect. It cannot be closed inside of one of its writes.
  ///
  /// - Throws: A `DatabaseError` if the file cannot be closed.
  public func close() throws {
    node.close()
    try node.pool.close()
  }

  // MARK: - Writing

  /// Executes a transaction on all nodes.
  ///
  /// ```swift
  /// let count = try await database.write { db in
  ///   try Player(name: "Arthur").insert(db)
  ///   return try Player.fetchCount(db)
  /// }
  /// ```
  ///
  /// **The closure may be executed several times**, and only its last execution counts: if another node's write comes
  /// first, its effects are rolled back, and it sees the new state the next time. So it should have no effects outside
  /// of the database. Writes that wait at the same time share an entry of the log; each of them is a transaction of its
  /// own, and one that throws does not affect the others.
  ///
  /// The changed rows are replicated, not the statements: random values, dates and functions of the program are the
  /// same on all nodes. Changes of temporary tables and attached databases stay on this node. The closure cannot begin
  /// or end transactions; savepoints are possible. Changes that the library cannot see, such as statements
  /// that are executed with the C interface, are refused.
  ///
  /// - Parameters:
  ///   - timeLimit: How long to wait for the log; nil for ``ClusterConfiguration/writeTimeLimit``.
  ///   - updates: A closure that changes the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, in which case nothing is changed; ``ClusterError/outcomeUnknown(_:)`` if the
  ///   transaction may be committed later; another ``ClusterError``; or `CancellationError`, if nothing was written.
  public func write<T: Sendable>(
    timeLimit: Duration? = nil, _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writeReturningPosition(timeLimit: timeLimit, updates).value
  }

  /// Executes a transaction on all nodes, and returns the position of the log that contains it.
  ///
  /// ```swift
  /// let (_, position) = try await berlin.writeReturningPosition { db in
  ///   try Player(name: "Arthur").insert(db)
  /// }
  /// let count = try await paris.read(after: position) { try Player.fetchCount($0) }
  /// ```
  ///
  /// - Parameters:
  ///   - timeLimit: How long to wait for the log; nil for ``ClusterConfiguration/writeTimeLimit``.
  ///   - updates: A closure that changes the database. It may be executed several times.
  /// - Returns: The result of the closure; and the position of its entry, or if it has changed nothing, the position of
  ///   the state that it has read.
  /// - Throws: See ``write(timeLimit:_:)``.
  public func writeReturningPosition<T: Sendable>(
    timeLimit: Duration? = nil, _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> (value: T, position: LogPosition) {
    let box = ValueBox<T>()
    let position = try await submit(timeLimit, isFence: false) { db in box.set(try updates(db)) }
    guard let value = box.take() else { throw ClusterError.closed }
    return (value, position)
  }

  private func submit(
    _ timeLimit: Duration?, isFence: Bool, _ updates: @escaping @Sendable (Database) throws -> Void
  ) async throws -> LogPosition {
    try Task.checkCancellation()
    let deadline = ContinuousClock.now + (timeLimit ?? node.configuration.writeTimeLimit)
    let write = PendingWrite(until: deadline, isFence: isFence, run: updates)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        write.wait { continuation.resume(with: $0) }
        node.submit(write)
      }
    } onCancel: {
      node.cancel(write)
    }
  }

  /// Applies the migrations that are not applied yet. Each of them is a transaction on all nodes.
  ///
  /// Every node may call it when it starts: a migration is applied once.
  ///
  /// - Parameters:
  ///   - migrator: The migrations. `eraseDatabaseOnSchemaChange` is ignored.
  ///   - timeLimit: How long each migration waits for the log; nil for ``ClusterConfiguration/writeTimeLimit``.
  /// - Throws: The error of the first migration that fails, or a ``ClusterError``. Earlier migrations stay applied.
  public func migrate(_ migrator: DatabaseMigrator, timeLimit: Duration? = nil) async throws {
    // Most often, there is nothing to do. Then nothing is written.
    if try await readLatest(timeLimit: timeLimit, { try migrator.hasCompletedMigrations($0) }) { return }
    while try await write(timeLimit: timeLimit, { try migrator.applyNextMigration($0) }) != nil {}
  }

  /// Decides whether a transaction of unknown outcome is committed.
  ///
  /// If the log does not contain its entry yet, an entry is appended that makes it impossible.
  ///
  /// - Parameters:
  ///   - id: The transaction of ``ClusterError/outcomeUnknown(_:)``, on any node.
  ///   - timeLimit: How long to wait for the log; nil for ``ClusterConfiguration/writeTimeLimit``.
  /// - Returns: Whether the transaction is committed.
  /// - Throws: ``ClusterError/unavailable(_:)`` if the log could not be reached; or
  ///   ``LogError/behindLog(discardedThrough:)`` if the entry was discarded, so that the outcome is not known any more.
  public func outcome(of id: ClusterTransactionID, timeLimit: Duration? = nil) async throws -> ClusterOutcome {
    let deadline = ContinuousClock.now + (timeLimit ?? node.configuration.writeTimeLimit)
    let log = node.log
    var end = try await ClusterNode.repeating(until: deadline) { try await log.barrier(until: deadline) }
    while end.number < id.entryNumber {
      end = try await submit(deadline - .now, isFence: true) { _ in }
    }
    return try await ClusterNode.repeating(until: deadline) { [node] in
      // A read may return an old state.
      guard let entry = try await log.entry(at: id.entryNumber) else {
        throw LogError.unavailable("entry \(id.entryNumber) could not be read")
      }
      return try await node.contains(entry, id.id) ? .committed(entry.position) : .notCommitted
    }
  }

  // MARK: - Reading

  /// The position of the file of this node.
  public var position: LogPosition { node.position }

  /// The position of the state that a read sees.
  ///
  /// ```swift
  /// let (players, position) = try await database.read { db in
  ///   try (Player.fetchAll(db), ClusterDatabase.position(db))
  /// }
  /// ```
  ///
  /// - Parameter db: A connection of a cluster database.
  /// - Returns: The position.
  /// - Throws: A `DatabaseError`, or ``ClusterError/unsuitableFile(_:)`` for another database.
  public static func position(_ db: Database) throws -> LogPosition {
    guard let position = try NodeStorage.position(db) else {
      throw ClusterError.unsuitableFile("the database does not belong to a node")
    }
    return position
  }

  /// Reads a state that includes a position, after waiting for it if necessary.
  ///
  /// - Parameters:
  ///   - position: The position of a write, on any node.
  ///   - timeLimit: How long to wait for the position; nil for ``ClusterConfiguration/writeTimeLimit``.
  ///   - value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; ``ClusterError/unavailable(_:)`` if the time is over;
  ///   ``ClusterError/historyDiverged(_:)`` if the position belongs to another history; or `CancellationError`.
  public func read<T: Sendable>(
    after position: LogPosition, timeLimit: Duration? = nil, _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await node.wait(for: position, until: .now + (timeLimit ?? node.configuration.writeTimeLimit))
    return try await read(value)
  }

  /// Reads a state that includes all writes of all nodes that were acknowledged before the call.
  ///
  /// It asks the log for its last position, and waits for it.
  ///
  /// - Parameters:
  ///   - timeLimit: How long to wait for the log; nil for ``ClusterConfiguration/writeTimeLimit``.
  ///   - value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; ``ClusterError/unavailable(_:)`` if the time is over; or `CancellationError`.
  public func readLatest<T: Sendable>(
    timeLimit: Duration? = nil, _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await catchUp(timeLimit: timeLimit)
    return try await read(value)
  }

  /// Waits until the node has applied all entries that were in the log before the call.
  ///
  /// - Parameter timeLimit: How long to wait; nil for ``ClusterConfiguration/writeTimeLimit``.
  /// - Returns: The last position of the log.
  /// - Throws: ``ClusterError/unavailable(_:)`` if the time is over, another ``ClusterError``, or `CancellationError`.
  @discardableResult
  public func catchUp(timeLimit: Duration? = nil) async throws -> LogPosition {
    try await node.catchUp(until: .now + (timeLimit ?? node.configuration.writeTimeLimit))
  }

  // MARK: - Operation

  /// The state of the node.
  public var state: ClusterState { node.currentState }

  /// The states of the node from now on, beginning with the current one. The sequence ends when the node ends.
  public func states() -> AsyncStream<ClusterState> { node.states() }

  /// What the node has done since it was opened.
  public var metrics: ClusterMetrics { node.metrics }

  /// Saves a snapshot of the database in the store of the configuration, and discards the entries of the log that it
  /// makes unnecessary.
  ///
  /// - Returns: The position of the snapshot.
  /// - Throws: ``SnapshotError``, ``LogError``, or a `DatabaseError`.
  @discardableResult
  public func saveSnapshot() async throws -> LogPosition { try await node.saveSnapshot() }
}

/// The result of a closure that the thread of a node executes.
private final class ValueBox<Value: Sendable>: Sendable {
  private let value = ProtectedValue<Value?>(nil)

  func set(_ new: Value) { value.withLock { $0 = new } }

  func take() -> Value? { value.withLock { $0.take() } }
}
