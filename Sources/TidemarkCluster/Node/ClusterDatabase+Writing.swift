import Foundation
public import Tidemark

extension ClusterDatabase {
  /// Executes a transaction on all nodes.
  ///
  /// ```swift
  /// let count = try await database.write { db in
  ///   try Player(name: "Arthur").insert(db)
  ///   return try Player.fetchCount(db)
  /// }
  /// ```
  ///
  /// When the method returns, the transaction is committed in the log and in the file of this node. Later reads on this
  /// node see it. A read on another node sees it after ``read(after:timeLimit:_:)`` or ``readLatest(timeLimit:_:)``.
  ///
  /// **The closure may be executed several times**, and only its last execution counts: if another node's write comes
  /// first, its effects are rolled back, and it sees the new state the next time. So it should have no effects outside
  /// of the database. Writes that wait at the same time share an entry of the log; each of them is a transaction of its
  /// own, and one that throws does not affect the others.
  ///
  /// **Inside of the closure**, use `db` for everything. It runs on the thread of the node, and other writes of the
  /// node wait for it. It cannot begin or end transactions; savepoints are possible.
  ///
  /// **Replicated** are the changed rows, not the statements: random values, dates and functions of the program are the
  /// same on all nodes. Changes of temporary tables and attached databases stay on this node. Changes that the library
  /// cannot see, such as statements that are executed with the C interface, are refused.
  ///
  /// **An error decides** what a caller may do next:
  ///
  /// ```swift
  /// func buy(_ id: Int64, in database: ClusterDatabase) async throws {
  ///   do {
  ///     try await database.write { db in
  ///       try db.execute(sql: "UPDATE product SET stock = stock - 1 WHERE id = ?", arguments: [id])
  ///     }
  ///   } catch ClusterError.outcomeUnknown(let transaction) {
  ///     // It may be committed: do not repeat it before this is decided.
  ///     if try await database.outcome(of: transaction) == .notCommitted { try await buy(id, in: database) }
  ///   } catch ClusterError.committedElsewhere {
  ///     // It is committed, and this node shows it later: do not repeat it.
  ///   }
  ///   // After other errors, nothing is written, and nothing will be.
  /// }
  /// ```
  ///
  /// Neither the time limit nor cancellation interrupts the closure while it runs. The caller is resumed afterwards.
  ///
  /// - Parameters:
  ///   - timeLimit: How long to wait, in the queue of the node and for the log; nil for
  ///     ``ClusterConfiguration/writeTimeLimit``.
  ///   - updates: A closure that changes the database.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, a `ChangesetError` if a change cannot be replicated, or a `DatabaseError`, in
  ///   which cases nothing is changed; ``ClusterError/outcomeUnknown(_:)`` if the transaction may be committed later;
  ///   ``ClusterError/committedElsewhere(_:)`` if it is; ``ClusterError/unavailable(_:)`` or
  ///   ``ClusterError/behindLog(discardedThrough:)`` if nothing was written in time; ``ClusterError/closed``; the error
  ///   that has stopped the node; or `CancellationError` if the task was cancelled and nothing will be written.
  public func write<T: Sendable>(
    timeLimit: Duration? = nil, _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writeReturningPosition(timeLimit: timeLimit, updates).value
  }

  /// Executes a transaction on all nodes, and returns the position of the entry that contains it.
  ///
  /// Pass the position to the next request of a client, so that it reads its own writes on any node:
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
    let deadline = ContinuousClock.Instant.end(of: timeLimit ?? node.configuration.writeTimeLimit)
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
  /// Every node may call it when it starts: a migration is applied once. If an error leaves open whether a migration is
  /// applied, call the method again. It waits until the node has caught up with the log. A node that must also start
  /// without the log continues with the schema that it has:
  ///
  /// ```swift
  /// do {
  ///   try await database.migrate(migrator, timeLimit: .seconds(5))
  /// } catch ClusterError.unavailable {
  ///   // The log cannot be reached. Continue if the file has the schema already.
  ///   let isReady = try await database.read { try migrator.hasCompletedMigrations($0) }
  ///   if !isReady { throw StartError.databaseNeedsMigration }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - migrator: The migrations. `eraseDatabaseOnSchemaChange` is ignored.
  ///   - timeLimit: How long to wait for the log, at first and for each migration; nil for
  ///     ``ClusterConfiguration/writeTimeLimit``.
  /// - Throws: The error of the first migration that fails, or an error of ``write(timeLimit:_:)`` or
  ///   ``catchUp(timeLimit:)``. Earlier migrations stay applied.
  public func migrate(_ migrator: DatabaseMigrator, timeLimit: Duration? = nil) async throws {
    // Most often, there is nothing to do. Then nothing is written.
    if try await readLatest(timeLimit: timeLimit, { try migrator.hasCompletedMigrations($0) }) { return }
    while try await write(timeLimit: timeLimit, { try migrator.applyNextMigration($0) }) != nil {}
  }

