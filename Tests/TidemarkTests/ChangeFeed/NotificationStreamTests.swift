import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Receiving notifications.
@Suite(.untilItHangs) struct NotificationStreamTests {
  /// Sends notifications on a channel, in one transaction.
  private func send(_ payloads: [String], on channel: String = "a", in database: FedDatabase.Opened) throws {
    try database.write { db in
      for payload in payloads { try db.notify(channel: channel, payload: payload) }
    }
  }

  @Test(arguments: FedDatabase.allCases)
  func `a notification has its channel, its payload and the token of its transaction`(_ kind: FedDatabase) async throws
  {
    let database = try kind.open()
    let notifications = try await database.writer.notifications(channel: "a")
    async let received = notifications.take(1)
    try send(["x"], in: database)
    let notification = try #require(try await received.first)
    #expect(notification.channel == "a" && notification.payload == "x" && !notification.isContinued)
    #expect(try notification.token == database.token)
    #expect(abs(notification.date.timeIntervalSinceNow) < 86_400)
  }

  @Test func `notifications are delivered from now on`() async throws {
    let database = try FedDatabase.pool.open()
    try send(["before"], in: database)
    let notifications = try await database.writer.notifications(channel: "a")
    try send(["after"], in: database)
    #expect(try await notifications.take(1).map(\.payload) == ["after"])
  }

