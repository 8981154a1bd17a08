import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// What consumers of changes make of notifications.
@Suite(.untilItHangs) struct NotifiedConsumerTests {
  private func insertAndNotify(_ database: FedDatabase.Opened) throws {
    try database.write { db in
      try db.notify(channel: "a", payload: "x")
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
    }
  }

  @Test func `a change stream without regions delivers notifications in their place`() async throws {
    let database = try FedDatabase.pool.open()
    let changes = try await database.writer.changes()
    try database.write { try $0.notify(channel: "a", payload: "alone") }
    try insertAndNotify(database)
    var iterator = changes.makeAsyncIterator()
    #expect(try await iterator.next()?.summary == "notification on a: alone")
    #expect(
      try await iterator.next()?.summary == "notification on a: x; INSERT team [1]: id 1, name \"Red\"")
  }

  @Test func `streams of regions leave notifications out`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    let changes = try await database.writer.changes(in: Table("team"))
    try database.write { try $0.notify(channel: "a", payload: "alone") }
    try insertAndNotify(database)
    let expected = "INSERT team [1]: id 1, name \"Red\""
    var iterator = changes.makeAsyncIterator()
    #expect(try await iterator.next()?.summary == expected)
    #expect(try await database.entries(1, after: token, in: Table("team")) == [expected])
  }

  @Test(arguments: FedDatabase.shared)
  func `a notification of another connection does not wake a live query`(_ kind: FedDatabase) async throws {
    let own = try kind.open()
    let other = try kind.open(in: own.folder)
    let counts = Deliveries<Int?>()
    let cancellable = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") }
      .start(in: own.writer, scheduling: Inline(), onError: { counts.fail($0) }, onChange: { counts.append($0) })
    try counts.wait(forLast: 0)
    // From now on, the position in the feed is known.
    try other.execute("INSERT INTO team VALUES (1, 'Red')")
    try counts.wait(forLast: 1)
    let wakeCount = own.writer.observationMetrics.wakeCount
    for _ in 1...3 { try other.write { try $0.notify(channel: "a") } }
    try own.write { try $0.notify(channel: "a") }
    try other.execute("INSERT INTO team VALUES (2, 'Blue')")
    try counts.wait(forLast: 2)
    #expect(own.writer.observationMetrics.wakeCount == wakeCount + 1)
    cancellable.cancel()
  }

  @Test func `a changeset of transactions contains no notifications`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try insertAndNotify(database)
    let changes = try await database.writer.changes(after: token).take(1).map(\.changes)
    #expect(try Changeset(changes).description == "INSERT team [1]: id 1, name \"Red\"")
  }

  @Test func `a recording contains no notifications, and they are sent`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    let changes = try database.write { db in
      try db.recordingChanges {
        try db.notify(channel: "a", payload: "x")
        try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
      }
    }
    #expect(changes.description == "INSERT team [1]: id 1, name \"Red\"")
    #expect(try await database.writer.notifications(channel: "a", after: token).take(1).map(\.payload) == ["x"])
  }

  @Test func `the bytes of a changeset with a notification are malformed`() {
    let changes = TransactionChanges(
      microsecondsSince1970: 0, elements: [.notification(channel: "a", payload: "x")]
    ).encoded()
    let numbers = TransactionChanges(microsecondsSince1970: 0).encoded()
    let error = #expect(throws: TransactionChanges.DecodingError.self) {
      try Changeset(decoding: [0x81, UInt8(numbers.count)] + numbers + changes)
    }
    #expect(error?.message == "a changeset has no notifications")
  }
}
