import Testing
import Tidemark

/// A transaction that the program has begun explicitly, and that SQLite has ended by itself.
@Suite struct DeadTransactionTests {
  private func makeQueue() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book VALUES (1, 'first', NULL)") }
    return dbQueue
  }

  /// Makes SQLite end the transaction.
  private func kill(_ db: Database) throws {
    #expect(throws: DatabaseError.self) {
      try db.execute(sql: "INSERT OR ROLLBACK INTO book VALUES (1, 'again', NULL)")
    }
    #expect(!db.isInsideTransaction)
  }

  @Test func deadManualTransactionsRefuseStatements() throws {
    let dbQueue = try makeQueue()
    try dbQueue.inDatabase { db throws in
      try db.beginTransaction()
      try db.execute(sql: "INSERT INTO book (title) VALUES ('second')")
      try kill(db)
      // Without the check, each of these would be committed by itself.
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO book (title) VALUES ('third')")
      }
      #expect(error?.resultCode == .SQLITE_ABORT)
      #expect((error?.cause as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT)
      #expect(throws: DatabaseError.self) { try db.commit() }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "SAVEPOINT s") }
    }
    // The next access is not affected.
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('fourth')") }
    #expect(try dbQueue.read { try $0.titles() } == ["first", "fourth"])
  }

  /// The ways to acknowledge the end of the transaction.
  @Test(arguments: ["rollback()", "ROLLBACK", "BEGIN", "inTransaction"])
  func acknowledgedRollbacksAllowStatements(_ sign: String) throws {
    try makeQueue().inDatabase { db throws in
      try db.beginTransaction()
      try kill(db)
      switch sign {
      case "rollback()": try db.rollback()
      case "ROLLBACK":
        // There is nothing to roll back any more.
        #expect(throws: DatabaseError.self) { try db.execute(sql: sign) }
      case "BEGIN":
        try db.execute(sql: sign)
        try db.commit()
      default: try db.inTransaction { .commit }
      }
      try db.execute(sql: "INSERT INTO book (title) VALUES ('second')")
      #expect(try db.titles() == ["first", "second"])
    }
  }

  @Test func savepointsDoNotReviveADeadTransaction() throws {
    try makeQueue().inDatabase { db throws in
      try db.beginTransaction()
      #expect(throws: DatabaseError.self) {
        try db.inSavepoint {
          try kill(db)
          return .commit
        }
      }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO book (title) VALUES ('second')") }
      try db.rollback()
      #expect(try db.titles() == ["first"])
    }
  }

  @Test func endingADeadTransactionThrowsItsCause() throws {
    let error = #expect(throws: DatabaseError.self) {
      try makeQueue().write { try kill($0) }
    }
    #expect(error?.description == "SQLite error 4: Transaction was aborted")
    #expect((error?.cause as? DatabaseError)?.message == "UNIQUE constraint failed: book.id")
  }
}
