import Testing

@testable import TidemarkEssentials

/// The decisions of `TransactionMachine`, without a database.
@Suite struct TransactionMachineTests {
  /// What happens to a connection, as its hooks and statements report it.
  enum Event {
    /// A statement begins, outside of or in a transaction.
    case outside
    case inside
    case commitHook
    case rollbackHook
    case refusedByObserver
    case refusedBecauseFileWasMoved

    /// A COMMIT or RELEASE has succeeded, and no transaction is open.
    case commitSucceeded
    case rebuilt
  }

  // MARK: - Outcomes of commits

  struct Outcome: CustomTestStringConvertible {
    var testDescription: String
    var events: [Event]
    var failure: TransactionMachine.Failure
    var isOpen = false
    var outcome: DatabaseError.CommitOutcome?
  }

  static func failure(
    isCommit: Bool = false, mayWrite: Bool = true, isConstraint: Bool = false, mayBeOnDisk: Bool = false,
    isFileMoved: Bool = false
  ) -> TransactionMachine.Failure {
    TransactionMachine.Failure(
      isCommit: isCommit, mayWrite: mayWrite, isConstraint: isConstraint, leavesCommitUnknown: mayBeOnDisk,
      isFileMoved: isFileMoved)
  }

  static let outcomes = [
    Outcome(
      testDescription: "COMMIT fails before it begins", events: [.inside],
      failure: failure(isCommit: true, mayBeOnDisk: true),
      isOpen: true, outcome: .notCommitted),
    Outcome(
      testDescription: "COMMIT fails with an I/O error", events: [.inside, .commitHook, .rollbackHook],
      failure: failure(isCommit: true, mayBeOnDisk: true), outcome: .unknown),
    Outcome(
      testDescription: "COMMIT fails with an I/O error, without a rollback", events: [.inside, .commitHook],
      failure: failure(isCommit: true, mayBeOnDisk: true), outcome: .unknown),
    Outcome(
      testDescription: "COMMIT fails with an I/O error, and the transaction stays open",
      events: [.inside, .commitHook],
      failure: failure(isCommit: true, mayBeOnDisk: true), isOpen: true, outcome: .notCommitted),
    Outcome(
      testDescription: "COMMIT fails with an I/O error before it begins, and rolls back", events: [.inside],
      failure: failure(isCommit: true, mayBeOnDisk: true), outcome: .notCommitted),
    Outcome(
      testDescription: "COMMIT does not get a lock", events: [.inside, .commitHook],
      failure: failure(isCommit: true), isOpen: true, outcome: .notCommitted),
    Outcome(
      testDescription: "COMMIT is rolled back on a full disk", events: [.inside, .commitHook, .rollbackHook],
      failure: failure(isCommit: true), outcome: .notCommitted),
    Outcome(
      testDescription: "an INSERT in autocommit mode fails with an I/O error while it commits",
      events: [.outside, .commitHook, .rollbackHook], failure: failure(mayBeOnDisk: true), outcome: .unknown),
    Outcome(
      testDescription: "an INSERT in autocommit mode fails with an I/O error before it commits",
      events: [.outside, .rollbackHook], failure: failure(mayBeOnDisk: true), outcome: nil),
    Outcome(
      testDescription: "INSERT OR FAIL keeps its changes", events: [.outside, .commitHook],
      failure: failure(isConstraint: true), outcome: nil),
    Outcome(
      testDescription: "a SELECT fails after a COMMIT with the C interface", events: [.commitHook, .outside],
      failure: failure(mayWrite: false, mayBeOnDisk: true), outcome: nil),
    Outcome(
      testDescription: "the file was moved", events: [.outside, .refusedBecauseFileWasMoved, .rollbackHook],
      failure: failure(isFileMoved: true), outcome: .notCommitted),
    Outcome(
      testDescription: "an INSERT fails in a transaction", events: [.inside],
      failure: failure(isConstraint: true), isOpen: true, outcome: nil),
    Outcome(
      testDescription: "COMMIT, which writes nothing itself, fails with an I/O error", events: [.inside, .commitHook],
      failure: failure(isCommit: true, mayWrite: false, mayBeOnDisk: true), outcome: .unknown),
    Outcome(
      testDescription: "COMMIT, which writes nothing itself, is rolled back after an I/O error",
      events: [.inside, .commitHook, .rollbackHook],
      failure: failure(isCommit: true, mayWrite: false, mayBeOnDisk: true), outcome: .unknown),
    Outcome(
      testDescription: "COMMIT fails with the error of a constraint", events: [.inside, .commitHook],
      failure: failure(isCommit: true, isConstraint: true, mayBeOnDisk: true), outcome: .unknown),
    Outcome(
      testDescription: "a constraint fails, and a transaction is open", events: [.outside, .commitHook],
      failure: failure(isConstraint: true), isOpen: true, outcome: .notCommitted),
    Outcome(
      testDescription: "an INSERT in autocommit mode does not get a lock", events: [.outside, .commitHook],
      failure: failure(), outcome: .notCommitted),
    Outcome(
      testDescription: "a SELECT fails after a commit in it", events: [.outside, .commitHook],
      failure: failure(mayWrite: false, mayBeOnDisk: true), outcome: nil),
    Outcome(
      testDescription: "a SELECT fails after a commit and a rollback in it",
      events: [.outside, .commitHook, .rollbackHook], failure: failure(mayWrite: false, mayBeOnDisk: true),
      outcome: nil),
  ]

