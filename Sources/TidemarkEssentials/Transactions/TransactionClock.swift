public import FoundationEssentials

/// Returns the dates of transactions.
///
/// ```swift
/// var config = Configuration()
/// config.transactionClock = .custom { _ in Date(timeIntervalSince1970: 0) }
/// ```
///
/// See ``Database/transactionDate``.
public protocol TransactionClock: Sendable {
  /// Returns the date. Called once per transaction, when it begins, and for each use outside of transactions.
  func now(_ db: Database) throws -> Date
}

/// The system's clock.
public struct DefaultTransactionClock: TransactionClock {
  /// The current date.
  public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock that calls a closure.
public struct CustomTransactionClock: TransactionClock {
  private let date: @Sendable (Database) throws -> Date

  /// Creates a clock that calls a closure.
  public init(_ now: @escaping @Sendable (Database) throws -> Date) {
    date = now
  }

  /// Returns the result of the closure.
  public func now(_ db: Database) throws -> Date { try date(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
  /// The system's clock.
  public static var `default`: Self { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
  /// A clock that calls a closure.
  public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self {
    CustomTransactionClock(now)
  }
}

extension Database {
  /// The date of the transaction: the same from its beginning to its end. Outside of a transaction, the current date.
  ///
  /// ```swift
  /// try dbQueue.write { db in
  ///   try db.execute(sql: "INSERT INTO book (title, addedAt) VALUES (?, ?)", arguments: ["Dune", db.transactionDate])
  /// }
  /// ```
  ///
  /// - Throws: The error of a custom clock.
  public var transactionDate: Date {
    get throws {
      preconditionAccess()
      let moduleState: TransactionDateState = moduleState()
      if isInsideTransaction {
        if let time = transactionWork.systemTimeOfBegin { return Date(timeIntervalSinceReferenceDate: time) }
        if let date = moduleState.date { return try date.get() }
      }
      return try moduleState.clock.now(self)
    }
  }

  /// Sets the clock for the transactions of this connection.
  func install(_ clock: any TransactionClock) {
    let moduleState: TransactionDateState = moduleState()
    moduleState.clock = clock
    // The date of each transaction is stored, and rarely read: with the system's clock, nothing is
    // retained for it.
    if clock is DefaultTransactionClock {
      transactionWork.didBegin = { $0.transactionWork.systemTimeOfBegin = Date.timeIntervalSinceReferenceDate }
    } else {
      transactionWork.didBegin = { [unowned moduleState] db in
        moduleState.date = Result { try moduleState.clock.now(db) }
      }
    }
  }
}

/// The clock, and the date of the current or most recent transaction.
private final class TransactionDateState: DatabaseModuleState {
  var clock: any TransactionClock = .default
  var date: Result<Date, any Error>?
}
