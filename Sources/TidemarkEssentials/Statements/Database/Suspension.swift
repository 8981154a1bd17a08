import Synchronization

/// Whether a connection must not take locks, for example before the process is suspended. Any thread may set it;
/// the connection checks it before each statement.
final class Suspension: Sendable {
  private let flag = Atomic<Bool>(false)

  var isOn: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }
}

extension Statement {
  /// Whether the statement takes a lock that may block other connections.
  fileprivate var takesLocks: Bool { !isReadonly && !effects.contains(.undo) }

  /// Throws if the statement takes a lock during a suspension.
  func checkSuspension(_ suspension: Suspension) throws {
    guard suspension.isOn, takesLocks else { return }
    throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
  }
}