  @Test(arguments: outcomes) func failuresHaveACommitOutcome(_ test: Outcome) {
    var machine = TransactionMachine()
    for event in test.events { machine.receive(event) }
    #expect(machine.commitOutcome(of: test.failure, isOpen: test.isOpen) == test.outcome)
  }

  // MARK: - Permissions

  /// The result of `permission`, with the texts of errors.
  enum Permission: Equatable {
    case granted
    case aborted(String?)
    case awaitsRollback(String)
  }

  private struct Failed: Error, CustomStringConvertible {
    var description: String
  }

  private func permission(
    _ machine: inout TransactionMachine, isOpen: Bool, isRollback: Bool = false, isBegin: Bool = false
  ) -> Permission {
    switch machine.permission(isOpen: isOpen, isRollback: isRollback, isBegin: isBegin) {
    case .granted: .granted
    case .transactionIsAborted(let error): .aborted(error.map { "\($0)" })
    case .transactionMustBeRolledBack(let error): .awaitsRollback("\(error)")
    }
  }

  @Test func statementsBeginOutsideOfTransactions() {
    var machine = TransactionMachine()
    #expect(machine.grantsEverything(isOpen: false))
    #expect(permission(&machine, isOpen: false) == .granted)
  }

  @Test func statementsBeginInScopes() {
    var machine = TransactionMachine()
    machine.enterScope()
    #expect(permission(&machine, isOpen: true) == .granted)
  }

  @Test func noStatementBeginsInAScopeWhoseTransactionHasEnded() {
    var machine = TransactionMachine()
    machine.enterScope()
    #expect(!machine.grantsEverything(isOpen: false))
    #expect(permission(&machine, isOpen: false) == .aborted(nil))
    #expect(permission(&machine, isOpen: false, isBegin: true) == .aborted(nil))
    #expect(permission(&machine, isOpen: false, isRollback: true) == .aborted(nil))
  }

  @Test func anAbortedTransactionKeepsItsFirstError() {
    var machine = TransactionMachine()
    machine.enterScope()
    machine.statementDidFail(Failed(description: "first"), wasOpen: true, isOpen: false)
    machine.statementDidFail(Failed(description: "second"), wasOpen: true, isOpen: false)
    #expect(permission(&machine, isOpen: false) == .aborted("first"))
    #expect(machine.abortCause.map { "\($0)" } == "first")
  }

  @Test(arguments: [(false, false), (false, true), (true, true)])
  func aFailureThatEndsNoTransactionAbortsNothing(wasOpen: Bool, isOpen: Bool) {
    var machine = TransactionMachine()
    machine.statementDidFail(Failed(description: "error"), wasOpen: wasOpen, isOpen: isOpen)
    #expect(machine.grantsEverything(isOpen: false))
  }

  @Test func anExplicitTransactionStaysAbortedUntilTheProgramEndsIt() {
    var machine = TransactionMachine()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    #expect(permission(&machine, isOpen: false) == .aborted("full"))
    #expect(permission(&machine, isOpen: false, isRollback: true) == .granted)
    #expect(permission(&machine, isOpen: false) == .granted)
  }

