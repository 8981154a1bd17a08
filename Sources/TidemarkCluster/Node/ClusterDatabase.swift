import Foundation
public import Tidemark

/// A database that several nodes share through a replicated log.
///
/// Each node has a file of its own with the whole database. Reads and live queries use this file, so they are as fast
/// as in a `DatabasePool`, and need no connection to the other nodes. A write is executed on the file of the node, and
/// committed if the log has stored its changes. The other nodes apply them.
///
/// ```swift
/// var configuration = ClusterConfiguration(node: "berlin")
/// configuration.snapshots = DirectorySnapshotStore(URL(fileURLWithPath: "/srv/snapshots"))
/// let database = try await ClusterDatabase.open("/var/lib/shop.sqlite", log: log, configuration)
/// try await database.migrate(migrator)
///
/// try await database.write { db in
///   try db.execute(sql: "UPDATE product SET price = price + 1")
/// }
/// let players = try await database.read { try Player.fetchAll($0) }
/// ```
///
/// A cluster database is a `DatabaseReader`: requests, `ValueObservation`, change streams and all other means of
/// reading work on every node. Live queries are updated by the rows that other nodes have changed.
///
/// **Writes.** All writes of all nodes have one order, in which each of them sees the effects of those before it: they
/// are strictly serializable. If another node was first, the closure of a write is executed again.
///
/// **Reads.** `DatabaseReader.read(_:)` returns a state of the database that may be a moment old, but never mixes
/// two. ``read(after:timeLimit:_:)`` waits until the node has a known position: to read one's own writes on another
/// node. ``readLatest(timeLimit:_:)`` returns a state that includes all writes which were acknowledged before the call.
///
/// **Without the log**, for example without a quorum of its servers, `DatabaseReader.read(_:)` and live queries go
/// on. Writes, ``readLatest(timeLimit:_:)`` and ``catchUp(timeLimit:)`` wait until their time limit, and then throw
/// ``ClusterError/unavailable(_:)``, or ``ClusterError/outcomeUnknown(_:)`` if an entry was sent. The node continues by
/// itself when the log is back. If the log rejects a request, such as for a wrong password, they do not wait.
///
/// **Cancellation.** Cancelling a task ends its wait at once, but does not interrupt a closure that is running. A write
/// throws `CancellationError` if it is not committed and never will be, and ``ClusterError/outcomeUnknown(_:)``
/// otherwise.
///
/// **The end.** A node runs until it is closed, also if the program keeps no reference to the database: live queries
/// and change streams go on. After ``close()``, reads throw a `DatabaseError`, and writes ``ClusterError/closed``. A
/// node that has found an error which does not pass by itself is *stopped*: it reads, and its writes throw this error.
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
  /// ```swift
  /// let log = EtcdLog(EtcdConfiguration(endpoints: endpoints))
  /// let database = try await ClusterDatabase.open(
  ///   "/var/lib/shop.sqlite", log: log, ClusterConfiguration(node: "berlin"))
  /// ```
  ///
  /// The method neither needs nor waits for the log: a node can be opened, and its file be read, without a connection.
  /// To begin with the newest state, call ``catchUp(timeLimit:)``.
  ///
  /// Only the node may write into the file. Do not open the file with another node, or write into it with another
  /// program: the node then stops with ``ClusterError/foreignWrite(_:)``.
  ///
  /// - Parameters:
  ///   - path: The path of the file. It is created if it does not exist, in a folder that does.
  ///   - log: The log of the cluster.
  ///   - configuration: The configuration of the node.
  /// - Returns: The database, which runs until it is closed.
  /// - Throws: ``ClusterError/foreignWrite(_:)`` if another program has written into the file;
  ///   ``ClusterError/unsuitableFile(_:)`` if it contains tables and is not the file of a node;
  ///   ``ClusterError/unsuitableConfiguration(_:)``; `CancellationError` if the task was cancelled before the call; or
  ///   a `DatabaseError`.
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
    let overhead = ClusterPayload.overhead(
      ClusterPayload.Author(node: configuration.node, incarnation: 0, id: UUID()))
    guard log.limits.payloadBytes > overhead else {
      throw ClusterError.unsuitableConfiguration(
        "the payload of an entry must have more than \(overhead) bytes, and the log allows \(log.limits.payloadBytes)")
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

  /// Closes the node.
  ///
  /// The method waits for the running closure of a write, and for running reads, but not for the log. Waiting writes
  /// throw ``ClusterError/outcomeUnknown(_:)`` if their entry may be stored, and ``ClusterError/closed`` otherwise. If
  /// it is stored, the node applies it when it is opened again. Closing a closed database has no effect.
  ///
  /// Closing a database inside of one of its writes is a programming error, and traps.
  ///
  /// - Throws: A `DatabaseError` if the program still retains a statement. The database is closed nevertheless.
  public func close() throws {
    node.close()
    try node.pool.close()
  }

  // MARK: - Operation

  /// The state of the node. A node is healthy if it is ``ClusterState/current``.
  public var state: ClusterState { node.currentState }

  /// Returns the states of the node from now on, beginning with the current one.
  ///
  /// ```swift
  /// for await state in database.states() {
  ///   switch state {
  ///   case .current, .catchingUp: break
  ///   case .inDoubt, .detached, .behindLog: logger.info("Writes wait: \(state)")
  ///   case .stopped(let error): logger.error("Writes fail until the node is opened again: \(error)")
  ///   case .closed: break
  ///   }
  /// }
  /// ```
  ///
  /// The sequence ends after the node has stopped or was closed, and when the task that iterates it is cancelled. It
  /// keeps all states that were not read yet: iterate it without long pauses. Each call returns a sequence of its own.
  ///
  /// - Returns: The sequence, for one task.
  public func states() -> AsyncStream<ClusterState> { node.states() }

  /// Counts of the actions of the node since it was opened.
  ///
  /// ```swift
  /// let metrics = database.metrics
  /// let groupSize = Double(metrics.committedTransactions) / Double(max(1, metrics.appendedEntries))
  /// logger.info("at \(metrics.position), \(groupSize) writes per entry, \(metrics.refusedAttempts) refused attempts")
  /// ```
  ///
  /// They can be read in any state, also after ``close()``.
  public var metrics: ClusterMetrics { node.metrics }

  /// Saves a snapshot of the database in the store of the configuration, and discards the entries of the log that it
  /// makes unnecessary.
  ///
  /// Nodes do this by themselves, each ``ClusterConfiguration/snapshotInterval`` entries. Call it before a node is
  /// added, or for a backup:
  ///
  /// ```swift
  /// try await database.saveSnapshot()
  /// if let latest = try await store.latest() { try await store.fetch(latest, to: backup) }
  /// ```
  ///
  /// The last ``ClusterConfiguration/keptEntryCount`` entries stay in the log. Of the older snapshots, one is kept,
  /// because another node may be fetching it. If the store has a snapshot of this position or a later one, none is
  /// saved. Writes go on meanwhile. There must be space for a copy of the file beside it.
  ///
  /// - Returns: The position of the node's copy.
  /// - Throws: ``ClusterError/unsuitableConfiguration(_:)`` without a store; ``ClusterError/closed``, or the error that
  ///   has stopped the node; ``SnapshotError``; ``LogError``; `CancellationError`; or a `DatabaseError`. After an
  ///   error, the snapshot may have been saved.
  @discardableResult
  public func saveSnapshot() async throws -> LogPosition { try await node.saveSnapshot() }
}
