import Synchronization

/// Observes the execution of the statements of a connection. The transactions module implements it.
///
/// Only the first step of an observed statement is reported, because SQLite makes all changes in that step. Calls of
/// `willStep` and `didStep` are paired, and pairs may be nested: an SQL function of the program may run statements.
protocol ExecutionObserver: AnyObject {
  /// - Throws: An error that refuses a commit.
  func willStep(_ statement: Statement) throws

  /// - Parameter error: The error of the step, if it failed.
  func didStep(_ statement: Statement, error: DatabaseError?)

  /// Ends a capture bypass because the running step makes a change that may be observed. The rest of the step is
  /// reported as if `willStep` had been called at its beginning.
  func endCaptureBypass()

  /// Called before a writing statement is recompiled during a step.
  func willRecompileWrite()

  /// Called before SQLite commits. The connection cannot be used.
  ///
  /// - Throws: An error that refuses the commit.
  func willCommit() throws

  /// Called when row changes get their first listener, or lose their last. No statement is running.
  func listeningDidChange()

  /// Called before the program receives the raw connection, which it can use without the library.
  func connectionWillBeShared()

  /// Called at the end of an access in which the program may have used the raw connection.
  func sharedAccessWillEnd()

  /// Called when a transaction has ended, or may have ended, outside of any observed first step.
  ///
  /// - Parameter error: The error of the statement that has ended, if it failed.
  func transactionMayHaveEnded(after error: DatabaseError?)
}

/// A flag that is set while the row changes of a connection have listeners. It can be used from any thread.
final class RowListening: Sendable {
  private let flag = Atomic<Bool>(false)

  @inline(__always)
  var isOn: Bool {
    get { flag.load(ordering: .relaxed) }
    set { flag.store(newValue, ordering: .sequentiallyConsistent) }
  }
}
