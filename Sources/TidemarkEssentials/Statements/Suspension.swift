import Synchronization

/// Whether a connection must not take locks for some time, as before the process is put to sleep. Anybody may say so;
/// the connection looks before each statement.
final class Suspension: Sendable {
  private let flag = Atomic<Bool>(false)

  var isOn: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }
}

extension Statement {
  /// Whether the statement takes a lock that others may have to wait for.
  fileprivate var takesLocks: Bool { !isReadonly && !effects.contains(.undo) }

  /// Throws when the statement takes a lock and must not.
  func checkSuspension(_ suspension: Suspension) throws {
    guard suspension.isOn, takesLocks else { return }
    throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
  }
}