  /// Decides whether a transaction of unknown outcome is committed.
  ///
  /// ```swift
  /// do {
  ///   try await berlin.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
  /// } catch ClusterError.outcomeUnknown(let transaction) {
  ///   switch try await paris.outcome(of: transaction) {
  ///   case .committed(let position): print("It was committed at \(position)")
  ///   case .notCommitted: print("It can be repeated")
  ///   }
  /// }
  /// ```
  ///
  /// If the log does not contain the entry of the transaction yet, the method appends an entry without changes in its
  /// place. So the result is final, on all nodes: after ``ClusterOutcome/notCommitted``, the transaction will not be
  /// committed later. To decide after a restart, store the identity (``ClusterTransactionID/init(id:entryNumber:)``).
  ///
  /// After an error, the outcome is as unknown as before, and the method can be called again.
  ///
  /// - Parameters:
  ///   - id: The transaction of ``ClusterError/outcomeUnknown(_:)``, on any node.
  ///   - timeLimit: How long to wait for the log; nil for ``ClusterConfiguration/writeTimeLimit``.
  /// - Returns: Whether the transaction is committed.
  /// - Throws: ``ClusterError/unavailable(_:)`` if the log could not be reached in time;
  ///   ``LogError/behindLog(discardedThrough:)`` if the entry was discarded, so that the outcome can never be decided;
  ///   another ``LogError`` or ``ClusterError``; or `CancellationError`.
  public func outcome(of id: ClusterTransactionID, timeLimit: Duration? = nil) async throws -> ClusterOutcome {
    let deadline = ContinuousClock.Instant.end(of: timeLimit ?? node.configuration.writeTimeLimit)
    return try await node.untilTheEnd { [self] in try await decideOutcome(of: id, until: deadline) }
  }

  private func decideOutcome(
    of id: ClusterTransactionID, until deadline: ContinuousClock.Instant
  ) async throws -> ClusterOutcome {
    let log = node.log
    var end = try await ClusterNode.repeating(until: deadline) { try await log.barrier(until: deadline) }
    while end.number < id.entryNumber { end = try await appendFence(until: deadline) }
    return try await ClusterNode.repeating(until: deadline) { [node] in
      // A read may return an old state.
      guard let entry = try await log.entry(at: id.entryNumber) else {
        throw LogError.unavailable("entry \(id.entryNumber) could not be read")
      }
      return try await node.contains(entry, id.id) ? .committed(entry.position) : .notCommitted
    }
  }

  /// Appends an entry without changes, after all entries that the node has received.
  private func appendFence(until deadline: ContinuousClock.Instant) async throws -> LogPosition {
    do {
      return try await submit(deadline - .now, isFence: true) { _ in }
    } catch ClusterError.committedElsewhere(let position) {
      return position
    } catch ClusterError.outcomeUnknown {
      // The identity is not the caller's, and its outcome is of no interest.
      try Task.checkCancellation()
      if let ending = node.ending { throw ending }
      throw ClusterError.unavailable("it is unknown whether the log has stored an entry: call the method again")
    }
  }
}

/// The result of a closure that the thread of a node executes.
private final class ValueBox<Value: Sendable>: Sendable {
  private let value = ProtectedValue<Value?>(nil)

  func set(_ new: Value) { value.withLock { $0 = new } }

  func take() -> Value? { value.withLock { $0.take() } }
}
