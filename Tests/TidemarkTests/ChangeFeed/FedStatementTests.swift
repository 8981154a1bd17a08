import CSQLite
import Foundation
import Testing
import Tidemark

/// Statements that write outside of a transaction while their changes are stored, and that fail or end early.
@Suite struct FedStatementTests {
  private static let insertion = "INSERT INTO team VALUES (1, 'Red'), (2, 'Blue') RETURNING id"

  private func ids(_ database: FedDatabase.Opened) throws -> [Int] {
    try database.read { try Int.fetchAll($0, sql: "SELECT id FROM team ORDER BY id") }
  }

  @Test func `a statement that is interrupted between its rows is rolled back`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.withoutTransaction { db in
      let rows = try Row.fetchCursor(db, sql: Self.insertion)
      #expect(try rows.next() == ["id": 1])
      sqlite3_interrupt(db.sqliteConnection)
      let error = #expect(throws: DatabaseError.self) { try rows.next() }
      #expect(error?.resultCode == .SQLITE_INTERRUPT)
      #expect(!db.isInsideTransaction)
    }
    #expect(try ids(database) == [])
    try database.execute("INSERT INTO team VALUES (3, 'Green')")
    #expect(try await database.entries(after: token) == ["INSERT team [3]: id 3, name \"Green\""])
  }

  @Test func `a statement whose transaction the program has rolled back stores nothing`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.withoutTransaction { db in
      var rows: RowCursor? = try Row.fetchCursor(db, sql: Self.insertion)
      #expect(try rows?.next() == ["id": 1])
      #expect(sqlite3_exec(db.sqliteConnection, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
      rows = nil
      #expect(!db.isInsideTransaction)
    }
    #expect(try ids(database) == [])
    #expect(try database.token == token)
  }

  /// Refuses all commits.
  private final class Refusing: TransactionObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw PlannedRefusal() }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }

  @Test func `a refused statement throws the error of the observer`() throws {
    let database = try FedDatabase.pool.open()
    let observer = Refusing()
    database.writer.add(transactionObserver: observer)
    #expect(throws: PlannedRefusal.self) {
      try database.withoutTransaction { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    }
    #expect(try ids(database) == [])
  }

  @Test func `a statement that ends before its last row is rolled back if an observer refuses it`() throws {
    let database = try FedDatabase.pool.open()
    let observer = Refusing()
    database.writer.add(transactionObserver: observer)
    let refusal = database.withoutTransactionOrError { db in
      let first = try Int.fetchOne(db, sql: Self.insertion)
      #expect(first == 1)
      #expect(!db.isInsideTransaction)
    }
    #expect(refusal == nil || refusal is PlannedRefusal)
    #expect(try ids(database) == [])
  }
}

extension FedDatabase.Opened {
  /// The error of an access.
  fileprivate func withoutTransactionOrError(_ body: (Database) throws -> Void) -> (any Error)? {
    do {
      try withoutTransaction(body)
      return nil
    } catch {
      return error
    }
  }
}
