public import Foundation
import Tidemark

extension Connection {
  /// Runs a closure in a transaction: what it does is kept whole, or, when it throws, undone whole.
  ///
  /// ```swift
  /// try db.transaction {
  ///   try db.run(alice.update(balance -= amount))
  ///   try db.run(betty.update(balance += amount))
  /// }
  /// ```
  ///
  /// Other threads wait until it has ended. A transaction inside another one is an error: see `savepoint(_:block:)`.
  ///
  /// - parameter mode: How the transaction takes its locks.
  /// - parameter block: The closure.
  /// - throws: What the closure throws; a `Result` when the transaction cannot begin or commit.
  public func transaction(_ mode: TransactionMode = .deferred, block: () throws -> Void) throws {
    try perform { try $0.transacting(mode.kind, block) }
  }

  /// Runs a closure in a transaction, and returns what it returns.
  ///
  /// ```swift
  /// let id = try db.transaction {
  ///   return try db.run(users.insert(email <- "alice@mac.com"))
  /// }
  /// ```
  ///
  /// A closure of one expression returns its value only with the word `return`, or where the type of the result is
  /// given: without these, it is one that returns nothing.
  ///
  /// - parameter mode: How the transaction takes its locks.
  /// - parameter block: The closure.
  /// - returns: What the closure returns.
  /// - throws: What the closure throws; a `Result` when the transaction cannot begin or commit.
  @_disfavoredOverload
  @discardableResult
  public func transaction<T>(_ mode: TransactionMode = .deferred, block: () throws -> T) throws -> T {
    try perform { try $0.transacting(mode.kind, block) }
  }

  /// Runs a closure in a transaction, without a thread that waits for its turn: the task is suspended.
  ///
  /// ```swift
  /// let id = try await db.transaction { db in
  ///   try db.run(users.insert(email <- "alice@mac.com"))
  /// }
  /// ```
  ///
  /// When the task is cancelled, the transaction is undone.
  ///
  /// - parameter mode: How the transaction takes its locks.
  /// - parameter block: The closure, called with this connection.
  /// - returns: What the closure returns.
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

  /// Runs a closure in a savepoint: a transaction inside a transaction, or a transaction where there is none.
  ///
  /// ```swift
  /// try db.transaction {
  ///   try db.savepoint {
  ///     try db.run(users.insert(email <- "alice@mac.com"))
  ///   }
  /// }
  /// ```
  ///
  /// - parameter name: The name that SQLite knows it by.
  /// - parameter block: The closure.
  /// - throws: What the closure throws; a `Result` when the savepoint cannot begin or end.
  public func savepoint(_ name: String = UUID().uuidString, block: () throws -> Void) throws {
    try perform { try $0.savingPoint(name.quote("'"), block) }
  }

  /// Runs a closure in a savepoint, and returns what it returns.
  ///
  /// A closure of one expression returns its value only with the word `return`, or where the type of the result is
  /// given: without these, it is one that returns nothing.
  ///
  /// - parameter name: The name that SQLite knows it by.
  /// - parameter block: The closure.
  /// - returns: What the closure returns.
  /// - throws: What the closure throws; a `Result` when the savepoint cannot begin or end.
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
    guard let result else { preconditionFailure("A transaction was committed without its closure") }
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

  /// Undoes a savepoint and ends it. There is an error already, which is the one to be told.
  fileprivate func undoSavepoint(_ name: String) {
    // SQLite may have undone all of it on its own.
    guard isInsideTransaction else { return }
    do {
      try execute(sql: "ROLLBACK TO SAVEPOINT \(name)")
      try execute(sql: "RELEASE \(name)")
    } catch {
      Self.report(error, "A savepoint could not be undone")
    }
  }
}
