/// The state of a connection's transaction, beyond the fact whether one is open, which only SQLite knows
/// (`sqlite3_get_autocommit`). Each event receives that fact as `isOpen`.
///
/// A pure value: it receives events, and returns decisions, which `Database` and `ChangeCapture` carry out. It has two
/// independent parts.
///
/// `condition` decides which statements may begin:
///
///     usable ──────── a failed statement has rolled back the transaction ──► aborted
///        ▲                                                                     │
///        ├── the outermost scope or the access ends, rollback(), or BEGIN ◄────┘
///        │
///        ├────────── a transaction could not be rolled back ──────────────► awaitingRollback
///        └────────── it has ended ◄────────────────────────────────────────────┘
///
/// `ending` collects what SQLite's hooks report, until a statement has ended and `settle` decides what is published:
///
///     none ── commit hook ──► committed ── rollback hook ──► committedThenRolledBack
///      ├───── rollback hook ──► rolledBack ── commit hook ──► committed
///      ├───── an observer refuses the commit ──► refused
///      ├───── COMMIT without changes ──► committedNothing
///      └───── VACUUM, DETACH ──► rebuilt
///
/// Invariants:
/// 1. In an aborted transaction no statement begins: SQLite would commit it at once.
/// 2. While a transaction that must be rolled back is open, no statement begins except a rollback.
/// 3. Each ending is settled once. A commit that may have happened is never settled as a rollback, and changes that
///    cannot be assigned to one transaction are published as unknown.
/// 4. A commit has an unknown outcome only if SQLite has begun it and has then failed with an error that may have
///    reached the disk.
struct TransactionMachine {
  /// Whether statements may begin.
  enum Condition {
    case usable

    /// SQLite has rolled back the transaction because of this error.
    case aborted(any Error)

    /// The open transaction must be rolled back, but this error has prevented it.
    case awaitingRollback(any Error)
  }

  /// The statement that has begun a commit.
  enum Origin {
    case currentStatement

    /// An earlier statement, or the program with the C interface.
    case earlier
  }

  /// What has happened to transactions since the last settlement.
  enum Ending: Equatable {
    case none

    /// SQLite has begun to commit.
    case committed(Origin)

    case rolledBack

    /// SQLite has begun to commit, and has rolled back later: the commit failed, or it was followed by the rollback of
    /// another transaction.
    case committedThenRolledBack(Origin)

    /// An observer has refused the commit, which makes SQLite roll back.
    case refused

    /// A transaction without changes has been committed. SQLite calls no hook.
    case committedNothing

    /// Content has changed without a transaction of the program. SQLite calls no hook.
    case rebuilt
  }

  /// The library's open transactions and savepoints, and the condition of their transaction.
  struct Scopes {
    /// The number of open transactions and savepoints of the library. If it is not zero and SQLite has no open
    /// transaction, the transaction was rolled back.
    fileprivate(set) var depth = 0
    fileprivate(set) var condition = Condition.usable
  }

  private(set) var scopes = Scopes()
  private(set) var ending = Ending.none

  /// Whether a transaction was open when the last statement began.
  private(set) var wasOpen = false

  /// Whether a SAVEPOINT statement has begun the transaction, so that RELEASE commits it.
  private(set) var isBegunBySavepoint = false

  /// Whether the open transaction was begun for a single statement that the program executes outside of a transaction.
  /// Its rollback is not reported.
  private(set) var isOfStatement = false

  /// The reason for the refusal of the last commit, until it is thrown.
  private var refusal: (any Error)?

  // MARK: - Statements

  /// A statement begins.
  @inline(__always)
  mutating func statementWillBegin(isOpen: Bool) {
    wasOpen = isOpen
    if ending != .none { earlierStatementHasEnded() }
  }

  private mutating func earlierStatementHasEnded() {
    switch ending {
    case .committed: ending = .committed(.earlier)
    case .committedThenRolledBack: ending = .committedThenRolledBack(.earlier)
    case .none, .rolledBack, .refused, .committedNothing, .rebuilt: break
    }
  }

  /// Whether a statement may begin.
  enum Permission {
    case granted

    /// The transaction has ended before its scope, because of this error if it is known.
    case transactionIsAborted((any Error)?)

    /// The transaction must be rolled back first.
    case transactionMustBeRolledBack(any Error)
  }

  /// Whether any statement may begin: the common case, decided without a call.
  @inline(__always)
  func grantsEverything(isOpen: @autoclosure () -> Bool) -> Bool {
    guard case .usable = scopes.condition else { return false }
    return scopes.depth == 0 || isOpen()
  }

