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
  /// - returns: What the closure returns.
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
  /// - returns: What the closure returns.
  @discardableResult
  public func savepoint<T>(_ name: String = UUID().uuidString, block: () throws -> T) throws -> T {
    let name = name.quote("'")
    return try perform { db in
      try db.execute(sql: "SAVEPOINT \(name)")
      let result: T
      do {
        result = try block()
        try db.execute(sql: "RELEASE SAVEPOINT \(name)")
      } catch {
        db.undoSavepoint(name)
        throw error
      }
      return result
    }
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
