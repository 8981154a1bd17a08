import TestSupport
import Testing
import Tidemark

@testable import TidemarkEssentials

/// Transactions in the change feed whose rows do not fit in memory.
@Suite(.untilItHangs) struct LargeFeedEntryTests {
  private func open(fileByteCount: Int = 1_000_000, keptByteCount: Int = 64_000_000) throws -> FedDatabase.Opened {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration(keptByteCount: keptByteCount)
    configuration.environment.changeLogBound = ChangeLog.Bound(
      recordCount: 20, segmentRecordCount: 7, segmentByteCount: 500, fileByteCount: fileByteCount)
    let writer = try DatabasePool(path: folder.path("db"), configuration: configuration)
    try writer.write { try $0.createPlayers() }
    return FedDatabase.Opened(folder: folder, writer: writer)
  }

  private func insert(_ ids: ClosedRange<Int>, _ db: Database) throws {
    for id in ids { try db.execute(sql: "INSERT INTO player VALUES (?, ?, ?)", arguments: [id, "name of \(id)", id]) }
  }

  /// The parts of the next transaction.
  private func parts(_ stream: ChangeFeedStream) async throws -> [ChangeFeedEntry] {
    var (parts, entries) = ([ChangeFeedEntry](), stream.makeAsyncIterator())
    repeat { parts.append(try #require(try await entries.next())) } while parts.last?.changes.isContinued == true
    return parts
  }

  private func ids(_ parts: some Sequence<ChangeFeedEntry>) -> [Int64] {
    parts.flatMap(\.changes.rows).map { row in row.newRow?["id"] ?? 0 }
  }

  @Test func `a large transaction is stored in parts with its version`() async throws {
    let database = try open()
    let token = try database.token
    try database.write { try insert(1...50, $0) }
    try database.write { try insert(51...52, $0) }
    let stream = try await database.writer.changes(after: token)
    let large = try await parts(stream)
    #expect(large.count > 5)
    #expect(ids(large) == Array(1...50))
    for part in large {
      #expect(part.changes.isComplete && part.changes.rows.count <= 7)
      #expect(part.token.version == large[0].token.version && part.changes.version == part.token.version)
    }
    let small = try await parts(stream)
    #expect(small.count == 1 && ids(small) == [51, 52])
    #expect(try database.token == small[0].token)
  }

  @Test func `the token of a part continues with the next one`() async throws {
    let database = try open()
    let token = try database.token
    try database.write { try insert(1...50, $0) }
    let all = try await parts(try await database.writer.changes(after: token))
    for index in all.indices.dropLast() {
      let rest = try await parts(try await database.writer.changes(after: all[index].token))
      #expect(ids(rest) == ids(all[(index + 1)...]))
    }
    try database.write { db in try db.acknowledge(all[1].token, by: "copy") }
    #expect(ids(try await parts(try await database.writer.changes(for: "copy"))) == ids(all[2...]))
  }

  @Test func `a stream of a region receives the last part, if it has received another`() async throws {
    let database = try open()
    let token = try database.token
    try database.write { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
      try insert(1...50, db)
    }
    try database.write { try insert(51...90, $0) }
    try database.execute("INSERT INTO team VALUES (2, 'Blue')")
    let stream = try await database.writer.changes(after: token, in: Table("team"))
    let large = try await parts(stream)
    #expect(large.map(\.changes.rows.count) == [1, 0])
    #expect(large.map(\.changes.isContinued) == [true, false])
    // The second transaction does not concern the region.
    let last = try await parts(stream)
    #expect(last.map(\.changes.summary) == ["INSERT team [2]: id 2, name \"Blue\""])
  }

  @Test func `rows that were undone are in no part`() async throws {
    let database = try open()
    let token = try database.token
    try database.write { db in
      try insert(1...30, db)
      try db.inSavepoint {
        try insert(31...80, db)
        return .rollback
      }
      try insert(81...90, db)
    }
    let large = try await parts(try await database.writer.changes(after: token))
    #expect(ids(large) == Array(1...30) + Array(81...90))
  }

  @Test func `schema changes, counters and unknown rows have their place`() async throws {
    let database = try open()
    try database.execute(
      "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE raw (a); PRAGMA user_version = 1")
    let token = try database.token
    try database.write { db in
      try insert(1...25, db)
      try db.execute(sql: "CREATE TABLE note (text); INSERT INTO event VALUES (7); PRAGMA user_version = 2")
      try insert(26...50, db)
      try db.execute(sql: "INSERT INTO raw VALUES (CAST(x'61ff' AS TEXT))")
    }
    let large = try await parts(try await database.writer.changes(after: token))
    #expect(large.allSatisfy { $0.changes.completeness == .incomplete(.notReported) })
    let lines = large.flatMap(\.changes.lines).filter { !$0.hasPrefix("INSERT player") }
    #expect(
      lines == [
        "CREATE TABLE note (text)", "INSERT event [7]: id 7", "unknown rows of raw", "counter of event: 7",
        "user_version = 2",
      ])
    let all = large.flatMap(\.changes.lines)
    #expect(all[24].hasPrefix("INSERT player [25]") && all[25] == "CREATE TABLE note (text)")
  }

  @Test func `rows that cannot be stored are unknown`() async throws {
    let database = try open(fileByteCount: 500)
    let token = try database.token
    try database.write { try insert(1...50, $0) }
    let large = try await parts(try await database.writer.changes(after: token))
    #expect(large.map(\.changes.completeness) == [.incomplete(.notStored)])
    #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } == 50)
  }

  @Test func `without a token, a stream begins with a whole transaction`() async throws {
    let database = try open(keptByteCount: 1_000)
    try database.write { try insert(1...3_000, $0) }
    for id in 0..<40 { try database.write { try insert(10_000 + id * 25...10_024 + id * 25, $0) } }
    let first = try await parts(try await database.writer.changes(after: nil))
    #expect(try #require(ids(first).first) % 25 == 0 && ids(first).count == 25)
  }

  @Test func `a stream without a token does not begin within a transaction`() async throws {
    let database = try open()
    try database.write { try insert(1...50, $0) }
    try database.write { try insert(51...90, $0) }
    let version = try database.token.version.count - 1
    // As if the first parts had been removed.
    try database.withoutTransaction { db in
      try db.execute(
        sql: "DELETE FROM tidemark_feed WHERE id <= ?", arguments: [FeedID(version: UInt64(version), part: 2).number])
    }
    let first = try await parts(try await database.writer.changes(after: nil))
    #expect(ids(first) == Array(51...90))
  }
}
