import Tidemark

/// A way in which a session executes a transaction.
package enum SessionAccess: Sendable {
  case write, writeWithoutTransaction, barrierWrite, rawStatements, asyncWrite, cancelledWrite
  case read, unsafeRead, asyncRead, cancelledRead

  /// Those that block their thread.
  static let inPlace: [Self] = [.write, .writeWithoutTransaction, .barrierWrite, .rawStatements, .read, .unsafeRead]

  /// Those that suspend their task.
  static let suspending: [Self] = [.asyncWrite, .cancelledWrite, .asyncRead, .cancelledRead]

  var isRead: Bool {
    switch self {
    case .read, .unsafeRead, .asyncRead, .cancelledRead: true
    default: false
    }
  }

  var isCancelled: Bool { self == .cancelledWrite || self == .cancelledRead }

  func perform<Value>(_ body: (Database) throws -> Value, in writer: some DatabaseWriter) throws -> Value {
    switch self {
    case .write: try writer.write(body)
    case .writeWithoutTransaction: try writer.writeWithoutTransaction { try Self.inTransaction(body, $0) }
    case .barrierWrite: try writer.barrierWriteWithoutTransaction { try Self.inTransaction(body, $0) }
    case .rawStatements: try writer.writeWithoutTransaction { try Self.withStatements(body, $0) }
    case .read: try writer.read(body)
    case .unsafeRead: try writer.unsafeRead { try Self.inTransaction(body, $0) }
    case .asyncWrite, .cancelledWrite, .asyncRead, .cancelledRead:
      preconditionFailure("\(self) suspends its task")
    }
  }

  /// - Parameter yieldCount: How often the task that cancels the access gives way to others before.
  func performSuspending<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value, cancelledAfter yieldCount: Int,
    in writer: some DatabaseWriter
  ) async throws -> Value {
    switch self {
    case .asyncWrite: return try await writer.write(body)
    case .asyncRead: return try await writer.read(body)
    case .cancelledWrite, .cancelledRead:
      let task = Task {
        self == .cancelledWrite ? try await writer.write(body) : try await writer.read(body)
      }
      for _ in 0..<yieldCount { await Task.yield() }
      task.cancel()
      return try await task.value
    default: preconditionFailure("\(self) blocks its thread")
    }
  }

  private static func inTransaction<Value>(_ body: (Database) throws -> Value, _ db: Database) throws -> Value {
    var value: Value?
    try db.inTransaction {
      value = try body(db)
      return .commit
    }
    guard let value else { preconditionFailure("the transaction was committed") }
    return value
  }

  private static func withStatements<Value>(_ body: (Database) throws -> Value, _ db: Database) throws -> Value {
    try db.execute(sql: "BEGIN IMMEDIATE")
    do {
      let value = try body(db)
      try db.execute(sql: "COMMIT")
      return value
    } catch {
      try db.execute(sql: "ROLLBACK")
      throw error
    }
  }
}