  @Test func beginEndsAnAbortedExplicitTransaction() {
    var machine = TransactionMachine()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    #expect(permission(&machine, isOpen: false, isBegin: true) == .granted)
    #expect(machine.grantsEverything(isOpen: false))
  }

  @Test func rollbackEndsAnAbortedExplicitTransactionButNotAScope() {
    var machine = TransactionMachine()
    machine.enterScope()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    machine.rollbackDidSucceed()
    #expect(permission(&machine, isOpen: false) == .aborted("full"))
    machine.leaveScope(endsTransaction: true)
    #expect(machine.grantsEverything(isOpen: false))
  }

  @Test func aRollbackOutsideOfAllScopesEndsTheAbort() {
    var machine = TransactionMachine()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    #expect(permission(&machine, isOpen: false) == .aborted("full"))
    machine.rollbackDidSucceed()
    #expect(permission(&machine, isOpen: false) == .granted)
    #expect(machine.abortCause == nil)
  }

  @Test func theEndOfASavepointDoesNotEndTheAbortOfTheTransactionAroundIt() {
    var machine = TransactionMachine()
    machine.enterScope()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    machine.leaveScope(endsTransaction: false)
    #expect(permission(&machine, isOpen: false) == .aborted("full"))
    machine.acknowledgeAbort()
    #expect(machine.grantsEverything(isOpen: false))
  }

  @Test func theEndOfAnInnerScopeDoesNotEndTheAbort() {
    var machine = TransactionMachine()
    machine.enterScope()
    machine.enterScope()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    machine.leaveScope(endsTransaction: true)
    #expect(permission(&machine, isOpen: false) == .aborted("full"))
  }

  @Test func onlyRollbacksBeginWhileATransactionAwaitsItsRollback() {
    var machine = TransactionMachine()
    machine.rollbackDidFail(Failed(description: "no memory"))
    #expect(machine.awaitsRollback)
    #expect(permission(&machine, isOpen: true) == .awaitsRollback("no memory"))
    #expect(permission(&machine, isOpen: true, isBegin: true) == .awaitsRollback("no memory"))
    #expect(permission(&machine, isOpen: true, isRollback: true) == .granted)
    #expect(machine.awaitsRollback)
    machine.rollbackDidSucceed()
    #expect(machine.grantsEverything(isOpen: false))
  }

  @Test func aRollbackThatMayHaveUndoneAPartIsCompletedFirst() {
    var machine = TransactionMachine()
    machine.statementDidFail(Failed(description: "disk"), wasOpen: true, isOpen: true, mayHaveUndonePart: true)
    #expect(permission(&machine, isOpen: true) == .awaitsRollback("disk"))
  }

  @Test func aRollbackThatHasUndoneNothingChangesNothing() {
    var machine = TransactionMachine()
    machine.statementDidFail(Failed(description: "no such savepoint"), wasOpen: true, isOpen: true)
    #expect(permission(&machine, isOpen: true) == .granted)
  }

  @Test func theEndOfATransactionEndsTheWaitForItsRollback() {
    var machine = TransactionMachine()
    machine.rollbackDidFail(Failed(description: "no memory"))
    #expect(permission(&machine, isOpen: false) == .granted)
    #expect(!machine.awaitsRollback)
  }

  @Test func aRollbackOfTheLibraryNeedsNoPermission() {
    var machine = TransactionMachine()
    machine.rollbackDidFail(Failed(description: "no memory"))
    let condition = machine.rollbackWillBegin()
    #expect(permission(&machine, isOpen: true) == .granted)
    machine.rollbackDidNotHappen(restoring: condition)
    #expect(permission(&machine, isOpen: true) == .awaitsRollback("no memory"))
  }

  @Test func anotherAccessStillAwaitsTheRollback() {
    var machine = TransactionMachine()
    machine.rollbackDidFail(Failed(description: "no memory"))
    machine.acknowledgeAbort()
    #expect(machine.awaitsRollback)
  }

  @Test func suspendedChecksAreResumed() {
    var machine = TransactionMachine()
    machine.enterScope()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    let suspended = machine.suspendChecks()
    #expect(machine.grantsEverything(isOpen: false))
    machine.resumeChecks(suspended)
    #expect(permission(&machine, isOpen: false) == .aborted("full"))
  }

