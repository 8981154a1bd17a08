import Synchronization

/// Whether a database is usable; shared by its connections.
///
///     usable --stop--> stopped, until the file is closed and opened again
///       |
///       +--fork--> inherited, in the child only
///
/// Invariants:
/// 1. Once a database is stopped, no statement begins on any of its connections, except rollbacks.
/// 2. The first reason is reported.
/// 3. In a child made by `fork`, nothing that was opened before is touched, not even to close it.
final class DatabaseHealth: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let reason = Mutex<DatabaseError?>(nil)
  private let process = ProcessStamp()
  private let identity = Mutex<DatabaseFile.Identity?>(nil)

  /// Checked before each statement.
  @inline(__always)
  var isUsable: Bool { !isStopped.load(ordering: .relaxed) && !isInherited }

  /// Whether this is a child of the process that opened the database.
  @inline(__always)
  var isInherited: Bool { !process.isOfThisProcess }

  /// Makes the database refuse all accesses from now on.
  func stop(because error: DatabaseError) {
    reason.withLock { $0 = $0 ?? error }
    isStopped.store(true, ordering: .releasing)
  }

  /// The file that the first connection opened; it becomes the argument if this is the first connection.
  func firstIdentity(_ own: DatabaseFile.Identity) -> DatabaseFile.Identity {
    identity.withLock { identity in
      let first = identity ?? own
      identity = first
      return first
    }
  }

  /// The file that the first connection opened, if there was one.
  var knownIdentity: DatabaseFile.Identity? { identity.withLock { $0 } }

  /// The error of accesses; nil if they are allowed.
  var refusal: DatabaseError? {
    if isInherited { return Database.inheritedError }
    return reason.withLock { $0 }.map(Self.stopError)
  }

  /// Checked before waiting for other threads: in a child made by `fork` they do not exist.
  func checkIsNotInherited() throws {
    if isInherited { throw Database.inheritedError }
  }

  private static func stopError(_ reason: DatabaseError) -> DatabaseError {
    var error = DatabaseError(
      resultCode: reason.extendedResultCode,
      message: "the database has stopped after an error: close it and open it again: \(reason.message ?? "")")
    error.cause = reason
    error.isDatabaseStopped = true
    return error
  }
}
