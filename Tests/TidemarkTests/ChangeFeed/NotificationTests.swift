import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Sending notifications: their transactions, rollbacks, and errors.
@Suite struct NotificationTests {
  @Test(arguments: FedDatabase.allCases)
  func `a notification is stored in its place between the changes`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    try database.write { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
      try db.notify(channel: "a", payload: "x")
      try db.execute(sql: "CREATE TABLE t (n)")
      try db.notify(channel: "b")
      try db.execute(sql: "INSERT INTO team VALUES (2, 'Blue')")
    }
    #expect(
      try await database.entries(after: token) == [
        """
        INSERT team [1]: id 1, name "Red"; notification on a: x; CREATE TABLE t (n); notification on b: ; \
        INSERT team [2]: id 2, name "Blue"
        """
      ])
  }

  @Test(arguments: FedDatabase.allCases)
  func `a transaction that only notifies has an entry`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    try database.write { try $0.notify(channel: "a", payload: "1") }
    try database.withoutTransaction { db in
      try db.notify(channel: "a", payload: "2")
      try db.inTransaction(.deferred) {
        try db.notify(channel: "a", payload: "3")
        return .commit
      }
      try db.execute(sql: "SAVEPOINT s")
      try db.notify(channel: "a", payload: "4")
      try db.execute(sql: "RELEASE s")
    }
    try await database.writer.notify(channel: "a", payload: "5")
    #expect(try await database.entries(after: token) == (1...5).map { "notification on a: \($0)" })
  }

  @Test func `a notification outside of a transaction is a transaction of its own`() throws {
    let database = try FedDatabase.pool.open()
    try database.withoutTransaction { db in
      try db.notify(channel: "a")
      #expect(!db.isInsideTransaction)
    }
  }

  // MARK: - Rollbacks

  @Test(arguments: FedDatabase.allCases)
  func `a notification of a transaction that is rolled back is not stored`(_ kind: FedDatabase) throws {
    let database = try kind.open()
    let token = try database.token
    try database.withoutTransaction { db in
      try db.inTransaction {
        try db.notify(channel: "a")
        return .rollback
      }
    }
    #expect(try database.token == token)
  }

  @Test func `a notification of a savepoint that is rolled back is not stored`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.write { db in
      try db.notify(channel: "a", payload: "before")
      try db.inSavepoint {
        try db.notify(channel: "a", payload: "undone")
        return .rollback
      }
      try db.execute(sql: "SAVEPOINT s")
      try db.notify(channel: "a", payload: "undone, too")
      try db.execute(sql: "ROLLBACK TO s; RELEASE s")
      try db.notify(channel: "a", payload: "after")
    }
    #expect(
      try await database.entries(after: token) == ["notification on a: before; notification on a: after"])
  }

  @Test func `the next transaction does not contain the notifications of a failed one`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    #expect(throws: DatabaseError.self) {
      try database.write { db in
        try db.notify(channel: "a", payload: "failed")
        try db.execute(sql: "INSERT INTO nothing VALUES (1)")
      }
    }
    try database.write { try $0.notify(channel: "a", payload: "next") }
    #expect(try await database.entries(after: token) == ["notification on a: next"])
  }

  /// Executes a statement that rolls back the transaction.
  private func rollBack(_ db: Database) {
    #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT OR ROLLBACK INTO team VALUES (1, 'Red')") }
  }

  @Test func `a notification is refused after SQLite has rolled back the transaction`() throws {
    let database = try FedDatabase.pool.open()
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    let token = try database.token
    try database.withoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      rollBack(db)
      let error = #expect(throws: DatabaseError.self) { try db.notify(channel: "a") }
      #expect(error?.resultCode == .SQLITE_ABORT)
      try db.rollback()
    }
    #expect(try database.token == token)
  }

  @Test func `a notification is refused after SQLite has rolled back the transaction of a closure`() throws {
    let database = try FedDatabase.pool.open()
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    let token = try database.token
    let error = #expect(throws: DatabaseError.self) {
      try database.write { db in
        rollBack(db)
        try db.notify(channel: "a")
      }
    }
    #expect(error?.resultCode == .SQLITE_ABORT)
    #expect(try database.token == token)
  }

  @Test func `a notification is stored once if the commit is repeated`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.withoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      let cursor = try Row.fetchCursor(db, sql: "INSERT INTO team VALUES (1, 'a'), (2, 'b') RETURNING id")
      _ = try cursor.next()
      try db.notify(channel: "a", payload: "before")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
      while try cursor.next() != nil {}
      try db.notify(channel: "a", payload: "after")
      try db.execute(sql: "COMMIT")
    }
    let stored = try await database.writer.changes(after: token).take(1)
    #expect(
      stored[0].changes.elements.suffix(2).map(\.description) == [
        "notification on a: before", "notification on a: after",
      ])
    #expect(try database.token == stored[0].token)
  }

  // MARK: - Refusals

  @Test func `a database without a feed cannot notify`() async throws {
    let queue = try DatabaseQueue()
    #expect(throws: ChangeFeedError.notEnabled) { try queue.inDatabase { try $0.notify(channel: "a") } }
    await #expect(throws: ChangeFeedError.notEnabled) { try await queue.notify(channel: "a") }
    await #expect(throws: ChangeFeedError.notEnabled) { try await queue.notifications(channel: "a") }
  }

  @Test(arguments: FedDatabase.allCases)
  func `a read cannot notify`(_ kind: FedDatabase) throws {
    let database = try kind.open()
    let error = #expect(throws: DatabaseError.self) { try database.read { try $0.notify(channel: "a") } }
    #expect(error?.resultCode == .SQLITE_READONLY)
  }

  @Test func `a function of a running statement cannot notify`() throws {
    let database = try FedDatabase.queue.open()
    let token = try database.token
    let error = #expect(throws: DatabaseError.self) {
      try database.write { db in
        nonisolated(unsafe) let connection = db
        db.add(
          function: DatabaseFunction("tell", argumentCount: 0) { _ in
            try connection.notify(channel: "a")
            return nil
          })
        try db.execute(sql: "INSERT INTO team SELECT 1, tell()")
      }
    }
    #expect(error?.message?.contains("notify cannot be called while a statement runs") == true)
    #expect(try database.token == token)
  }

  @Test func `an observer cannot notify in its commit`() throws {
    final class Observer: TransactionObserver {
      var error: (any Error)?
      weak var db: Database?

      func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseDidCommit(_ db: Database) {}
      func databaseDidRollback(_ db: Database) {}
      func databaseWillCommit() throws { try db?.notify(channel: "a") }
    }
    let database = try FedDatabase.queue.open()
    let observer = Observer()
    let error = #expect(throws: DatabaseError.self) {
      try database.write { db in
        observer.db = db
        db.add(transactionObserver: observer)
        try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
      }
    }
    #expect(error?.resultCode == .SQLITE_MISUSE)
  }

  // MARK: - The connection

  @Test func `a notification leaves the number of changed rows and the last row ID`() throws {
    let database = try FedDatabase.pool.open()
    try database.write { db in
      try db.execute(sql: "INSERT INTO team VALUES (7, 'Red')")
      let total = db.totalChangesCount
      try db.notify(channel: "a")
      #expect(db.changesCount == 1 && db.totalChangesCount == total && db.lastInsertedRowID == 7)
    }
  }

  @Test func `a notification creates the feed again if another connection has removed it`() async throws {
    let database = try FedDatabase.pool.open()
    try DatabaseQueue(path: database.folder.path("db")).inDatabase { try $0.removeChangeFeed() }
    try database.write { try $0.notify(channel: "a", payload: "x") }
    let entries = try await database.writer.changes(after: nil).take(2).map(\.changes.summary)
    #expect(entries == ["incomplete: unknown", "notification on a: x"])
  }

  @Test func `a notification without the write lock is an error`() throws {
    let database = try FedDatabase.pool.open()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: database.folder.path("db"), configuration: configuration)
    try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let error = #expect(throws: DatabaseError.self) {
      try database.withoutTransaction { db in
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        try db.inTransaction(.deferred) {
          try db.notify(channel: "a")
          return .commit
        }
      }
    }
    #expect(error?.resultCode == .SQLITE_BUSY)
    try other.inDatabase { try $0.rollback() }
  }
}
