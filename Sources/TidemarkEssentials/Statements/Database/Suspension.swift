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
  /// Whether the statement may take a lock that blocks other connections. Without a write-ahead log, reading blocks
  /// writers.
  fileprivate var mayTakeLocks: Bool {
    if effects.contains(.undo) || effects.contains(.keep) { return false }
    if !isReadonly { return true }
    // The library turns `PRAGMA query_only` on and off.
    if isInternal, effects.contains(.schemaOrPragma) { return false }
    return database.settings.isInFile && database.handle?.fileHead?.usesLog != true
  }

  /// Throws if the statement may take a lock during a suspension.
  func checkSuspension(_ suspension: Suspension) throws {
    guard suspension.isOn, mayTakeLocks else { return }
    throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: sql)
  }
}
