import Foundation
import Testing
import Tidemark

/// A suspended database takes no lock, and works as before after it is resumed.
@Suite(.serialized) struct SuspensionTests {
  let folder: TemporaryFolder
  let pool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool { $0.observesSuspensionNotifications = true }
  }

  private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: nil) }

  @Test func suspensionRefusesWritesAndAllowsReads() throws {
    try pool.write { try $0.insert(1) }
    post(Database.suspendNotification)
    defer { post(Database.resumeNotification) }
    let error = #expect(throws: DatabaseError.self) { try pool.write { try $0.insert(2) } }
    #expect(
      error?.description == "SQLite error 4: Database is suspended - while executing `BEGIN IMMEDIATE TRANSACTION`")
    #expect(throws: DatabaseError.self) { try pool.writeWithoutTransaction { try $0.insert(2) } }
    #expect(try pool.read { try $0.numbers() } == [1])
    post(Database.resumeNotification)
    try pool.write { try $0.insert(3) }
    #expect(try pool.read { try $0.numbers() } == [1, 3])
  }

  @Test func suspensionRollsBackOpenTransactions() throws {
    #expect(throws: DatabaseError.self) {
      try pool.write { db in
        try db.insert(1)
        post(Database.suspendNotification)
        try db.insert(2)
      }
    }
    post(Database.resumeNotification)
    #expect(try pool.read { try $0.numbers() } == [])
    let other = try folder.pool { $0.busyMode = .immediateError }
    try other.write { try $0.insert(3) }
  }

  @Test func suspensionRefusesReadsWithoutAWriteAheadLog() throws {
    let path = folder.path("rollback")
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try other.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    configuration.observesSuspensionNotifications = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    post(Database.suspendNotification)
    defer { post(Database.resumeNotification) }
    let error = #expect(throws: DatabaseError.self) { try queue.read { _ in } }
    #expect(
      error?.description == "SQLite error 4: Database is suspended - while executing `BEGIN DEFERRED TRANSACTION`")
    try queue.inDatabase { db in
      #expect(throws: DatabaseError.self) { try Row.fetchCursor(db, sql: "SELECT * FROM t").next() }
      // It would wait for a reader.
      try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    post(Database.resumeNotification)
    #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1])
  }

  @Test func suspensionAllowsTheEndOfATransaction() throws {
    try pool.write { db in
      try db.insert(1)
      post(Database.suspendNotification)
    }
    #expect(try pool.read { try $0.numbers() } == [1])
    post(Database.resumeNotification)
  }

  @Test func unobservedDatabasesAreNotSuspended() throws {
    let other = try folder.pool()
    post(Database.suspendNotification)
    defer { post(Database.resumeNotification) }
    try other.write { try $0.insert(1) }
    #expect(try other.read { try $0.numbers() } == [1])
  }
}
