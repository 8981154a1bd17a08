import CSQLite
import Testing
import Tidemark

/// Transactions that fail, or that end before their closure.
@Suite struct TransactionFailureTests {
  static let aborted = "SQLite error 4: Transaction was aborted"

  @Test func firstErrorIsThrown() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    #expect(throws: Planned(number: 1)) {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (title) VALUES ('a')")
        try db.execute(sql: "ROLLBACK")
        throw Planned(number: 1)
      }
    }
    #expect(throws: Planned(number: 2)) {
      try dbQueue.write { db in
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO book (title) VALUES ('a')")
          throw Planned(number: 2)
        }
      }
    }
    #expect(try dbQueue.read { try $0.titles() } == [])
  }

  @Test func failedRollbacksHideNoError() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      #expect(throws: Planned()) {
        try db.inTransaction {
          db.refusesRollback(true)
          throw Planned()
        }
      }
      #expect(db.isInsideTransaction)
      db.refusesRollback(false)
      try db.rollback()
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func failedCommitsAreRolledBack() throws {
    let trace = TraceRecorder()
    let dbQueue = try trace.makeQueue()
    try dbQueue.inDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY);
          CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
          """)
      trace.clear()
      let text = message {
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO child VALUES (1)")
          return .commit
        }
      }
      #expect(text == "SQLite error 19: FOREIGN KEY constraint failed - while executing `COMMIT TRANSACTION`")
      #expect(!db.isInsideTransaction)
      #expect(trace.summary == "BI | INSERT INTO child VALUES (1) | C | R")
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child") == 0)
    }
  }

  @Test func nestedTransactionsRollBackBoth() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let text = message {
      try dbQueue.write { db in
        try db.execute(sql: "INSERT INTO book (title) VALUES ('a')")
        try db.inTransaction { .commit }
      }
    }
    #expect(
      text == """
        SQLite error 1: cannot start a transaction within a transaction - while executing `BEGIN IMMEDIATE TRANSACTION`
        """)
    #expect(try dbQueue.read { try $0.titles() } == [])
  }

  @Test func committingWithoutATransactionThrows() throws {
    try DatabaseQueue().inDatabase { db throws in
      #expect(
        message { try db.commit() }
          == "SQLite error 1: cannot commit - no transaction is active - while executing `COMMIT TRANSACTION`")
      try db.rollback()
    }
  }

  /// The ways to end a transaction inside its closure.
  enum End: String, CaseIterable, Sendable {
    case rollback = "ROLLBACK"
    case commit = "COMMIT"
    case conflict = "INSERT OR ROLLBACK INTO book VALUES (1, 'dup', NULL)"
    case trigger = "INSERT INTO book VALUES (99, 'forbidden', NULL)"
    case method = "rollback()"

    func run(_ db: Database) throws {
      switch self {
      case .rollback, .commit: try db.execute(sql: rawValue)
      case .conflict, .trigger:
        let error = #expect(throws: DatabaseError.self) { try db.execute(sql: rawValue) }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
      case .method: try db.rollback()
      }
    }
  }

  private func makeQueue() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          INSERT INTO book VALUES (1, 'first', NULL);
          CREATE TRIGGER tr BEFORE INSERT ON book WHEN new.title = 'forbidden' BEGIN
            SELECT RAISE(ROLLBACK, 'no');
          END
          """)
    }
    return dbQueue
  }

  @Test(arguments: End.allCases)
  func statementsAfterADeadTransactionAreRefused(_ end: End) throws {
    let dbQueue = try makeQueue()
    try dbQueue.inDatabase { db throws in
      let text = message {
        try db.inTransaction {
          try end.run(db)
          #expect(!db.isInsideTransaction)
          let sql = "INSERT INTO book (title) VALUES (?)"
          let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql, arguments: ["late"]) }
          #expect(error?.description == "\(Self.aborted) - while executing `\(sql)`")
          #expect(error?.arguments == ["late"])
          #expect(
            message { _ = try Int.fetchOne(db, sql: "SELECT 1") } == "\(Self.aborted) - while executing `SELECT 1`")
          #expect(message { try db.inSavepoint { .commit } }.hasPrefix(Self.aborted))
          #expect(message { try db.beginTransaction() }.hasPrefix(Self.aborted))
          return .commit
        }
      }
      #expect(text == Self.aborted)
      #expect(try db.titles() == ["first"])
      // The connection is as usable as before.
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO book (title) VALUES ('next')")
        return .commit
      }
      #expect(try db.titles() == ["first", "next"])
    }
  }

  @Test(arguments: End.allCases)
  func rollingBackAnEndedTransactionSucceeds(_ end: End) throws {
    let trace = TraceRecorder()
    try makeQueue().inDatabase { db throws in
      try db.inTransaction {
        try end.run(db)
        db.trace { trace.append($0.description) }
        return .rollback
      }
      #expect(trace.lines == [])
    }
  }

  @Test(arguments: End.allCases)
  func savepointsEndWithTheirTransaction(_ end: End) throws {
    let dbQueue = try makeQueue()
    let text = message {
      try dbQueue.write { db in
        let inner = message {
          try db.inSavepoint {
            try db.execute(sql: "INSERT INTO book (title) VALUES ('b')")
            try end.run(db)
            return .commit
          }
        }
        #expect(inner == Self.aborted)
      }
    }
    #expect(text == Self.aborted)
    #expect(try dbQueue.read { try $0.titles() } == (end == .commit ? ["b", "first"] : ["first"]))
  }

  @Test func errorThatEndedTheTransactionIsThrown() throws {
    let dbQueue = try makeQueue()
    let error = #expect(throws: DatabaseError.self) {
      try dbQueue.write { try $0.execute(sql: End.conflict.rawValue) }
    }
    #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    #expect(try dbQueue.read { try $0.titles() } == ["first"])
  }

  // MARK: Left open

  @Test func openTransactionsTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DatabaseQueue().inDatabase { try $0.beginTransaction() }
    }
    #expect(result.words.contains("A transaction has been left opened at the end of a database access"))
  }

  @Test func openTransactionsAreRolledBackAfterAnError() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    #expect(throws: Planned()) {
      try dbQueue.inDatabase { db in
        try db.beginTransaction()
        try db.execute(sql: "INSERT INTO book (title) VALUES ('a')")
        throw Planned()
      }
    }
    dbQueue.inDatabase { #expect(!$0.isInsideTransaction) }
    #expect(try dbQueue.read { try $0.titles() } == [])
  }

  @Test func unsafeTransactionsCanStayOpen() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let dbQueue = try DatabaseQueue.withBooks(configuration)
    try dbQueue.inDatabase { db in
      try db.beginTransaction()
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a')")
    }
    try dbQueue.inDatabase { db throws in
      #expect(db.isInsideTransaction)
      try db.commit()
      #expect(!db.isInsideTransaction)
      #expect(try db.titles() == ["a"])
    }
  }

  @Test func isInsideTransactionIsCorrect() throws {
    try DatabaseQueue().inDatabase { db throws in
      #expect(!db.isInsideTransaction)
      try db.inTransaction {
        #expect(db.isInsideTransaction)
        return .commit
      }
      try db.inSavepoint {
        #expect(db.isInsideTransaction)
        return .rollback
      }
      #expect(!db.isInsideTransaction)
      try db.execute(sql: "SAVEPOINT mine")
      #expect(db.isInsideTransaction)
      try db.execute(sql: "RELEASE mine")
      #expect(!db.isInsideTransaction)
    }
  }
}

extension Database {
  /// Makes SQLite reject all ROLLBACK statements of transactions, as no real program can.
  fileprivate func refusesRollback(_ isOn: Bool) {
    // The authorizer is not called for statements that are compiled already.
    releaseMemory()
    guard isOn else {
      sqlite3_set_authorizer(sqliteConnection, nil, nil)
      return
    }
    sqlite3_set_authorizer(
      sqliteConnection,
      { _, action, operation, _, _, _ in
        action == SQLITE_TRANSACTION && operation.map { String(cString: $0) } == "ROLLBACK" ? SQLITE_DENY : SQLITE_OK
      }, nil)
  }
}
