// Group commit: several writes share a transaction of SQLite, and so one commit. `WriteGroup` decides which writes do.
//
//     BEGIN ──► first write ──┬── COMMIT           no other write waits, or none may follow
//                             └── completed ──► SAVEPOINT ──► follower ──┬── completed, RELEASE ──► SAVEPOINT … COMMIT
//                                                                        └── ROLLBACK TO, RELEASE
//
// Invariants:
// 1. To everyone but SQLite, each write is a transaction of its own: change capture reports them one by one, and the
//    change feed stores them one by one.
// 2. A write never depends on the others. If it would, it is executed again, alone: it affects the transaction, the
//    schema or the connection, it violates deferred foreign keys, or SQLite has rolled back the transaction of another.
// 3. No transaction observer sees a group: where there is one, no write follows.

extension Database {
  /// Whether another write may follow in the open transaction, after a write that has not thrown.
  var mayBeFollowed: Bool {
    guard let handle, !handle.hasUnresolvedForeignKeys else { return false }
    return !isInAutocommitMode && !transaction.awaitsRollback && !changeCapture.hasObservers
      && changeCapture.group.outcome == nil && !capture.isHandleExposed && settings.health.isUsable
      && !dialect.allowsTransactionsAcrossAccesses
  }

  /// Runs the first write of a group. The transaction stays open if others follow.
  ///
  /// - Parameter isFollowed: Whether another write waits.
  /// - Returns: The result, and whether the transaction is open.
  func runFirst<Result>(
    _ updates: (Database) throws -> Result, isFollowed: () -> Bool
  ) throws -> (Result, isOpen: Bool) {
    try beginTransaction()
    changeCapture.group.outcome = nil
    let (result, staysOpen) = try leavingOpen { db in
      access.groupRole = .first
      defer { access.groupRole = .none }
      let result = try updates(db)
      handle?.resetRunningStatements(keepsBlobs: true)
      guard access.groupRole == .first, isFollowed(), mayBeFollowed else { return (result, false) }
      access.groupRole = .none
      try checkInterruption()
      try changeCapture.recordTransaction()
      return (result, true)
    }
    if staysOpen { changeCapture.completeTransaction() } else { try committingRemainder { _ in } }
    return (result, staysOpen)
  }

  /// Runs a write that follows others in the open transaction. If it throws, its changes are rolled back.
  ///
  /// - Throws: `MustRunAlone` if it must be executed again, alone.
  func runFollower<Result>(_ updates: (Database) throws -> Result) throws -> Result {
    try run(.open)
    transactionWork.didBegin?(self)
    return try keepingFollower { db in
      access.groupRole = .follower
      let result = Swift.Result { try updates(db) }
      let isRejected = access.groupRole == .rejected
      access.groupRole = .none
      if isRejected { throw MustRunAlone() }
      let value = try result.get()
      try checkInterruption()
      if handle?.hasUnresolvedForeignKeys == true { throw MustRunAlone() }
      return value
    }
  }

  /// The outcome of a group whose transaction has ended before its commit; nil if it is open.
  func takeGroupOutcome() -> Result<Void, any Error>? {
    // A write could not undo a part of its changes.
    performPendingRollback()
    let outcome = changeCapture.group.outcome.take()
    switch outcome {
    case .committed: return .success(())
    case .rolledBack: return .failure(MustRunAlone())
    case .unknown: return .failure(abortedError(transaction.abortCause))
    case nil: return isInAutocommitMode ? .failure(MustRunAlone()) : nil
    }
  }

  func keepFollower() throws {
    handle?.resetRunningStatements(keepsBlobs: true)
    // Observers are asked when SQLite commits.
    let hasObservers = changeCapture.hasObservers
    if !hasObservers { try changeCapture.recordTransaction() }
    try run(.release)
    if !hasObservers { changeCapture.completeTransaction() }
  }

  func undoFollower() throws {
    handle?.resetRunningStatements(keepsBlobs: true)
    // They would be notified of a commit.
    if changeCapture.hasObservers { return try rollback() }
    try run(.undo)
    try run(.release)
    schema.effectCount &+= 1
    changeCapture.transactionWasUndone()
  }

  private func run(_ control: GroupStatements.Control) throws {
    let statement = try moduleState(GroupStatements.self).statement(control, self)
    defer { statement.reset() }
    _ = try statement.step()
  }
}

/// The statements between the writes of a group. The program does not see them in its trace.
private final class GroupStatements: DatabaseModuleState {
  enum Control: Int, CaseIterable {
    case open, undo, release

    fileprivate var sql: String {
      let name = StatementWrites.Savepoint.nameOfGroups
      return switch self {
      case .open: "SAVEPOINT \(name)"
      case .undo: "ROLLBACK TO \(name)"
      case .release: "RELEASE \(name)"
      }
    }
  }

  private var statements: [DirectStatement] = []

  init() {}

  func forgetStatements() { statements = [] }

  func statement(_ control: Control, _ db: Database) throws -> DirectStatement {
    if statements.isEmpty { statements = try Control.allCases.map { try DirectStatement($0.sql, on: db) } }
    return statements[control.rawValue]
  }
}
