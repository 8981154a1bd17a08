import Synchronization

/// Told what the statements of a connection do. The transactions module is.
///
/// Of each statement that is watched, the first step is told: all that a statement changes, it changes there. These
/// calls come in pairs, and may nest: a function of the program may run statements.
protocol ExecutionObserver: AnyObject {
  /// - throws: Why a commit is refused.
  func willStep(_ statement: Statement) throws

  /// - parameter error: Why the step failed, if it did.
  func didStep(_ statement: Statement, error: DatabaseError?)

  /// Something happens in a quiet step that may be of interest: it is told from now on as if `willStep` had been called
  /// at its beginning.
  func endCaptureBypass()

  /// A statement that writes is about to be compiled during a step.
  func willRecompileWrite()

  /// SQLite is about to commit. The connection cannot be used.
  ///
  /// - throws: Why not.
  func willCommit() throws

  /// Somebody has begun to listen to rows, or nobody does any more. No statement runs.
  func listeningDidChange()

  /// The program is given the connection, to use it without the library.
  func connectionWillBeShared()

  /// An access ends in which the program may have used the connection without the library.
  func sharedAccessWillEnd()

  /// A transaction has ended, or may have, and no statement of the library is in its first step.
  ///
  /// - parameter error: That of the statement that has ended, if it failed.
  func transactionMayHaveEnded(after error: DatabaseError?)
}

/// Whether somebody listens to the rows that a connection changes. Anybody may say so, from any thread.
final class RowListening: Sendable {
  private let flag = Atomic<Bool>(false)

  @inline(__always)
  var isOn: Bool {
    get { flag.load(ordering: .relaxed) }
    set { flag.store(newValue, ordering: .sequentiallyConsistent) }
  }
}
