import Synchronization

/// Looks at the steps of statements.
///
/// When a run starts, the statement determines the observers of its steps, and with them its step mode: see
/// `Statement+Running.swift`. Contract:
///
/// 1. Each observed step is a pair of calls, in the access of the connection. Pairs nest: an SQL function of the
///    program may run statements.
/// 2. An observer neither steps nor finishes the statement, and does not change its arguments.
/// 3. An error of `willStep` replaces the step: SQLite is not called, `didStep` neither, and the run fails.
/// 4. `didStep` is called before the caller of the step, and before the run ends: the row can be read.
///
/// Statements are traced by SQLite itself: see `Database.trace(options:_:)`.
protocol StepObserver: AnyObject {
  /// - Throws: An error that refuses the step.
  func willStep(_ statement: Statement) throws

  func didStep(_ statement: Statement, _ result: StepResult)
}

extension StepObserver {
  func willStep(_ statement: Statement) throws {}
}

/// The result of a step.
enum StepResult {
  /// The row with this number, counted from one.
  case row(Int)

  /// The statement has returned all its rows.
  case done(rowCount: Int)

  case failed(DatabaseError)

  var error: DatabaseError? { if case .failed(let error) = self { error } else { nil } }
}

/// Observes the statements of a connection that may change the database. Change capture implements it.
///
/// Only the first step of a statement is observed, because SQLite makes all changes in that step.
protocol ChangeObserver: StepObserver {
  /// Ends a capture bypass because the running step makes a change that may be needed. The rest of the step is
  /// observed as if `willStep` had been called at its beginning.
  func endCaptureBypass()

  /// Called before a writing statement is recompiled during a step.
  func willRecompileWrite()

  /// Called before SQLite commits. The connection cannot be used.
  ///
  /// - Throws: An error that refuses the commit.
  func willCommit() throws

  /// Called when row changes begin or cease to be needed. No statement is running.
  func rowNeedsDidChange()

  /// Called before the program receives the raw connection, which it can use without the library.
  func connectionWillBeShared()

  /// Called at the end of an access in which the program may have used the raw connection.
  func sharedAccessWillEnd()

  /// Whether changes that a failed statement has made stay outside of a transaction: with `OR FAIL`, for instance.
  func keepsChanges(of statement: Statement, after error: DatabaseError) -> Bool

  /// Called when a transaction has ended, or may have ended, outside of any observed first step.
  ///
  /// - Parameter error: The error of the statement that has ended, if it failed.
  func transactionMayHaveEnded(on db: Database, after error: DatabaseError?)

  /// Frees memory that was kept for later changes.
  func releaseMemory()
}

/// Whether row changes of a connection are needed. It can be used from any thread.
final class RowNeeds: Sendable {
  private let flag = Atomic<Bool>(false)

  @inline(__always)
  var exist: Bool {
    get { flag.load(ordering: .relaxed) }
    set { flag.store(newValue, ordering: .sequentiallyConsistent) }
  }
}
