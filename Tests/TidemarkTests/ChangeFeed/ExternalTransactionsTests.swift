import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Change streams after commits of other connections that write the change feed.
@Suite(.untilItHangs) struct ExternalTransactionsTests {
  /// A database that two connections with the feed have opened.
  private struct Pair {
    let own: FedDatabase.Opened
    let other: FedDatabase.Opened

    init(_ kind: FedDatabase) throws {
      own = try kind.open()
      other = try kind.open(in: own.folder)
    }

    func changes(
      in regions: any DatabaseRegionConvertible..., limits: ChangeStream.Limits = ChangeStream.Limits()
    ) async throws -> ChangeStream {
      try await own.writer.changes(in: regions, limits: limits)
    }
  }

  private func summaries(_ stream: ChangeStream, _ count: Int) async throws -> [String] {
    try await stream.take(count).map(\.summary)
  }

  @Test(arguments: FedDatabase.shared)
  func `a stream contains the rows of own and external commits in their order`(_ kind: FedDatabase) async throws {
    let pair = try Pair(kind)
    let stream = try await pair.changes()
    var expected: [String] = []
    for id in 1...6 {
      try (id % 3 == 0 ? pair.own : pair.other).execute("INSERT INTO team VALUES (\(id), 'a')")
      expected.append("INSERT team [\(id)]: id \(id), name \"a\"")
    }
    #expect(try await summaries(stream, 6) == expected)
    try pair.other.execute("UPDATE team SET name = 'b' WHERE id = 1; DELETE FROM team WHERE id = 2")
    #expect(
      try await summaries(stream, 1) == ["UPDATE team [1]: name \"a\" → \"b\"; DELETE team [2]: id 2, name \"a\""])
  }

  @Test func `the transactions of a pool's stream have the versions of its commits`() async throws {
    let pair = try Pair(.pool)
    let stream = try await pair.changes()
    for id in 1...4 {
      try (id == 3 ? pair.own : pair.other).execute("INSERT INTO team VALUES (\(id), 'a')")
      let version = try #require(try await pair.own.writer.databaseVersion())
      #expect(try await stream.take(1).map(\.versions) == [version...version])
    }
  }

  /// Its changes are not in the feed. The external ones were read before.
  @Test func `a transaction of temporary tables has no version after later external ones`() async throws {
    let pair = try Pair(.pool)
    try pair.own.execute("CREATE TEMPORARY TABLE draft (id INTEGER PRIMARY KEY)")
    let stream = try await pair.changes()
    try pair.other.execute("INSERT INTO team VALUES (1, 'a')")
    try pair.own.execute("INSERT INTO draft VALUES (1)")
    try pair.other.execute("INSERT INTO team VALUES (2, 'a')")
    let transactions = try await stream.take(3)
    let expected = [
      "INSERT team [1]: id 1, name \"a\"", "INSERT team [2]: id 2, name \"a\"", "INSERT temp.draft [1]: id 1",
    ]
    #expect(transactions.map(\.summary) == expected)
    #expect(transactions.map { $0.version == nil } == [false, false, true])
  }

  @Test(arguments: FedDatabase.shared)
  func `a stream continues after another connection has removed its table and created it again`(
    _ kind: FedDatabase
  ) async throws {
    let pair = try Pair(kind)
    let stream = try await pair.changes(in: SQLRequest<Row>(sql: "SELECT * FROM team"))
    try pair.other.execute("INSERT INTO team VALUES (1, 'a')")
    #expect(try await summaries(stream, 1) == ["INSERT team [1]: id 1, name \"a\""])
    try pair.other.execute("DROP TABLE team")
    #expect(try await stream.take(1).map(\.isComplete) == [false])
    try pair.other.execute("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO team VALUES (1, 'b')")
    try pair.own.execute("UPDATE team SET name = 'c'")
    // The first transactions may be unknown, and none is received again.
    var received: [String] = []
    for number in 1...3 {
      try pair.other.execute("UPDATE team SET name = \(number)")
      repeat {
        received += try await summaries(stream, 1)
      } while received.last?.contains("→ \"\(number)\"") == false && received.last?.contains("incomplete") == false
    }
    #expect(received.last == "UPDATE team [1]: name \"2\" → \"3\"")
    #expect(!received.contains { $0.contains("\"a\"") })
  }

  /// They had no element: the feed contains the changes of the main database only.
  @Test(arguments: FedDatabase.shared)
  func `commits of another connection in an attached file are unknown`(_ kind: FedDatabase) async throws {
    let pair = try Pair(kind)
    for database in [pair.own, pair.other] {
      try database.withoutTransaction { db in
        try db.execute(sql: "ATTACH ? AS extra", arguments: [pair.own.folder.path("extra")])
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS extra.item (id INTEGER PRIMARY KEY)")
      }
    }
    let (all, main) = (try await pair.changes(), try await pair.changes(in: Table("team")))
    try pair.other.execute("INSERT INTO extra.item VALUES (1)")
    #expect(try await summaries(all, 1) == ["incomplete: externalCommit"])
    // The tables of the main database have not changed.
    try pair.other.execute("INSERT INTO team VALUES (1, 'Red')")
    #expect(try await summaries(main, 1) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `external transactions have no versions in a queue`() async throws {
    let pair = try Pair(.logQueue)
    let stream = try await pair.changes()
    try pair.other.execute("INSERT INTO team VALUES (1, 'a')")
    #expect(try await stream.take(1).map(\.versions) == [nil])
  }

  @Test(arguments: FedDatabase.shared)
  func `a stream of a region leaves out the rows of others`(_ kind: FedDatabase) async throws {
    let pair = try Pair(kind)
    let stream = try await pair.changes(in: Table("player").filter(sql: "score > 10"))
    try pair.other.execute("INSERT INTO team VALUES (1, 'Red'); INSERT INTO player VALUES (1, 'Eve', 5)")
    try pair.other.execute("INSERT INTO team VALUES (2, 'Blue')")
    try pair.other.execute("UPDATE player SET score = 20")
    #expect(try await summaries(stream, 1) == ["UPDATE player [1]: score 5 → 20"])
  }

  @Test(arguments: FedDatabase.shared)
  func `commits of a program without the feed are reported once`(_ kind: FedDatabase) async throws {
    let pair = try Pair(kind)
    let stream = try await pair.changes(in: Table("team"))
    try pair.own.strangerExecutes("INSERT INTO team VALUES (1, 'a')")
    #expect(try await summaries(stream, 1) == ["incomplete: externalCommit"])
    // Its transaction also adds an entry about the one before.
    try pair.other.execute("INSERT INTO team VALUES (2, 'b')")
    try pair.own.execute("INSERT INTO team VALUES (3, 'c')")
    try pair.other.execute("INSERT INTO team VALUES (4, 'd')")
    #expect(
      try await summaries(stream, 3) == [
        "INSERT team [2]: id 2, name \"b\"", "INSERT team [3]: id 3, name \"c\"", "INSERT team [4]: id 4, name \"d\"",
      ])
  }

  @Test(arguments: FedDatabase.shared)
  func `a schema change of another connection is part of a stream of all changes`(_ kind: FedDatabase) async throws {
    let pair = try Pair(kind)
    let stream = try await pair.changes()
    try pair.other.execute("CREATE TABLE city (id INTEGER PRIMARY KEY); INSERT INTO city VALUES (1)")
    #expect(try await summaries(stream, 1) == ["CREATE TABLE city (id INTEGER PRIMARY KEY); INSERT city [1]: id 1"])
  }

  @Test(arguments: FedDatabase.shared)
  func `a schema change that leaves the regions as they are does not end their rows`(_ kind: FedDatabase) async throws {
    let pair = try Pair(kind)
    let stream = try await pair.changes(in: Table("team"))
    try pair.other.execute("INSERT INTO team VALUES (1, 'a')")
    try pair.other.execute("CREATE TABLE city (id INTEGER PRIMARY KEY)")
    try pair.other.execute("INSERT INTO team VALUES (2, 'b')")
    #expect(
      try await summaries(stream, 3) == [
        "INSERT team [1]: id 1, name \"a\"", "CREATE TABLE city (id INTEGER PRIMARY KEY)",
        "INSERT team [2]: id 2, name \"b\"",
      ])
  }

  @Test(arguments: FedDatabase.shared)
  func `if another connection replaces a view, its rows are those of the new one`(_ kind: FedDatabase) async throws {
    let pair = try Pair(kind)
    try pair.own.execute("CREATE VIEW v AS SELECT * FROM player")
    let stream = try await pair.changes(in: SQLRequest<Row>(sql: "SELECT * FROM v"))
    try pair.other.execute("DROP VIEW v; CREATE VIEW v AS SELECT * FROM team")
    try pair.other.execute("INSERT INTO team VALUES (1, 'a')")
    let first = try await stream.take(1)
    #expect(first.map(\.isComplete) == [false])
    try pair.other.execute("INSERT INTO player VALUES (1, 'a', 1); INSERT INTO team VALUES (2, 'b')")
    #expect(try await summaries(stream, 1).last == "INSERT team [2]: id 2, name \"b\"")
  }

  @Test(arguments: FedDatabase.shared)
  func `the rows of an external transaction beyond the limit are unknown`(_ kind: FedDatabase) async throws {
    let pair = try Pair(kind)
    let stream = try await pair.changes(in: Table("team"), limits: ChangeStream.Limits(rowCount: 2))
    try pair.other.execute("INSERT INTO team VALUES (1, 'a'), (2, 'b')")
    try pair.other.execute("INSERT INTO team VALUES (3, 'c'), (4, 'd'), (5, 'e')")
    try pair.other.execute("INSERT INTO team VALUES (6, 'f')")
    let transactions = try await stream.take(3)
    #expect(transactions.map(\.rows.count) == [2, 0, 1])
    #expect(transactions[1].summary == "incomplete: tooManyRows; unknown rows of team")
  }

  @Test func `the transactions of a slow consumer are complete in batches`() async throws {
    let pair = try Pair(.pool)
    let stream = try await pair.changes(in: Table("team"))
    for id in 1...1_500 { try pair.other.execute("INSERT INTO team VALUES (\(id), 'a')") }
    let transactions = try await stream.take(1_500)
    #expect(!transactions.map(\.isComplete).contains(false))
    let ids = transactions.flatMap(\.rows).compactMap { $0.newValues?.first.flatMap(Int.fromDatabaseValue) }
    #expect(ids == Array(1...1_500))
  }

  @Test(arguments: [true, false])
  func `a large external transaction is received in parts if the limit allows`(hasParts: Bool) async throws {
    let pair = try Pair(.pool)
    let limit = hasParts ? Int.max : 100_000
    let stream = try await pair.changes(in: Table("team"), limits: ChangeStream.Limits(rowCount: limit))
    let count = 110_000
    try pair.other.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO team SELECT i, 'a' FROM n
      """)
    try pair.other.execute("INSERT INTO team VALUES (0, 'last')")
    var (rowCount, parts): (Int, [TransactionChanges]) = (0, [])
    for try await part in stream {
      rowCount += part.rows.count
      if part.rows.first?.newValues?.first == 0.databaseValue { break }
      parts.append(part)
    }
    #expect(rowCount == (hasParts ? count + 1 : 1))
    #expect(!parts.dropLast().map(\.isContinued).contains(false))
    #expect(parts.last?.isContinued == false)
    #expect(Set(parts.map(\.isComplete)) == [hasParts])
    #expect(Set(parts.map(\.versions)).count == 1)
    if !hasParts { #expect(parts.map(\.summary) == ["incomplete: tooManyRows; unknown rows of team"]) }
  }

  @Test func `a large external transaction is received without rows beyond a high limit`() async throws {
    let pair = try Pair(.pool)
    let stream = try await pair.changes(in: Table("team"), limits: ChangeStream.Limits(rowCount: 105_000))
    for (name, count) in [("a", 102_000), ("b", 110_000), ("c", 1)] {
      try pair.other.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO team (name) SELECT '\(name)' FROM n
        """)
    }
    var (counts, rowCount): ([Int], Int) = ([], 0)
    for try await part in stream {
      rowCount += part.rows.count
      if part.isContinued { continue }
      if part.rows.isEmpty { #expect(part.summary == "incomplete: tooManyRows; unknown rows of team") }
      counts.append(rowCount)
      rowCount = 0
      if counts.last == 1 { break }
    }
    #expect(counts == [102_000, 0, 1])
  }

  /// The parts of the own transaction precede external ones, and only its last one concerns the stream.
  @Test func `a large own transaction is received once, before later external ones`() async throws {
    let pair = try Pair(.pool)
    let stream = try await pair.changes(in: Table("team"), limits: ChangeStream.Limits(rowCount: .max))
    try pair.other.execute("INSERT INTO team VALUES (1, 'a')")
    try pair.own.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 110000)
      INSERT INTO player (name) SELECT 'a' FROM n;
      INSERT INTO team VALUES (2, 'b');
      """)
    try pair.other.execute("INSERT INTO team VALUES (3, 'c')")
    let expected = [
      "INSERT team [1]: id 1, name \"a\"", "INSERT team [2]: id 2, name \"b\"", "INSERT team [3]: id 3, name \"c\"",
    ]
    #expect(try await summaries(stream, 3) == expected)
  }

  @Test func `all parts of a large external transaction have its version after a later acknowledgement`() async throws {
    let pair = try Pair(.pool)
    let stream = try await pair.changes(limits: ChangeStream.Limits(rowCount: .max))
    try pair.other.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 110000)
      INSERT INTO team SELECT i, 'a' FROM n
      """)
    let version = try await pair.own.writer.databaseVersion()
    try await pair.other.writer.write { try $0.acknowledge($0.changeToken(), by: "a") }
    let parts = try await stream.take(11)
    #expect(parts.map(\.isContinued) == Array(repeating: true, count: 10) + [false])
    #expect(Set(parts.map(\.version)) == [version])
  }

  @Test func `a consumer that has missed transactions receives later ones of other connections`() async throws {
    let pair = try Pair(.pool)
    let stream = try await pair.changes(
      in: Table("team"), limits: ChangeStream.Limits(bufferedByteCount: 1_000))
    for id in 1...50 { try pair.own.execute("INSERT INTO team VALUES (\(id), 'a')") }
    #expect(try await summaries(stream, 1) == ["incomplete: missed"])
    // The consumer does not know which commits of others it has missed.
    try pair.other.execute("INSERT INTO team VALUES (51, 'b')")
    var last = try await summaries(stream, 1)
    while last != ["incomplete: externalCommit"] { last = try await summaries(stream, 1) }
    try pair.other.execute("INSERT INTO team VALUES (52, 'b')")
    #expect(try await summaries(stream, 1) == ["INSERT team [52]: id 52, name \"b\""])
  }

  @Test func `entries that are removed before they are read are unknown`() async throws {
    let feed = ChangeFeedConfiguration(keptByteCount: 0)
    let own = try FedDatabase.pool.open(feed)
    let other = try FedDatabase.pool.open(in: own.folder, feed)
    let stream = try await own.writer.changes(in: Table("team"))
    for id in 1...100 { try other.execute("INSERT INTO team VALUES (\(id), 'a')") }
    #expect(try await stream.take(1).map(\.completeness) == [.incomplete(.externalCommit)])
    try other.execute("INSERT INTO team VALUES (200, 'b')")
    #expect(try await summaries(stream, 1) == ["INSERT team [200]: id 200, name \"b\""])
  }

  @Test func `concurrent iterations share the transactions of other connections`() async throws {
    let pair = try Pair(.pool)
    let stream = try await pair.changes(in: Table("team"))
    let count = 300
    let ids = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 1...3 {
        group.addTask {
          var ids: [Int] = []
          for try await transaction in stream {
            for row in transaction.rows {
              guard let id = row.newValues?.first.flatMap(Int.fromDatabaseValue) else { continue }
              // Each task ends with one of these.
              if id > count { return ids }
              ids.append(id)
            }
          }
          return ids
        }
      }
      for id in 1...count + 3 {
        try (id % 5 == 0 ? pair.own : pair.other).execute("INSERT INTO team VALUES (\(id), 'a')")
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(ids.sorted() == Array(1...count))
  }
}
