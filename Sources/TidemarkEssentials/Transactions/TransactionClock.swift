public import FoundationEssentials

/// Tells the date of transactions.
///
/// ```swift
/// var config = Configuration()
/// config.transactionClock = .custom { _ in Date(timeIntervalSince1970: 0) }
/// ```
///
/// See `Database.transactionDate`.
public protocol TransactionClock: Sendable {
  /// The date. It is asked for once per transaction, when it begins, and each time somebody wants it outside of one.
  func now(_ db: Database) throws -> Date
}

/// The clock of the system.
public struct DefaultTransactionClock: TransactionClock {
  /// The current date.
  public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock that asks a closure.
public struct CustomTransactionClock: TransactionClock {
  private let date: @Sendable (Database) throws -> Date

  /// A clock that asks a closure.
  public init(_ now: @escaping @Sendable (Database) throws -> Date) {
    date = now
  }

  /// What the closure says.
  public func now(_ db: Database) throws -> Date { try date(db) }
}

extension TransactionClock where Self == DefaultTransactionClock {
  /// The clock of the system.
  public static var `default`: Self { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
  /// A clock that asks a closure.
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
  /// - throws: The error of a custom clock.
  public var transactionDate: Date {
    get throws {
      preconditionAccess()
      let part: TransactionDatePart = part()
      if isInsideTransaction {
        if let time = systemTimeOfTransaction { return Date(timeIntervalSinceReferenceDate: time) }
        if let date = part.date { return try date.get() }
      }
      return try part.clock.now(self)
    }
  }

  /// Has a clock tell the dates of the transactions of this connection.
  func install(_ clock: any TransactionClock) {
    let part: TransactionDatePart = part()
    part.clock = clock
    // Of each transaction the date is noted, and few ask for it: where the clock is that of the system, nothing is
    // retained for it.
    if clock is DefaultTransactionClock {
      didBeginTransaction = { $0.systemTimeOfTransaction = Date.timeIntervalSinceReferenceDate }
    } else {
      didBeginTransaction = { [unowned part] db in part.date = Result { try part.clock.now(db) } }
    }
  }
}

/// The clock, and the date of the transaction that is open, or that was the last to be.
private final class TransactionDatePart: DatabasePart {
  var clock: any TransactionClock = .default
  @exclusivity(unchecked) var date: Result<Date, any Error>?
}
