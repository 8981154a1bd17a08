public import Tidemark

extension ClusterDatabase {
  /// The position of the file of this node: the last entry that a read sees now.
  ///
  /// It is for monitoring: a commit may follow before the next read. ``position(_:)`` returns the position of a read.
  public var position: LogPosition { node.position }

  /// The position of the state that a read sees.
  ///
  /// ```swift
  /// let (players, position) = try await database.read { db in
  ///   try (Player.fetchAll(db), ClusterDatabase.position(db))
  /// }
  /// ```
  ///
  /// Inside of a write, it is the position before the write.
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
  /// ```swift
  /// let (_, position) = try await berlin.writeReturningPosition { try Player(name: "Arthur").insert($0) }
  /// let names = try await paris.read(after: position) { try String.fetchAll($0, sql: "SELECT name FROM player") }
  /// ```
  ///
  /// If the node has the position already, the method needs no connection to the log.
  ///
  /// - Parameters:
  ///   - position: The position of a write, on any node.
  ///   - timeLimit: How long to wait for the position; nil for ``ClusterConfiguration/writeTimeLimit``.
  ///   - value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; ``ClusterError/unavailable(_:)`` or
  ///   ``ClusterError/behindLog(discardedThrough:)`` if the node does not reach the position in time;
  ///   ``ClusterError/closed``, or the error that has stopped the node, if it never will;
  ///   ``ClusterError/historyDiverged(_:)`` if the node has another entry at this position, which is noticed only while
  ///   it is the last one; or `CancellationError`.
  public func read<T: Sendable>(
    after position: LogPosition, timeLimit: Duration? = nil, _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await node.wait(for: position, until: .end(of: timeLimit ?? node.configuration.writeTimeLimit))
    return try await read(value)
  }

  /// Reads a state that includes all writes of all nodes that were acknowledged before the call.
  ///
  /// ```swift
  /// let balance = try await database.readLatest(timeLimit: .seconds(2)) { db in
  ///   try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE id = ?", arguments: [id])
  /// }
  /// ```
  ///
  /// It asks the log for its last position, and waits until the node has applied it: the cost is a request to the log.
  /// Together with writes, such reads are linearizable. Without the log, the method fails, and
  /// `DatabaseReader.read(_:)` does not.
  ///
  /// - Parameters:
  ///   - timeLimit: How long to wait for the log; nil for ``ClusterConfiguration/writeTimeLimit``.
  ///   - value: A closure that reads from the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or an error of ``catchUp(timeLimit:)``.
  public func readLatest<T: Sendable>(
    timeLimit: Duration? = nil, _ value: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await catchUp(timeLimit: timeLimit)
    return try await read(value)
  }

  /// Waits until the node has applied all entries that were in the log before the call.
  ///
  /// ```swift
  /// let database = try await ClusterDatabase.open(path, log: log, configuration)
  /// try await database.catchUp(timeLimit: .seconds(60))
  /// ```
  ///
  /// Call it before a node that was just opened begins to serve reads. Entries that are appended after the call may
  /// be missing when it returns.
  ///
  /// - Parameter timeLimit: How long to wait; nil for ``ClusterConfiguration/writeTimeLimit``.
  /// - Returns: The last position of the log.
  /// - Throws: ``ClusterError/unavailable(_:)`` or ``ClusterError/behindLog(discardedThrough:)`` if the log cannot be
  ///   reached, or the node does not catch up, in time; ``ClusterError/closed``, or the error that has stopped the
  ///   node; another ``LogError``; or `CancellationError`.
  @discardableResult
  public func catchUp(timeLimit: Duration? = nil) async throws -> LogPosition {
    try await node.catchUp(until: .end(of: timeLimit ?? node.configuration.writeTimeLimit))
  }
}
