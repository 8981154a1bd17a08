import Synchronization
// Group commit: asynchronous writes that wait for the writer share one transaction of SQLite, and one commit.
//
//     admitted ──► first write ──┬── committed with it: no other write waits at the gate, or none may follow
//                                └── open ──► next write at the gate ──► … ──► committed: all of them continue
//
// The tasks run their closures, one after the other, on the thread of the connection, and then wait for the commit.
// `Database+Groups.swift` has the operations of the connection.
//
// Invariants:
// 1. A write returns after its changes were committed, and throws after the changes that it has seen were committed. If
//    they were rolled back because of another write, it is executed again, alone. So is a write that must not follow
//    others.
// 2. Writes do not overtake other accesses: a group ends at the first access in the queue that cannot join it, and
//    after a limited time.

/// The writes of the open transaction. Used by the holder of the gate only.
struct WriteGroup {
  /// What waits for the commit. The actor retains the executor of the task, which runs the task once more.
  typealias Completion = (continuation: CheckedContinuation<Void, any Error>, actor: any Actor)

  /// How long writes are added after the first one. It waits for them, and their changes are kept in memory.
  static let duration = Duration.milliseconds(5)

  private(set) var end: Duration?
  private var completions: [Completion] = []

  /// Whether the transaction is open, with at least one complete write.
  var isOpen: Bool { end != nil }

  /// The first write is complete, and others may follow.
  mutating func open(at now: Duration) { end = now + Self.duration }

  mutating func add(_ completion: Completion) { completions.append(completion) }

  /// The transaction has ended.
  ///
  /// - Returns: The writes that wait for it.
  mutating func takeCompletions() -> [Completion] {
    end = nil
    defer { completions = [] }
    return completions
  }
}

extension SerializedConnection {
  /// Whether writes should share transactions, instead of running inline.
  var writesAreConcurrent: Bool { groupsWrites && hasConcurrentWrites.load(ordering: .relaxed) }

  /// Runs an asynchronous access that is a transaction on a thread of the connection.
  func queuedTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    if groupsWrites { return try await groupedTransaction(body) }
    return try await async { try $0.committing(body) }
  }

  /// Runs a transaction in the current task. It may share a transaction of SQLite with other tasks.
  func groupedTransaction<Result: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    if db.isInherited { throw Database.inheritedError }
    let deadline = timeLimit.deadline()
    do {
      let outcome = try await AccessExecution<Void>.perform(
        on: executor, until: deadline,
        enter: { [self] execution in
          let ticket = gate.enter(joining: { execution.beginHere(()) }) { [self] in
            executor.execute { [self] in runGroup { execution.beginHere(()) } }
          }
          guard let ticket else { return nil }
          return { [self] in _ = gate.giveUp(ticket) }
        },
        leave: { _ in },
        completedBy: { [self] isolation in try await waitForCommit(isolation) },
        { [self] _, cancellation in try runWrite(deadline, cancellation, updates) })
      return try outcome.get()
    } catch is MustRunAlone {
      return try await async(until: deadline) { try $0.committing(updates) }
    }
  }

  /// Runs a write, and those that follow in the same transaction. The gate is held.
  private func runGroup(_ first: () -> Void) {
    let endings = run(nil) { db in
      first()
      while let end = group.end, db.settings.clock.now() < end, db.mayBeFollowed, let join = gate.takeJoining() {
        join()
      }
      return endGroup(db)
    }
    hasConcurrentWrites.store(endings.count > 1, ordering: .relaxed)
    gate.leave()
    for (completion, result) in endings { completion.continuation.resume(with: result) }
    withExtendedLifetime(endings) {}
  }

  /// Runs the closure of a write, in its task.
  ///
  /// - Returns: Its outcome, which the task receives after the commit.
  /// - Throws: An error that the task receives at once.
  private func runWrite<Result>(
    _ deadline: Database.Deadline?, _ cancellation: AccessCancellation, _ updates: (Database) throws -> Result
  ) throws -> Swift.Result<Result, any Error> {
    try inlinePolicy.measuring {
      _ = try db.openHandle()
      db.endPendingReadOnly()
      return try db.withCancellation(cancellation) {
        guard let deadline else { return try runWrite(updates) }
        return try db.withDeadline(deadline) { try runWrite(updates) }
      }
    }
  }

  private func runWrite<Result>(_ updates: (Database) throws -> Result) throws -> Swift.Result<Result, any Error> {
    if group.isOpen { return try runFollower(updates) }
    let (result, isOpen) = try db.runFirst(updates) { gate.nextCanJoin }
    if isOpen { group.open(at: db.settings.clock.now()) }
    return .success(result)
  }

  private func runFollower<Result>(_ updates: (Database) throws -> Result) throws -> Swift.Result<Result, any Error> {
    var hasObservers = false
    do {
      return .success(
        try db.runFollower { db in
          defer { hasObservers = db.changeCapture.hasObservers }
          return try updates(db)
        })
    } catch {
      let isInterruption = error is CancellationError || (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT
      // The observer would be notified again.
      if error is MustRunAlone || isInterruption || hasObservers { throw error }
      // The error may depend on changes that are not committed yet.
      return .failure(error)
    }
  }

  /// Waits for the commit of a write whose closure has returned. Called in its task, on the thread of the connection.
  private func waitForCommit(_ isolation: isolated any Actor) async throws {
    guard group.isOpen else { return }
    try await withCheckedThrowingContinuation { group.add(($0, isolation)) }
  }

  /// Commits the transaction of a group, if it is still open.
  ///
  /// - Returns: The writes that wait for this, and their results.
  private func endGroup(_ db: Database) -> [(WriteGroup.Completion, Result<Void, any Error>)] {
    guard group.isOpen else { return [] }
    let completions = group.takeCompletions()
    // Only the last write can have added one.
    let hasObservers = db.changeCapture.hasObservers
    // It is too late for a cancellation.
    let commit = db.takeGroupOutcome() ?? Result { try db.shielded { try db.committingRemainder { _ in } } }
    guard case .failure = commit, hasObservers else { return completions.map { ($0, commit) } }
    return completions.enumerated().map { index, completion in
      (completion, index == completions.count - 1 ? commit : .failure(MustRunAlone()))
    }
  }
}
