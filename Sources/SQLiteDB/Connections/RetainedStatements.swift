import Synchronization

/// The statements of a connection that the program retains. They must release their compiled statements before the
/// database is closed.
final class RetainedStatements: Sendable {
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
