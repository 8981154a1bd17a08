import TestSupport
import Testing
import Tidemark

/// Named consumers, and the removal of old entries.
@Suite(.untilItHangs) struct ChangeFeedConsumerTests {
  @Test(arguments: FedDatabase.allCases)
  func `a named consumer continues after what it has acknowledged`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let writer = database.writer
    try await writer.write { db in try db.acknowledge(db.changeToken(), by: "index") }
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    try database.execute("INSERT INTO team VALUES (2, 'Blue')")
    let first = try #require(try await writer.changes(for: "index").take(1).first)
    #expect(first.changes.summary == "INSERT team [1]: id 1, name \"Red\"")
    try await writer.write { try $0.acknowledge(first.token, by: "index") }
    #expect(
      try await writer.changes(for: "index").take(1).map(\.changes.summary) == [
        "INSERT team [2]: id 2, name \"Blue\""
      ])
  }

  @Test func `an acknowledgement that is rolled back has not happened`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try await database.writer.write { try $0.acknowledge(token, by: "index") }
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    let next = try database.token
    try database.withoutTransaction { db in
      try db.inTransaction {
        try db.acknowledge(next, by: "index")
        return .rollback
      }
    }
    #expect(try database.read { try $0.acknowledgedToken(by: "index") } == token)
  }

  @Test func `a transaction cannot be acknowledged twice`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try await database.writer.write { try $0.acknowledge(token, by: "index") }
    #expect(throws: ChangeFeedError.alreadyAcknowledged(token.version)) {
      try database.write { try $0.acknowledge(token, by: "index") }
    }
  }

  /// In a pool, the error said that the database has no change feed.
  @Test(arguments: FedDatabase.allCases)
  func `a read cannot acknowledge`(_ kind: FedDatabase) throws {
    let database = try kind.open()
    let token = try database.token
    for body in [{ try $0.acknowledge(token, by: "a") }, { _ = try $0.removeChangeConsumer("a") }]
      as [(Database) throws -> Void]
    {
      let error = #expect(throws: DatabaseError.self) { try database.read(body) }
      #expect(error?.resultCode == .SQLITE_READONLY)
      #expect(error?.message?.hasSuffix("cannot be called in a read: use a write") == true)
    }
  }

  @Test func `consumers have names`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    await #expect(throws: ChangeFeedError.unknownConsumer("mail")) { try await database.writer.changes(for: "mail") }
    try await database.writer.write { db in
      try db.acknowledge(token, by: "mail")
      try db.acknowledge(token, by: "index")
    }
    #expect(try database.read { try $0.changeConsumers() } == ["index", "mail"])
    #expect(try database.write { try $0.removeChangeConsumer("mail") })
    #expect(try !database.write { try $0.removeChangeConsumer("mail") })
    #expect(try database.read { try $0.changeConsumers() } == ["index"])
  }

  @Test func `an acknowledgement is no unknown transaction, and not delivered`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try await database.writer.write { try $0.acknowledge(token, by: "mail") }
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    #expect(try await database.entries(1, after: token) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  // MARK: - Retention

  @Test func `old entries are removed, and their tokens expire`() async throws {
    let database = try FedDatabase.pool.open(ChangeFeedConfiguration(keptByteCount: 1_000))
    let token = try database.token
    for number in 1...200 { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    let count = try #require(
      try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM tidemark_feed") })
    #expect(count < 100)
    do {
      _ = try await database.writer.changes(after: token)
      Issue.record("no error")
    } catch ChangeFeedError.expired(let oldest) {
      #expect(oldest > token.version)
    }
  }

  @Test func `the feed keeps what a consumer has not acknowledged, up to a limit`() async throws {
    let database = try FedDatabase.pool.open(
      ChangeFeedConfiguration(keptByteCount: 0, unacknowledgedByteCount: 20_000))
    let token = try database.token
    try await database.writer.write { try $0.acknowledge(token, by: "mail") }
    for number in 1...100 { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    #expect(try await database.writer.changes(for: "mail").take(100).count == 100)
    for number in 101...1_000 { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    await #expect(throws: ChangeFeedError.self) { try await database.writer.changes(for: "mail") }
  }

  @Test func `a consumer that is behind never lets the feed keep less`() async throws {
    let database = try FedDatabase.pool.open(
      ChangeFeedConfiguration(keptByteCount: 20_000, unacknowledgedByteCount: 1_000))
    let token = try database.token
    try await database.writer.write { try $0.acknowledge(token, by: "mail") }
    for number in 1...300 { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    let byteCount = try database.read { try Int.fetchOne($0, sql: "SELECT sum(length(changes)) FROM tidemark_feed") }
    #expect(try #require(byteCount) < 20_000, "The test needs fewer bytes than are kept.")
    #expect(try await database.writer.changes(after: token).take(300).count == 300)
  }

  @Test func `a read of the feed that is cancelled throws a cancellation error`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    for number in 1...20 { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    let writer = database.writer
    let tasks = (0..<200).map { number in
      Task {
        try await writer.read { db in
          while true { _ = try db.changeToken() }
        }
      }
    }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(try await writer.changes(after: token).take(20).count == 20)
  }

  @Test func `entries are removed by age`() async throws {
    let database = try FedDatabase.pool.open(ChangeFeedConfiguration(keptByteCount: nil, keptAge: .zero))
    for number in 1...100 { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    let count = try #require(
      try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM tidemark_feed") })
    #expect(count < 40)
  }

  @Test func `a stream that is too slow ends with an error`() async throws {
    let database = try FedDatabase.pool.open(ChangeFeedConfiguration(keptByteCount: 0))
    let stream = try await database.writer.changes(after: database.token)
    for number in 1...100 { try database.execute("INSERT INTO team VALUES (\(number), 'Red')") }
    await #expect(throws: ChangeFeedError.self) { try await stream.take(1) }
  }
}
