import TestSupport
import Testing

@testable import TidemarkEssentials
import Tidemark

/// The order and the versions of own and external commits in change streams.
@Suite(.untilItHangs) struct CommitOrderTests {
  /// The reasons and the texts of the next transactions.
  private func words(_ stream: ChangeStream, count: Int) async throws -> [String] {
    var words: [String] = []
    for try await transaction in stream {
      let isExternal = transaction.completeness == .incomplete(.externalCommit)
      // In a queue, an external commit may be detected twice: by the next own commit, and by a check.
      if isExternal, words.last == "external commit" { continue }
      words.append(isExternal ? "external commit" : transaction.lines.joined())
      if words.count == count { break }
    }
    return words
  }

  @Test(arguments: [Observed.fileQueue, .pool])
  func `a commit of another connection that follows an own one immediately follows it in the stream`(
    _ kind: Observed
  ) async throws {
    let database = try kind.open()
    let other = try DatabaseQueue(path: database.writer.path)
    // It is notified between the commit and the stream.
    let subscription = database.writer.changeBroker.subscribe(.none) { _ in
      do {
        try other.write { try $0.execute(sql: "INSERT OR IGNORE INTO player VALUES (1, 'external', 0)") }
      } catch {
        Issue.record(error)
      }
    }
    let stream = try await database.writer.changes(in: Table("team"))
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    subscription.cancel()
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
    let words = try await words(stream, count: 3)
    #expect(
      words == [
        "INSERT team [1]: id 1, name \"Red\"", "external commit", "INSERT team [2]: id 2, name \"Blue\"",
      ])
  }

  @Test(arguments: [Observed.fileQueue, .pool])
  func `the rows of own commits are received, whenever external commits are detected`(_ kind: Observed) async throws {
    let database = try kind.open()
    let other = try DatabaseQueue(path: database.writer.path)
    let stream = try await database.writer.changes(in: Table("team"))
    let ids = 1...500
    for id in ids {
      try await other.write { try $0.execute(sql: "INSERT INTO player VALUES (?, 'external', 0)", arguments: [id]) }
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (?, 'a')", arguments: [id]) }
    }
    let lines = ids.map { "INSERT team [\($0)]: id \($0), name \"a\"" }
    var received: [String] = []
    for try await transaction in stream {
      received += transaction.lines
      if received.last == lines.last { break }
    }
    #expect(received == lines)
  }

  @Test(arguments: Observed.streamed)
  func `transactions have versions if the detection of external commits is disabled`(_ kind: Observed) async throws {
    var configuration = Configuration()
    configuration.externalCommitDetection = .disabled
    let database = try kind.open(configuration)
    let stream = try await database.writer.changes(in: Table("team"))
    var changes = stream.makeAsyncIterator()
    for id in 1...2 {
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (?, 'a')", arguments: [id]) }
      let version = try #require(try await database.writer.databaseVersion())
      #expect(try await changes.next()?.versions == version...version)
    }
  }

  @Test func `VACUUM in a pool has a version, and no external commit`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Table("team"))
    try await database.writer.vacuum()
    let version = try #require(try await database.writer.databaseVersion())
    try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red')") }
    var changes = stream.makeAsyncIterator()
    let vacuum = try #require(try await changes.next())
    #expect(vacuum.completeness == .incomplete(.databaseReplaced))
    #expect(vacuum.versions == version...version)
    #expect(try await changes.next()?.lines == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `entries are frequent only while the clock advances`() {
    var frequency = ChangeStreamHub.Frequency()
    frequency.entryWasAdded(at: 5_000_000)
    frequency.entryWasAdded(at: 5_000_400)
    #expect(frequency.isHigh(at: 5_000_800))
    #expect(!frequency.isHigh(at: 5_002_000))
    // The clock is set back by a second.
    #expect(!frequency.isHigh(at: 4_000_800))
    frequency.entryWasAdded(at: 4_000_900)
    #expect(!frequency.isHigh(at: 4_001_000))
    frequency.entryWasAdded(at: 4_001_100)
    #expect(frequency.isHigh(at: 4_001_200))
  }
}
