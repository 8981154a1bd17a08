import Synchronization

/// Whether a database may be used: the bad news that its connections share.
///
///     sound --stop--> stopped, for good: the file is to be closed and opened again
///       |
///       +--fork--> inherited, in the child only
///
/// Laws:
/// 1. Once a database is stopped, no statement begins on any of its connections, but those that undo.
/// 2. The first reason is the one that is told.
/// 3. In a child made by `fork`, nothing that was opened before is touched, not even to close it.
final class DatabaseStanding: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let reason = Mutex<DatabaseError?>(nil)
  private let process = ProcessStamp()
  private let identity = Mutex<DatabaseFile.Identity?>(nil)

  /// Asked before each statement.
  @inline(__always)
  var isSound: Bool { !isStopped.load(ordering: .relaxed) && !isInherited }

  /// Whether this is a child of the process that opened the database.
  @inline(__always)
  var isInherited: Bool { !process.isOfThisProcess }

  /// Has all accesses refused from now on.
  func stop(because error: DatabaseError) {
    reason.withLock { $0 = $0 ?? error }
    isStopped.store(true, ordering: .releasing)
  }

  /// Which file the first connection opened, that of the argument if this is the first.
  func firstIdentity(_ own: DatabaseFile.Identity) -> DatabaseFile.Identity {
    identity.withLock { identity in
      let first = identity ?? own
      identity = first
      return first
    }
  }

  /// Which file the first connection opened, if it has opened one.
  var knownIdentity: DatabaseFile.Identity? { identity.withLock { $0 } }

  /// Why accesses are refused; nil when they are not.
  var refusal: DatabaseError? {
    if isInherited { return Database.inheritedError }
    return reason.withLock { $0 }.map(Self.stopError)
  }

  /// To be asked before one waits for others: in a child made by `fork` they are not there.
  func checkIsNotInherited() throws {
    if isInherited { throw Database.inheritedError }
  }

  private static func stopError(_ reason: DatabaseError) -> DatabaseError {
    var error = DatabaseError(
      resultCode: reason.extendedResultCode,
      message: "the database is stopped, and must be closed and opened again: \(reason.message ?? "")")
    error.cause = reason
    error.isDatabaseStopped = true
    return error
  }
}
