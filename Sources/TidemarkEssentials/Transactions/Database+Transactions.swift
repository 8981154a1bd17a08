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
  /// How a transaction ends.
  public enum TransactionCompletion: Sendable {
    /// It is committed.
    case commit

    /// It is rolled back.
    case rollback
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

    /// The transaction of a group of writes, during the first of them. It stays open for the others.
    case group

    /// Another write of the group.
    case follower
  }

  private func run(_ sql: String) throws {
    try preparedStatement(sql: sql).availableStatement().runToEnd(nil)
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

  /// Returns the result of a closure that runs in the transaction that has just begun. The transaction stays open,
  /// unless the closure throws.
  func leavingOpen<Result>(_ updates: (Database) throws -> Result) throws -> Result {
    try keeping(updates, in: .group)
  }

  /// Returns the result of a closure that runs in the savepoint of a write that follows others.
  func keepingFollower<Result>(_ updates: (Database) throws -> Result) throws -> Result {
    try keeping(updates, in: .follower)
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
      try checkInterruption()
      throw abortedError(transaction.abortCause)
    }
    switch scope {
    case .transaction: try commit()
    case .read: try shielded { try commit() }
    case .savepoint: try run("RELEASE SAVEPOINT grdb")
    case .group: break
    case .follower: try keepFollower()
    }
  }

  private func undoThrowing(_ scope: Scope) throws {
    switch scope {
    case .transaction, .read, .group:
      try rollback()
    case .follower:
      try undoFollower()
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