  @Test func theEndOfTheOutermostScopeEndsTheAbort() {
    var machine = TransactionMachine()
    machine.enterScope()
    machine.enterScope()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    machine.leaveScope(endsTransaction: true)
    machine.leaveScope(endsTransaction: true)
    #expect(machine.grantsEverything(isOpen: false))
  }

  @Test(arguments: [false, true]) func anAbortedTransactionDoesNotGrantEverything(isOpen: Bool) {
    var machine = TransactionMachine()
    machine.statementDidFail(Failed(description: "full"), wasOpen: true, isOpen: false)
    #expect(!machine.grantsEverything(isOpen: isOpen))
  }

  @Test func anOpenTransactionInAScopeGrantsEverything() {
    var machine = TransactionMachine()
    machine.enterScope()
    #expect(machine.grantsEverything(isOpen: true))
  }

  // MARK: - Refusals and savepoints

  @Test func aNewConnectionHasNoTransaction() {
    let machine = TransactionMachine()
    #expect(!machine.wasOpen && !machine.isBegunBySavepoint && !machine.isOfStatement)
    #expect(machine.abortCause == nil && !machine.awaitsRollback)
  }

  @Test func theRollbackOfAStatementsOwnTransactionIsNotReported() {
    var machine = TransactionMachine()
    machine.captureWillBegin()
    machine.statementTransactionDidBegin()
    machine.statementWillBegin(isOpen: true)
    machine.didRollBack()
    #expect(machine.settle(hasFailed: true, isOpen: false, isStopped: false) == .discard(isReported: false))
    // The next transaction is one of the program.
    machine.captureWillBegin()
    machine.didRollBack()
    #expect(machine.settle(hasFailed: true, isOpen: false, isStopped: false) == .discard(isReported: true))
  }

  @Test func theReleaseOfAnInnerSavepointEndsNoTransaction() {
    var machine = TransactionMachine()
    machine.commitDidSucceed(isOpen: true)
    #expect(machine.ending == .none)
  }

  private static let rollbacks: [(events: [Event], hasRolledBack: Bool)] = [
    ([.rollbackHook], true), ([.commitHook, .rollbackHook], true), ([], false), ([.commitHook], false),
    ([.commitHook, .rollbackHook, .outside], false), ([.refusedByObserver], false), ([.rebuilt], false),
  ]

  @Test(arguments: rollbacks.indices)
  func onlyARollbackInTheCurrentStatementHasRolledBack(_ number: Int) {
    let (events, isExpected) = Self.rollbacks[number]
    var machine = TransactionMachine()
    for event in events { machine.receive(event) }
    #expect(machine.hasRolledBack == isExpected, "\(events)")
  }

  @Test func aRefusalIsThrownOnce() {
    var machine = TransactionMachine()
    machine.commitIsRefused(Failed(description: "refused"), isByObserver: true)
    #expect(machine.takeRefusal().map { "\($0)" } == "refused")
    #expect(machine.takeRefusal() == nil)
  }

  @Test func onlyASavepointOutsideOfATransactionBeginsOne() {
    var machine = TransactionMachine()
    machine.captureWillBegin()
    machine.statementWillBegin(isOpen: true)
    machine.savepointWasOpened()
    #expect(!machine.isBegunBySavepoint)
    machine.statementWillBegin(isOpen: false)
    machine.savepointWasOpened()
    #expect(machine.isBegunBySavepoint)
    machine.statementWillBegin(isOpen: true)
    machine.savepointWasOpened()
    #expect(machine.isBegunBySavepoint)
    machine.captureWillBegin()
    #expect(!machine.isBegunBySavepoint)
  }
}

extension TransactionMachine {
  mutating func receive(_ event: TransactionMachineTests.Event) {
    struct Refused: Error {}
    switch event {
    case .outside: statementWillBegin(isOpen: false)
    case .inside: statementWillBegin(isOpen: true)
    case .commitHook: commitWillBegin()
    case .rollbackHook: didRollBack()
    case .refusedByObserver: commitIsRefused(Refused(), isByObserver: true)
    case .refusedBecauseFileWasMoved: commitIsRefused(Refused(), isByObserver: false)
    case .commitSucceeded: commitDidSucceed(isOpen: false)
    case .rebuilt: databaseWasRebuilt()
    }
  }
}
