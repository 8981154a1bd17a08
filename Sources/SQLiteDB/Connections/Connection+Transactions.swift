public import Foundation
import Tidemark

extension Connection {
  /// Runs a closure in a transaction, which commits all its changes, or none if it throws.
  ///
  /// ```swift
  /// try db.transaction {
  ///   try db.run(alice.update(balance -= amount))
  ///   try db.run(betty.update(balance += amount))
  /// }
  /// ```
  ///
  /// Other threads wait until the transaction has ended. A nested transaction is an error: use `savepoint(_:block:)`.
  ///
  /// - Parameters:
  ///   - mode: The mode of the transaction.
  ///   - block: The closure.
  /// - Throws: The error of the closure; a ``Result`` if the transaction cannot begin or commit.
  public func transaction(_ mode: TransactionMode = .deferred, block: () throws -> Void) throws {
    try perform { try $0.transacting(mode.kind, block) }
  }

  /// Runs a closure in a transaction, and returns its result.
  ///
  /// ```swift
  /// let id = try db.transaction {
  ///   return try db.run(users.insert(email <- "alice@mac.com"))
  /// }
  /// ```
  ///
  /// A closure of one expression needs `return`, or a result of a declared type. Otherwise, it is treated as a closure
  /// without result.
  ///
  /// - Parameters:
  ///   - mode: The mode of the transaction.
  ///   - block: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a ``Result`` if the transaction cannot begin or commit.
  @_disfavoredOverload
  @discardableResult
  public func transaction<T>(_ mode: TransactionMode = .deferred, block: () throws -> T) throws -> T {
    try perform { try $0.transacting(mode.kind, block) }
  }

  /// Runs a closure in a transaction. The task is suspended while it waits, without blocking a thread.
  ///
  /// ```swift
  /// let id = try await db.transaction { db in
  ///   try db.run(users.insert(email <- "alice@mac.com"))
  /// }
  /// ```
  ///
  /// If the task is cancelled, the transaction is rolled back.
  ///
  /// - Parameters:
  ///   - mode: The mode of the transaction.
  ///   - block: The closure, called with this connection.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a ``Result`` if the transaction cannot begin or commit.
  @discardableResult
  public func transaction<T: Sendable>(
    _ mode: TransactionMode = .deferred, block: @escaping @Sendable (Connection) throws -> T
  ) async throws -> T {
    do {
      return try await writer.writeWithoutTransaction { db in
        try db.transacting(mode.kind) { try block(self) }
      }
    } catch let error as DatabaseError {
      throw Result(error, usesExtendedCodes: usesExtendedErrorCodes, statement: nil)
    }
  }

  /// Runs a closure in a savepoint. Without a transaction, the savepoint begins one.
  ///
  /// ```swift
  /// try db.transaction {
  ///   try db.savepoint {
  ///     try db.run(users.insert(email <- "alice@mac.com"))
  ///   }
  /// }
  /// ```
  ///
  /// If the closure throws, only the changes since the beginning of the savepoint are rolled back.
  ///
  /// - Parameters:
  ///   - name: The name of the savepoint in SQL.
  ///   - block: The closure.
  /// - Throws: The error of the closure; a ``Result`` if the savepoint cannot begin or end.
  public func savepoint(_ name: String = UUID().uuidString, block: () throws -> Void) throws {
    try perform { try $0.savingPoint(name.quote("'"), block) }
  }

  /// Runs a closure in a savepoint, and returns its result.
  ///
  /// ```swift
  /// let id = try db.savepoint {
  ///   return try db.run(users.insert(email <- "alice@mac.com"))
  /// }
  /// ```
  ///
  /// A closure of one expression needs `return`, or a result of a declared type. Otherwise, it is treated as a closure
  /// without result.
  ///
  /// - Parameters:
  ///   - name: The name of the savepoint in SQL.
  ///   - block: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; a ``Result`` if the savepoint cannot begin or end.
  @_disfavoredOverload
  @discardableResult
  public func savepoint<T>(_ name: String = UUID().uuidString, block: () throws -> T) throws -> T {
    try perform { try $0.savingPoint(name.quote("'"), block) }
  }
}

extension Connection.TransactionMode {
  fileprivate var kind: Database.TransactionKind {
    switch self {
    case .deferred: .deferred
    case .immediate: .immediate
    case .exclusive: .exclusive
    }
  }
}

extension Database {
  fileprivate func transacting<T>(_ kind: TransactionKind, _ body: () throws -> T) throws -> T {
    var result: T?
    try inTransaction(kind) {
      result = try body()
      return .commit
    }
    guard let result else { preconditionFailure("A transaction committed without running its closure") }
    return result
  }

  fileprivate func savingPoint<T>(_ name: String, _ body: () throws -> T) throws -> T {
    try execute(sql: "SAVEPOINT \(name)")
    do {
      let result = try body()
      try execute(sql: "RELEASE SAVEPOINT \(name)")
      return result
    } catch {
      undoSavepoint(name)
      throw error
    }
  }

  /// Rolls back a savepoint and ends it. The caller throws an earlier error.
  fileprivate func undoSavepoint(_ name: String) {
    // SQLite may have rolled back the whole transaction.
    guard isInsideTransaction else { return }
    do {
      try execute(sql: "ROLLBACK TO SAVEPOINT \(name)")
      try execute(sql: "RELEASE \(name)")
    } catch {
      Self.report(error, "Could not roll back a savepoint")
    }
  }
}
