import Foundation
import Testing
import Tidemark

/// The date of a transaction.
@Suite struct TransactionDateTests {
  /// A queue whose clock returns 1, 2, 3… seconds, one after the other.
  private func makeQueue() throws -> (DatabaseQueue, count: Locked<Int>) {
    let count = Locked(0)
    var configuration = Configuration()
    configuration.transactionClock = .custom { _ in
      Date(
        timeIntervalSince1970: Double(
          count.update {
            $0 += 1; return $0
          }))
    }
    configuration.allowsUnsafeTransactions = true
    let dbQueue = try DatabaseQueue(configuration: configuration)
    count.update { $0 = 0 }
    return (dbQueue, count)
  }

  static let beginnings: [@Sendable (Database, () throws -> Void) throws -> Void] = [
    { db, body in
      try db.inTransaction {
        try body(); return .commit
      }
    },
    { db, body in
      try db.inTransaction(.deferred) {
        try body(); return .rollback
      }
    },
    { db, body in
      try db.inSavepoint {
        try body(); return .commit
      }
    },
    { db, body in
      try db.execute(sql: "BEGIN"); try body(); try db.execute(sql: "COMMIT")
    },
    { db, body in
      try db.execute(sql: "SAVEPOINT mine"); try body(); try db.execute(sql: "RELEASE mine")
    },
    { db, body in
      try db.execute(sql: "BEGIN; SELECT 1; SAVEPOINT mine"); try body(); try db.execute(sql: "END")
    },
    { db, body in
      _ = try Row.fetchAll(db, sql: "BEGIN"); try body(); _ = try Row.fetchAll(db, sql: "COMMIT")
    },
  ]

  @Test(arguments: beginnings.indices)
  func dateIsThatOfTheTransactionStart(_ index: Int) throws {
    let (dbQueue, count) = try makeQueue()
    try dbQueue.inDatabase { db throws in
      for number in 1...2 {
        try Self.beginnings[index](db) {
          // The clock was read when the transaction began, not now.
          #expect(count.value == number)
          let date = try db.transactionDate
          #expect(date.timeIntervalSince1970 == Double(number))
          try db.inSavepoint { () throws in
            #expect(try db.transactionDate == date)
            return .rollback
          }
          #expect(try db.transactionDate == date)
        }
      }
      #expect(count.value == 2)
      #expect(try db.transactionDate.timeIntervalSince1970 == 3)
      #expect(try db.transactionDate.timeIntervalSince1970 == 4)
    }
  }

  @Test func transactionsAfterADeadOneHaveTheirOwnDate() throws {
    let (dbQueue, _) = try makeQueue()
    try dbQueue.inDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (a UNIQUE); BEGIN")
      #expect(try db.transactionDate.timeIntervalSince1970 == 1)
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1), (1)") }
      try db.execute(sql: "BEGIN")
      #expect(try db.transactionDate.timeIntervalSince1970 == 2)
      try db.rollback()
    }
  }

  @Test func clockErrorsAreThrownOnAccess() throws {
    var configuration = Configuration()
    configuration.transactionClock = .custom { _ in throw Planned() }
    try DatabaseQueue(configuration: configuration).write { db throws in
      _ = #expect(throws: Planned()) { try db.transactionDate }
    }
  }

  @Test func clocksCanUseTheDatabase() throws {
    var configuration = Configuration()
    configuration.transactionClock = .custom { db in
      Date(timeIntervalSince1970: try Double.fetchOne(db, sql: "SELECT 12.0") ?? 0)
    }
    try DatabaseQueue(configuration: configuration).write { db throws in
      #expect(try db.transactionDate.timeIntervalSince1970 == 12)
    }
  }

  @Test func systemClockIsTheDefault() throws {
    let before = Date()
    let date = try DatabaseQueue().write { try $0.transactionDate }
    #expect((before...Date()).contains(date))
  }

  @Test func aCustomClockCanUseTheSystemClock() throws {
    var configuration = Configuration()
    configuration.transactionClock = .custom { db in
      let clock: DefaultTransactionClock = .default
      return try clock.now(db).addingTimeInterval(1_000_000)
    }
    let before = Date()
    let date = try DatabaseQueue(configuration: configuration).write { try $0.transactionDate }
    #expect((before...Date()).contains(date.addingTimeInterval(-1_000_000)))
  }
}