  @Test(arguments: FedDatabase.shared)
  func `notifications of several connections are delivered in the order of their commits`(_ kind: FedDatabase)
    async throws
  {
    let first = try kind.open()
    let second = try kind.open(in: first.folder)
    let notifications = try await first.writer.notifications(channel: "a")
    for number in 1...5 {
      try send(["first \(number)"], in: first)
      try send(["second \(number)"], in: second)
    }
    #expect(
      try await notifications.take(10).map(\.payload) == (1...5).flatMap { ["first \($0)", "second \($0)"] })
  }

  @Test(arguments: FedDatabase.shared)
  func `a waiting receiver is woken by another connection`(_ kind: FedDatabase) async throws {
    let first = try kind.open()
    let second = try kind.open(in: first.folder)
    let notifications = try await first.writer.notifications(channel: "a")
    async let received = notifications.take(1)
    try send(["x"], in: second)
    #expect(try await received.map(\.payload) == ["x"])
  }

  @Test func `other channels, changes and unknown transactions are passed over`() async throws {
    let database = try FedDatabase.pool.open()
    let notifications = try await database.writer.notifications(channel: "é")
    try send(["other"], on: "b", in: database)
    // Canonically equivalent, and another channel.
    try send(["decomposed"], on: "e\u{301}", in: database)
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    try database.strangerExecutes("INSERT INTO team VALUES (2, 'Blue')")
    try send(["x"], on: "é", in: database)
    #expect(try await notifications.take(1).map(\.payload) == ["x"])
  }

  @Test func `each receiver receives each notification`() async throws {
    let database = try FedDatabase.pool.open()
    let receivers = [
      try await database.writer.notifications(channel: "a"), try await database.writer.notifications(channel: "a"),
    ]
    try send(["x", "y"], in: database)
    for receiver in receivers { #expect(try await receiver.take(2).map(\.payload) == ["x", "y"]) }
  }

  @Test func `a connection without the feed receives notifications of others`() async throws {
    let database = try FedDatabase.pool.open()
    let other = try DatabasePool(path: database.folder.path("db"))
    let notifications = try await other.notifications(channel: "a")
    try send(["x"], in: database)
    #expect(try await notifications.take(1).map(\.payload) == ["x"])
  }

  // MARK: - Positions

  @Test func `a token continues after its transaction`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try send(["1", "2", "3"], in: database)
    try send(["4"], in: database)
    let all = try await database.writer.notifications(channel: "a", after: token).take(4)
    #expect(all.map(\.payload) == ["1", "2", "3", "4"])
    #expect(all.map(\.isContinued) == [true, true, false, false])
    #expect(all[0].token == all[2].token)
    for notification in all[0...2] {
      let rest = try await database.writer.notifications(channel: "a", after: notification.token).take(1)
      #expect(rest == [all[3]])
    }
  }

  @Test func `without a token, the oldest kept notification is the first one`() async throws {
    let database = try FedDatabase.pool.open()
    try send(["1"], in: database)
    #expect(try await database.writer.notifications(channel: "a", after: nil).take(1).map(\.payload) == ["1"])
  }

  @Test func `a named consumer receives what it has not acknowledged`() async throws {
    let database = try FedDatabase.pool.open()
    let writer = database.writer
    await #expect(throws: ChangeFeedError.unknownConsumer("mailer")) {
      try await writer.notifications(channel: "a", for: "mailer")
    }
    try await writer.write { db in try db.acknowledge(db.changeToken(), by: "mailer") }
    try send(["1", "2"], in: database)
    try send(["3"], in: database)
    let received = try await writer.notifications(channel: "a", for: "mailer").take(3)
    #expect(received.map(\.payload) == ["1", "2", "3"])
    try await writer.write { try $0.acknowledge(received[1].token, by: "mailer") }
    #expect(try await writer.notifications(channel: "a", for: "mailer").take(1) == [received[2]])
  }

  @Test func `a position that is too old has expired`() async throws {
    let database = try FedDatabase.pool.open(ChangeFeedConfiguration(keptByteCount: 0))
    let token = try database.token
    for number in 1...200 { try send(["\(number)"], in: database) }
    await #expect(throws: ChangeFeedError.self) { try await database.writer.notifications(channel: "a", after: token) }
  }

  // MARK: - Ends

  @Test func `the sequence ends with an error when the database is closed`() async throws {
    let database = try FedDatabase.pool.open()
    let notifications = try await database.writer.notifications(channel: "a")
    let task = Task { try await notifications.take(1) }
    try database.close()
    await #expect(throws: DatabaseError.self) { try await task.value }
  }

  @Test func `a cancelled iteration ends, and another one continues`() async throws {
    let database = try FedDatabase.pool.open()
    let notifications = try await database.writer.notifications(channel: "a")
    let task = Task { try await notifications.take(1) }
    task.cancel()
    #expect(try await task.value.isEmpty)
    try send(["1", "2"], in: database)
    #expect(try await notifications.take(1).map(\.payload) == ["1"])
    #expect(try await notifications.take(1).map(\.payload) == ["2"])
  }

  // MARK: - Large transactions

  private func openLarge(fileByteCount: Int = 1_000_000) throws -> FedDatabase.Opened {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    configuration.environment.changeLogBound = ChangeLog.Bound(
      recordCount: 20, segmentRecordCount: 7, segmentByteCount: 500, fileByteCount: fileByteCount)
    let writer = try DatabasePool(path: folder.path("db"), configuration: configuration)
    try writer.write { try $0.createPlayers() }
    return FedDatabase.Opened(folder: folder, writer: writer)
  }

  /// Inserts 50 rows, each with a notification. The rows from number 11 on are rolled back, and inserted again.
  private func insertManyRows(_ db: Database) throws {
    func insert(_ number: Int) throws {
      try db.execute(sql: "INSERT INTO player VALUES (?, ?, ?)", arguments: [number, "name of \(number)", number])
      try db.notify(channel: "a", payload: "\(number)")
    }
    for number in 1...10 { try insert(number) }
    try db.execute(sql: "SAVEPOINT s")
    for number in 11...50 { try insert(number) }
    try db.execute(sql: "ROLLBACK TO s")
    for number in 11...50 { try insert(number) }
  }

  @Test func `notifications of a large transaction have their places in its parts`() async throws {
    let database = try openLarge()
    let token = try database.token
    try database.write(insertManyRows)
    var elements: [String] = []
    for try await entry in try await database.writer.changes(after: token) {
      elements += entry.changes.elements.map { $0.isNotification ? "n" : "r" }
      if !entry.changes.isContinued { break }
    }
    #expect(elements == Array(repeating: ["r", "n"], count: 50).flatMap { $0 })
    let received = try await database.writer.notifications(channel: "a", after: token).take(50)
    #expect(received.map(\.payload) == (1...50).map { "\($0)" })
    #expect(Set(received.map(\.token)).count > 1)
  }

  @Test func `notifications are not lost with rows that could not be stored`() async throws {
    let database = try openLarge(fileByteCount: 1_000)
    let token = try database.token
    try database.write(insertManyRows)
    let received = try await database.writer.notifications(channel: "a", after: token).take(50)
    #expect(received.map(\.payload) == (1...50).map { "\($0)" })
    #expect(try await database.writer.changes(after: token).take(1)[0].changes.completeness == .incomplete(.notStored))
  }
}
