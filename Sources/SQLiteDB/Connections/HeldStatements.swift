import Synchronization

/// The statements of a connection that somebody holds: a database is not closed before they have let go of it.
final class HeldStatements: Sendable {
  private struct WeakStatement: Sendable { weak var statement: Statement? }

  private let held = Mutex<[ObjectIdentifier: WeakStatement]>([:])

  func add(_ statement: Statement) {
    held.withLock { $0[ObjectIdentifier(statement)] = WeakStatement(statement: statement) }
  }

  func remove(_ statement: Statement) {
    _ = held.withLock { $0.removeValue(forKey: ObjectIdentifier(statement)) }
  }

  var all: [Statement] { held.withLock { $0.values.compactMap(\.statement) } }
}
