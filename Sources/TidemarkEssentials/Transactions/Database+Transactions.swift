// Transactions and savepoints.
//
// Invariants:
// 1. A transaction that begins here also ends here, whatever the closure does: it throws, ends the transaction itself,
//    or causes an error after which SQLite rolls it back.
// 2. The first error is thrown: a failed rollback does not hide it.
// 3. A commit that did not happen is never reported as one: if SQLite has rolled back the transaction, the end
//    of the closure throws.
// 4. After SQLite has rolled back a transaction, no statement of its scope runs, nor of its access if it was begun
//    explicitly, until the program calls `rollback()`, or begins another transaction.

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

  /// How a transaction ends.
  public enum TransactionCompletion: Sendable {
    /// It is committed.
    case commit

    /// It is rolled back.
    case rollback
  }

  /// Whether a transaction is open.
  public var isInsideTransaction: Bool {
    preconditionAccess()
    return !isInAutocommitMode
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
  }

  private var defaultTransactionKind: TransactionKind {
    settings.isReadonly || access.readOnlyDepth > 0 ? .deferred : .immediate
  }

  private func run(_ sql: String) throws {
    try preparedStatement(sql: sql).availableStatement().runToEnd(nil)
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

  // MARK: - Transactions with a closure

  /// Runs a closure in a transaction.
  ///
  /// ```swift
  /// try dbQueue.inDatabase { db in
  ///   try db.inTransaction {
  ///     try db.execute(sql: "INSERT INTO book (title) VALUES ('Dune')")
  ///     return .commit
  ///   }
  /// }
  /// ```
  ///
  /// If the closure throws, the transaction is rolled back, and the error is rethrown.
  public func inTransaction(
    _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
  ) throws {
    try beginTransaction(kind)
    try run(operations, end: .transaction)
  }

  /// Runs a closure in a savepoint: a nested transaction.
  ///
  /// Outside of a transaction, it begins one.
  public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
    guard isInsideTransaction else { return try inTransaction(nil, operations) }
    try run("SAVEPOINT grdb")
    try run(operations, end: .savepoint)
  }

  private enum Scope {
    case transaction
    case savepoint

    /// A transaction that reads. Its closure has its result: that it was cancelled meanwhile changes nothing.
    case read
  }

  private func run(_ operations: () throws -> TransactionCompletion, end scope: Scope) throws {
    transaction.enterScope()
    defer { transaction.leaveScope(endsTransaction: scope != .savepoint) }
    let completion: TransactionCompletion
    do {
      completion = try operations()
    } catch {
      undo(scope)
      throw error
    }
    switch completion {
    case .commit: try keepOrUndo(scope)
    case .rollback: if isInsideTransaction { try undoThrowing(scope) }
    }
  }

  /// Returns the result of a closure that runs in a transaction.
  @inline(__always)
  func committing<Result>(
    _ updates: (Database) throws -> Result, kind: TransactionKind? = nil
  ) throws -> Result {
    try beginTransaction(kind)
    return try committingRemainder(updates)
  }

  /// Returns the result of a closure that runs in a savepoint, or in a transaction if none is open.
  func committingSavepoint<Result>(_ updates: (Database) throws -> Result) throws -> Result {
    guard isInsideTransaction else { return try committing(updates) }
    try run("SAVEPOINT grdb")
    return try keeping(updates, in: .savepoint)
  }

  /// Returns the result of a closure that reads one snapshot and cannot write.
  @inline(__always)
  func isolatedRead<Result>(_ value: (Database) throws -> Result) throws -> Result {
    if settings.isReadonly { return try reading(value) }
    return try readOnly { try reading(value) }
  }

  @inline(__always)
  private func reading<Result>(_ value: (Database) throws -> Result) throws -> Result {
    try beginTransaction(.deferred)
    return try keeping(value, in: .read)
  }

  /// Returns the result of a closure that runs in the transaction that has just begun.
  @inline(__always)
  func committingRemainder<Result>(_ updates: (Database) throws -> Result) throws -> Result {
    try keeping(updates, in: .transaction)
  }

  // The result is not stored in an optional, which requires the metadata of its type, and takes as long as a
  // statement.
  @inline(__always)
  private func keeping<Result>(_ updates: (Database) throws -> Result, in scope: Scope) throws -> Result {
    transaction.enterScope()
    defer { transaction.leaveScope(endsTransaction: scope != .savepoint) }
    let result: Result
    do {
      result = try updates(self)
    } catch {
      undo(scope)
      throw error
    }
    try keepOrUndo(scope)
    return result
  }

  private func keepOrUndo(_ scope: Scope) throws {
    do {
      try keep(scope)
    } catch {
      undo(scope)
      throw error
    }
  }

  private func keep(_ scope: Scope) throws {
    guard isInsideTransaction else {
      throw abortedError(transaction.abortCause)
    }
    switch scope {
    case .transaction: try commit()
    case .read: try shielded { try commit() }
    case .savepoint: try run("RELEASE SAVEPOINT grdb")
    }
  }

  private func undoThrowing(_ scope: Scope) throws {
    switch scope {
    case .transaction, .read:
      try rollback()
    case .savepoint:
      try run("ROLLBACK TRANSACTION TO SAVEPOINT grdb")
      try run("RELEASE SAVEPOINT grdb")
    }
  }

  // Called after an error, which is the one to be thrown.
  private func undo(_ scope: Scope) {
    guard isInsideTransaction else { return }
    do {
      try shielded { try undoThrowing(scope) }
    } catch {
      Self.log(error, "Could not roll back a failed transaction")
      // Also for a savepoint: its changes must not be committed with the rest.
      transaction.rollbackDidFail(error)
      performPendingRollback()
    }
  }

  /// Rolls back a transaction whose rollback has failed before. Until it succeeds, no statement begins.
  func performPendingRollback() {
    guard transaction.awaitsRollback else { return }
    do {
      try shielded { try rollback() }
    } catch {
      Self.log(error, "A transaction that could not be rolled back is still open")
    }
  }
}
