import Foundation
import TestSupport
import Testing
import Tidemark

/// Reading the change feed: tokens, following, regions, other connections.
@Suite(.untilItHangs) struct ChangeFeedStreamTests {
  @Test(arguments: FedDatabase.allCases)
  func `a stream delivers stored transactions, and then new ones`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    let stream = try await database.writer.changes(after: token)
    #expect(try await stream.take(1).map(\.changes.summary) == ["INSERT team [1]: id 1, name \"Red\""])
    async let next = stream.take(1)
    try database.execute("INSERT INTO team VALUES (2, 'Blue')")
    #expect(try await next.map(\.changes.summary) == ["INSERT team [2]: id 2, name \"Blue\""])
  }

  @Test(arguments: FedDatabase.shared)
  func `a token continues after the database was closed and opened again`(_ kind: FedDatabase) async throws {
    let first = try kind.open()
    try first.execute("INSERT INTO team VALUES (1, 'Red')")
    let text = try first.token.description
    try first.execute("INSERT INTO team VALUES (2, 'Blue')")
    try first.close()
    let second = try kind.open(in: first.folder)
    try second.execute("INSERT INTO team VALUES (3, 'Green')")
    let token = try #require(ChangeToken(text))
    #expect(
      try await second.entries(after: token) == [
        "INSERT team [2]: id 2, name \"Blue\"", "INSERT team [3]: id 3, name \"Green\"",
      ])
  }

  @Test(arguments: FedDatabase.shared)
  func `two connections with the feed number their transactions together`(_ kind: FedDatabase) async throws {
    let first = try kind.open()
    let second = try kind.open(in: first.folder)
    let token = try first.token
    for number in 1...3 {
      try first.execute("INSERT INTO team VALUES (\(2 * number), 'a')")
      try second.execute("INSERT INTO team VALUES (\(2 * number + 1), 'b')")
    }
    let stream = try await first.writer.changes(after: token)
    let entries = try await stream.take(6)
    #expect(entries.map(\.changes.rows.first?.newIdentity) == (2...7).map { .rowID($0) })
    #expect(entries.map(\.token.version.count) == Array((token.version.count + 1)...(token.version.count + 6)))
    #expect(entries.allSatisfy { $0.changes.isComplete })
  }

  @Test(arguments: FedDatabase.shared)
  func `a commit of a program without the feed is an unknown transaction`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let token = try database.token
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    try database.strangerExecutes("DELETE FROM team")
    try database.execute("INSERT INTO team VALUES (2, 'Blue')")
    #expect(
      try await database.entries(after: token) == [
        "INSERT team [1]: id 1, name \"Red\"", "incomplete: unknown", "INSERT team [2]: id 2, name \"Blue\"",
      ])
  }

  @Test(arguments: FedDatabase.shared)
  func `a stream reports the commit of a program without the feed at once`(_ kind: FedDatabase) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes(after: database.token)
    async let next = stream.take(1)
    try database.strangerExecutes("INSERT INTO team VALUES (1, 'a')")
    #expect(try await next.map(\.changes.summary) == ["incomplete: unknown"])
  }

  @Test(arguments: FedDatabase.shared)
  func `a commit while no program with the feed is running is noticed`(_ kind: FedDatabase) async throws {
    let first = try kind.open()
    let token = try first.token
    try first.close()
    try first.strangerExecutes("INSERT INTO team VALUES (1, 'a')")
    let second = try kind.open(in: first.folder)
    #expect(try await second.entries(after: token) == ["incomplete: unknown"])
  }

  @Test(arguments: FedDatabase.shared)
  func `a database that was closed and opened has no unknown transaction`(_ kind: FedDatabase) async throws {
    let first = try kind.open()
    try first.execute("INSERT INTO team VALUES (1, 'Red')")
    let token = try first.token
    try first.close()
    let second = try kind.open(in: first.folder)
    #expect(try second.token == token)
  }

  @Test func `VACUUM is an unknown transaction`() async throws {
    let database = try FedDatabase.pool.open()
    let stream = try await database.writer.changes(after: database.token)
    try await database.writer.vacuum()
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    #expect(
      try await stream.take(2).map(\.changes.summary) == [
        "incomplete: unknown", "INSERT team [1]: id 1, name \"Red\"",
      ])
  }

  @Test func `a stream of a region delivers only its changes`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    try database.execute("INSERT INTO team VALUES (2, 'Blue'); INSERT INTO player VALUES (1, 'Ada', 10)")
    try database.execute("UPDATE player SET name = 'Bob'")
    #expect(
      try await database.entries(2, after: token, in: Table("player")) == [
        "INSERT player [1]: id 1, name \"Ada\", score 10", "UPDATE player [1]: name \"Ada\" → \"Bob\"",
      ])
  }

  @Test func `a table that is replaced by a renamed one is unknown in a stream of a region`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try database.execute(
      """
      CREATE TABLE newTeam AS SELECT id, upper(name) AS name FROM team; DROP TABLE team;
      ALTER TABLE newTeam RENAME TO team
      """)
    try database.execute("ALTER TABLE team RENAME COLUMN name TO title")
    let stream = try await database.writer.changes(after: token, in: Table("team"))
    #expect(try await stream.take(2).map(\.changes.isComplete) == [false, true])
  }

  @Test func `the regions of a stream can be a list`() async throws {
    let database = try FedDatabase.pool.open()
    let token = try database.token
    try await database.writer.write { try $0.acknowledge(token, by: "index") }
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    try database.execute("INSERT INTO player VALUES (1, 'Ada', 10)")
    let regions: [any DatabaseRegionConvertible] = [Table("player")]
    let expected = ["INSERT player [1]: id 1, name \"Ada\", score 10"]
    #expect(try await database.writer.changes(after: token, in: regions).take(1).map(\.changes.summary) == expected)
    #expect(try await database.writer.changes(for: "index", in: regions).take(1).map(\.changes.summary) == expected)
  }

  // MARK: - Refused tokens

  @Test func `a token of another database is refused`() async throws {
    let (database, other) = (try FedDatabase.pool.open(), try FedDatabase.pool.open())
    let token = try other.token
    await #expect(throws: ChangeFeedError.otherHistory) { try await database.writer.changes(after: token) }
  }

  @Test func `a token of lost transactions is refused, although their versions are used again`() async throws {
    let database = try FedDatabase.pool.open()
    let copy = database.folder.path("copy")
    try database.backup(to: DatabaseQueue(path: copy))
    try database.execute("INSERT INTO team VALUES (1, 'lost')")
    let token = try database.token
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    let restored = FedDatabase.Opened(
      folder: database.folder, writer: try DatabasePool(path: copy, configuration: configuration))
    for number in 1...5 { try restored.execute("INSERT INTO team VALUES (\(number), 'new')") }
    #expect(try restored.token.version > token.version)
    await #expect(throws: ChangeFeedError.otherHistory) { try await restored.writer.changes(after: token) }
  }

  @Test func `a database without a feed has no tokens`() async throws {
    let queue = try DatabaseQueue()
    #expect(throws: ChangeFeedError.notEnabled) { try queue.inDatabase { try $0.changeToken() } }
    await #expect(throws: ChangeFeedError.notEnabled) { try await queue.changes(after: nil) }
  }

  @Test func `a token has one text`() throws {
    let token = try FedDatabase.queue.open().token
    #expect(ChangeToken(token.description) == token)
    #expect(try JSONDecoder().decode(ChangeToken.self, from: JSONEncoder().encode(token)) == token)
    // The third number is the first row of the first transaction. Smaller ones belong to no row.
    #expect(ChangeToken("1-2-100000-4-5") != nil)
    for text in [
      "", "a", "1-2-100000-4", "1-2-100000-4-5-6", "01-2-100000-4-5", "1-2-g-4-5", "1-2-ffffffffffffffff-4-5",
      "+1-2-100000-4-5", "1-2-fffff-4-5", "1-2-0-4-5",
    ] {
      #expect(ChangeToken(text) == nil)
    }
  }

  @Test func `a stream ends with an error when the database is closed`() async throws {
    let database = try FedDatabase.pool.open()
    let stream = try await database.writer.changes(after: database.token)
    let next = Task { try await stream.take(1) }
    try database.close()
    await #expect(throws: DatabaseError.self) { try await next.value }
  }

  @Test func `a cancelled iteration ends, and another one continues`() async throws {
    let database = try FedDatabase.pool.open()
    let stream = try await database.writer.changes(after: database.token)
    let task = Task { try await stream.take(1) }
    task.cancel()
    #expect(try await task.value.isEmpty)
    try database.execute("INSERT INTO team VALUES (1, 'Red')")
    #expect(try await stream.take(1).map(\.changes.summary) == ["INSERT team [1]: id 1, name \"Red\""])
  }
}