  /// Decides whether a statement may begin.
  ///
  /// - Parameter isRollback: Whether it is a rollback.
  /// - Parameter isBegin: Whether it begins a transaction.
  mutating func permission(isOpen: Bool, isRollback: Bool, isBegin: Bool) -> Permission {
    if case .awaitingRollback(let cause) = scopes.condition {
      if isOpen { return isRollback ? .granted : .transactionMustBeRolledBack(cause) }
      scopes.condition = .usable
    }
    if isOpen { return .granted }
    switch scopes.condition {
    case .awaitingRollback: preconditionFailure("The transaction has ended")
    case .usable: return scopes.depth == 0 ? .granted : .transactionIsAborted(nil)
    case .aborted(let cause):
      // Outside of scopes, these statements show that the program knows about the end of the transaction. SQLite
      // reports that there is nothing to roll back; BEGIN starts another transaction.
      guard scopes.depth == 0, isRollback || isBegin else { return .transactionIsAborted(cause) }
      scopes.condition = .usable
      return .granted
    }
  }

  /// A failed statement.
  struct Failure {
    /// Whether the statement is a COMMIT or RELEASE.
    var isCommit: Bool

    /// Whether the statement may write.
    var mayWrite: Bool

    /// Whether a constraint has failed.
    var isConstraint: Bool

    /// Whether the error leaves the outcome of a commit unknown.
    var leavesCommitUnknown: Bool

    /// Whether the file was moved, so that SQLite refuses to commit.
    var isFileMoved: Bool
  }

  /// A statement has failed.
  ///
  /// - Returns: The outcome of the commit that has failed; nil if the failure concerns no commit.
  func commitOutcome(of failure: Failure, isOpen: Bool) -> DatabaseError.CommitOutcome? {
    var hasBegunCommit = false
    switch ending {
    // The changes of `INSERT OR FAIL` before its failure are committed.
    case .committed(.currentStatement):
      let isKept = !isOpen && !failure.isCommit && failure.isConstraint
      hasBegunCommit = !isKept && (failure.isCommit || failure.mayWrite)
    case .committedThenRolledBack(.currentStatement): hasBegunCommit = failure.isCommit || failure.mayWrite
    case .none, .committed, .rolledBack, .committedThenRolledBack, .refused, .committedNothing, .rebuilt: break
    }
    guard hasBegunCommit || failure.isCommit || failure.isFileMoved else { return nil }
    return hasBegunCommit && !isOpen && failure.leavesCommitUnknown ? .unknown : .notCommitted
  }

  /// Whether SQLite has rolled back in the current statement. If a RELEASE has failed to commit, SQLite then reports an
  /// open transaction, which is empty.
  var hasRolledBack: Bool {
    switch ending {
    case .rolledBack, .committedThenRolledBack(.currentStatement): true
    case .none, .committed, .committedThenRolledBack(.earlier), .refused, .committedNothing, .rebuilt: false
    }
  }

  /// A statement has failed with an error.
  ///
  /// - Parameter wasOpen: Whether a transaction was open when the statement began.
  /// - Parameter mayHaveUndonePart: Whether it is a rollback that may have undone a part of the changes only. The rest
  ///   must not be committed.
  mutating func statementDidFail(_ error: any Error, wasOpen: Bool, isOpen: Bool, mayHaveUndonePart: Bool = false) {
    if isOpen, mayHaveUndonePart { return rollbackDidFail(error) }
    guard wasOpen, !isOpen else { return }
    if case .aborted = scopes.condition { return }
    scopes.condition = .aborted(error)
  }

  // MARK: - Hooks

  /// SQLite is about to commit: the commit hook.
  mutating func commitWillBegin() {
    // An earlier rollback belongs to another transaction. SQLite begins one, and rolls it back, when it finds that the
    // schema has changed and the statement must be compiled again.
    ending = .committed(.currentStatement)
  }

  /// A commit is refused, for a reason that the statement will throw.
  ///
  /// - Parameter isByObserver: Whether a transaction observer refuses it, in the commit hook.
  mutating func commitIsRefused(_ error: any Error, isByObserver: Bool) {
    refusal = error
    guard isByObserver else { return }
    switch ending {
    case .none, .rolledBack, .refused, .committedNothing, .rebuilt: ending = .refused
    // A transaction has been committed before. The rollback hook follows.
    case .committed, .committedThenRolledBack: break
    }
  }

  /// Returns the reason for the last refusal, once.
  mutating func takeRefusal() -> (any Error)? { refusal.take() }

  /// SQLite has rolled back: the rollback hook.
  mutating func didRollBack() {
    switch ending {
    case .none, .rolledBack, .committedNothing: ending = .rolledBack
    case .committed(let origin), .committedThenRolledBack(let origin): ending = .committedThenRolledBack(origin)
    case .refused, .rebuilt: break
    }
  }

  // MARK: - Ends without hooks

  /// A COMMIT or RELEASE has succeeded. If SQLite has called no hook, nothing was written.
  mutating func commitDidSucceed(isOpen: Bool) {
    if !isOpen, ending == .none { ending = .committedNothing }
  }

  /// VACUUM or DETACH has changed content.
  mutating func databaseWasRebuilt() {
    switch ending {
    case .none, .committedNothing: ending = .rebuilt
    case .committed, .rolledBack, .committedThenRolledBack, .refused, .rebuilt: break
    }
  }

