// Beginning, committing and rolling back transactions explicitly.

extension Database {
  /// When a transaction takes its locks.
  public enum TransactionKind: Sendable {
    /// At its first read and its first write.
    case deferred

    /// It takes the write lock when it begins. This is the default: a transaction that begins with a read, and finds
    /// another writer when it wants to write, can only be rolled back.
    case immediate

    /// It takes all locks when it begins.
    case exclusive

    fileprivate var control: Control {
      switch self {
      case .deferred: .beginDeferred
      case .immediate: .beginImmediate
      case .exclusive: .beginExclusive
      }
    }
  }

  /// Whether a transaction is open.
  public var isInsideTransaction: Bool {
    preconditionAccess()
    return !isInAutocommitMode
  }

  // MARK: - Groups of writes

  /// The running write is about to affect more than its own changes.
  func requireOwnTransaction() throws {
    guard access.groupRole.requireOwnTransaction() else { throw MustRunAlone() }
  }

  /// Checks whether a statement may begin in the running write.
  func checkGroupRole(of statement: Statement) throws {
    if case .replicated = access.groupRole { return try checkReplicated(statement) }
    if statement.affectsTransaction { try requireOwnTransaction() }
  }

  private func checkReplicated(_ statement: Statement) throws {
    // A statement of the library itself.
    if callbacks.isTraceSuspended { return }
    let changesDatabases = statement.writes?.schemaChanges.contains { $0.subject == .database } ?? false
    let controlsTransaction = statement.effects.contains(.transactionControl) && statement.writes?.savepoint == nil
    if controlsTransaction || changesDatabases {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: """
          a replicated write is a part of a transaction: it cannot begin or end transactions, and cannot attach or \
          detach databases. Use savepoints instead, and attach databases outside of replicated writes
          """, sql: statement.sql)
    }
    try access.replicatedWriteCheck?(statement)
  }

  // MARK: - Explicit transactions

  /// Begins a transaction: an immediate one, or a deferred one on read-only connections.
  ///
  /// Prefer ``inTransaction(_:_:)``, which always ends the transaction.
  public func beginTransaction(_ kind: TransactionKind? = nil) throws {
    // Compiled in advance, while there is enough memory, so that the transaction can be rolled back.
    if !isKept(.rollback) { _ = try statement(.rollback) }
    try run((kind ?? defaultTransactionKind).control)
  }

  /// Commits the transaction.
  public func commit() throws {
    try run(.commit)
  }

  /// Rolls back the transaction. Does nothing without a transaction: SQLite may have rolled it back by itself.
  public func rollback() throws {
    let condition = transaction.rollbackWillBegin()
    do {
      if isInsideTransaction { try run(.rollback) }
    } catch {
      transaction.rollbackDidNotHappen(restoring: condition)
      throw error
    }
    transaction.rollbackDidSucceed()
    if case .awaitingRollback = condition { forgetPagesOfFailedRollback() }
  }

  private var defaultTransactionKind: TransactionKind {
    settings.isReadonly || access.readOnlyDepth > 0 ? .deferred : .immediate
  }

  /// The statements that nearly every access runs.
  fileprivate enum Control: Int, CaseIterable {
    case beginDeferred
    case beginImmediate
    case beginExclusive
    case commit
    case rollback

    var sql: String {
      switch self {
      case .beginDeferred: "BEGIN DEFERRED TRANSACTION"
      case .beginImmediate: "BEGIN IMMEDIATE TRANSACTION"
      case .beginExclusive: "BEGIN EXCLUSIVE TRANSACTION"
      case .commit: "COMMIT TRANSACTION"
      case .rollback: "ROLLBACK TRANSACTION"
      }
    }
  }

  private func isKept(_ control: Control) -> Bool {
    control.rawValue < caches.controlStatements.count && caches.controlStatements[control.rawValue] != nil
  }

  private func statement(_ control: Control) throws -> Statement {
    if control.rawValue < caches.controlStatements.count, let known = caches.controlStatements[control.rawValue] {
      return known
    }
    let statement = try compile(control.sql, isInternal: true, isPersistent: true)
    if settings.maximumCachedStatementCount == 0 { return statement }
    if caches.controlStatements.isEmpty {
      caches.controlStatements = Array(repeating: nil, count: Control.allCases.count)
    }
    caches.controlStatements[control.rawValue] = statement
    return statement
  }

  private func run(_ control: Control) throws {
    try statement(control).availableStatement().runToEnd(nil)
  }
}