  // MARK: - Settlement

  /// What to report about the transactions that have ended.
  enum Settlement: Equatable {
    case nothing

    /// The changes are those of a committed transaction. Without writes, only observers are notified.
    case publish(hasWritten: Bool)

    /// Something was committed, and it is unknown which of the changes.
    case publishUnknown

    /// The same, and another transaction is open.
    case publishUnknownAndContinue

    /// The database has changed without a transaction. Observers are not notified.
    case publishRebuild

    /// The changes were rolled back. Observers are notified of transactions that they know.
    case discard(isReported: Bool)

    /// The same, and another transaction is open, whose first changes cannot be told apart.
    case discardAndContinue(isReported: Bool)

    /// The outcome of the commit is unknown: nothing can be reported.
    case forget
  }

  /// Decides what to report after a statement.
  ///
  /// - Parameter hasFailed: Whether the statement has failed.
  /// - Parameter isStopped: Whether the database was stopped, because the outcome of a commit is unknown.
  mutating func settle(hasFailed: Bool, isOpen: Bool, isStopped: Bool) -> Settlement {
    defer { ending = .none }
    switch ending {
    case .none: return .nothing
    case .committed(let origin):
      if !isOpen { return isStopped ? .forget : .publish(hasWritten: true) }
      // A failed commit leaves its transaction open. Otherwise, another transaction is open.
      return hasFailed && origin == .currentStatement ? .nothing : .publishUnknownAndContinue
    case .committedThenRolledBack(let origin):
      if isOpen { return .publishUnknownAndContinue }
      return hasFailed && origin == .currentStatement ? .discard(isReported: isRollbackReported) : .publishUnknown
    case .rolledBack:
      return isOpen ? .discardAndContinue(isReported: isRollbackReported) : .discard(isReported: isRollbackReported)
    case .refused: return .discard(isReported: true)
    case .committedNothing: return isStopped ? .forget : .publish(hasWritten: false)
    case .rebuilt: return .publishRebuild
    }
  }

  private var isRollbackReported: Bool { wasOpen && !isOfStatement }

  /// A transaction is captured from its beginning.
  mutating func captureWillBegin() { (isBegunBySavepoint, isOfStatement) = (false, false) }

  /// A transaction was begun for a single statement.
  mutating func statementTransactionDidBegin() { isOfStatement = true }

  /// A SAVEPOINT statement has succeeded.
  mutating func savepointWasOpened() {
    if !wasOpen { isBegunBySavepoint = true }
  }

  // MARK: - Scopes

  /// A transaction or savepoint of the library has begun.
  @inline(__always)
  mutating func enterScope() { scopes.depth += 1 }

  /// A transaction or savepoint of the library ends.
  ///
  /// - Parameter endsTransaction: Whether the transaction ends with it. A savepoint may be inside an explicit
  ///   transaction, which stays aborted.
  @inline(__always)
  mutating func leaveScope(endsTransaction: Bool) {
    scopes.depth -= 1
    if scopes.depth == 0, endsTransaction { acknowledgeAbort() }
  }

  /// The program knows that its transaction has ended: it begins another access, or ends the outermost scope.
  @inline(__always)
  mutating func acknowledgeAbort() {
    if case .aborted = scopes.condition { scopes.condition = .usable }
  }

  /// The library is about to roll back. Its statement needs no permission, even if it is not recognized as a rollback
  /// because other code has replaced the authorizer.
  ///
  /// - Returns: The condition, to be restored if the rollback fails.
  mutating func rollbackWillBegin() -> Condition {
    let condition = scopes.condition
    if awaitsRollback { scopes.condition = .usable }
    return condition
  }

  mutating func rollbackDidNotHappen(restoring condition: Condition) {
    if case .awaitingRollback = condition { scopes.condition = condition }
  }

  /// The program has rolled back the transaction. A surrounding scope does not know it.
  mutating func rollbackDidSucceed() {
    switch scopes.condition {
    case .usable: break
    case .awaitingRollback: scopes.condition = .usable
    case .aborted: if scopes.depth == 0 { scopes.condition = .usable }
    }
  }

  /// The transaction is still open because it could not be rolled back.
  mutating func rollbackDidFail(_ error: any Error) { scopes.condition = .awaitingRollback(error) }

  /// Whether the open transaction must be rolled back.
  var awaitsRollback: Bool {
    if case .awaitingRollback = scopes.condition { return true }
    return false
  }

  /// The error that has aborted the transaction; nil if there is none.
  var abortCause: (any Error)? {
    if case .aborted(let cause) = scopes.condition { return cause }
    return nil
  }

  /// Suspends the checks of statements, until `resumeChecks` receives the result.
  mutating func suspendChecks() -> Scopes {
    defer { scopes = Scopes() }
    return scopes
  }

  mutating func resumeChecks(_ suspended: Scopes) { scopes = suspended }
}
