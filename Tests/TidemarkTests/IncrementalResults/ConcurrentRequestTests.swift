import Foundation
import TestSupport
import Testing

@testable import Tidemark

private struct Named: Equatable, Identifiable, FetchableRecord, Sendable {
  var id: String
  var n: Int
  var count: Int

  init(row: Row) {
    id = row[0]
    n = row[1]
    count = row.count
  }
}

private struct Shaky: Equatable, Identifiable, FetchableRecord, Sendable {
  static let failures = Locked(0)
  var id: Int
  var name: String?

  init(row: Row) throws {
    id = row["id"]
    name = row["name"]
    if name == "poison" { throw DatabaseError(message: "poisoned") }
    let fails = Shaky.failures.update { count in
      if count > 0 { count -= 1 }
      return count > 0
    }
    if fails { throw DatabaseError(resultCode: .SQLITE_BUSY) }
  }
}

private struct Plain: Codable, Equatable, Identifiable, FetchableRecord, Sendable {
  var id: String
  var n: Int
  var rowid: Int?
}

/// With concurrent writers, each list is the result at one commit, and the last list is the result at the last commit.
@Suite(.untilItHangs) struct ConcurrentRequestTests {
  private static func patient() -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(WaitLimit.seconds)
    return configuration
  }

  private static let setup = """
    CREATE TABLE item (name TEXT PRIMARY KEY, n INT, x INT);
    WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < 60)
    INSERT INTO item SELECT 'n' || i, 10, i FROM i;
    """

  /// A commit that preserves the count and the sum.
  private static func statement(_ generator: inout SeededRandom) -> [String] {
    let (a, b) = (Int.random(in: 1...60, using: &generator), Int.random(in: 1...60, using: &generator))
    let fresh = "m\(UInt32.random(in: 0...UInt32.max, using: &generator))"
    let one = { (n: Int) in "(SELECT name FROM item ORDER BY name LIMIT 1 OFFSET \(n - 1))" }
    switch Int.random(in: 0..<14, using: &generator) {
    case 0..<6:
      return ["UPDATE item SET n = n - 3 WHERE name = \(one(a))", "UPDATE item SET n = n + 3 WHERE name = \(one(a))"]
        .enumerated().map { $0.offset == 0 ? $0.element : "UPDATE item SET n = n + 3 WHERE name = \(one(b))" }
    case 6: return ["UPDATE item SET name = '\(fresh)' WHERE name = \(one(a))"]
    case 7: return ["UPDATE item SET rowid = (SELECT max(rowid) + 5 FROM item) WHERE name = \(one(a))"]
    case 8:
      return [
        "CREATE TEMP TABLE IF NOT EXISTS kept (n)", "DELETE FROM temp.kept",
        "INSERT INTO temp.kept SELECT n FROM item WHERE name = \(one(a))", "DELETE FROM item WHERE name = \(one(a))",
        "INSERT INTO item (name, n, x) SELECT '\(fresh)', n, 1 FROM temp.kept",
      ]
    case 9: return ["REPLACE INTO item (name, n, x) SELECT name, n, x + 1 FROM item WHERE name = \(one(a))"]
    case 10: return ["!PRAGMA wal_checkpoint(TRUNCATE)"]
    case 11: return ["!VACUUM"]
    case 12: return ["UPDATE item SET x = x + 1 WHERE rowid % 5 = 2"]
    default: return ["SAVEPOINT s", "DELETE FROM item", "ROLLBACK TO s", "RELEASE s"]
    }
  }

  private static func storm(_ writer: any DatabaseWriter, _ count: Int, _ name: String) async throws {
    var generator = SeededRandom(function: name)
    for _ in 0..<count {
      let statements = statement(&generator)
      do {
        if let first = statements.first, first.hasPrefix("!") {
          try await writer.writeWithoutTransaction { try $0.execute(sql: String(first.dropFirst())) }
        } else {
          try await writer.write { db in for sql in statements { try db.execute(sql: sql) } }
        }
      } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {}
    }
  }

  @Test(arguments: [RequestDatabase.pool, .poolWithoutDetection, .walQueue, .queue], [true, false])
  func everyListBelongsToOneCommit(_ home: RequestDatabase, _ hasOthers: Bool) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"), Self.patient())
    try await writer.write { try $0.execute(sql: Self.setup) }
    let texts = [
      "SELECT name, n FROM item", "SELECT name, n, x FROM item ORDER BY n DESC, name",
      "SELECT name, n FROM item WHERE n > -100000 ORDER BY x DESC",
    ]
    let requests = texts.map { SQLRequest<Named>(sql: $0) }
    let torn = Locked<[String]>([])
    let lists = Locked<[[Named]]>([[], [], []])
    let tasks = requests.indices.map { index in
      Task {
        do {
          var list: [Named] = []
          for try await difference in requests[index].differencesByRow().values(in: writer) {
            list.apply(difference)
            let (count, sum) = (list.count, list.reduce(0) { $0 + $1.n })
            if count != 60 || sum != 600 { torn.update { $0.append("\(index): \(count) \(sum)") } }
            lists.update { [list] in $0[index] = list }
            if index == 1 { try await Task.sleep(for: .milliseconds(2)) }
          }
        } catch is CancellationError {
        } catch { torn.update { $0.append("\(index): \(error)") } }
      }
    }
    let observed = Task {
      let sums = ValueObservation.tracking {
        try Int.fetchOne($0, sql: "SELECT sum(n) * 1000 + count(*) FROM item") ?? 0
      }
      for try await sum in sums.values(in: writer) where sum != 600_060 { torn.update { $0.append("sum \(sum)") } }
    }
    // They start and end all the time.
    let guests = Task {
      while !Task.isCancelled {
        for try await difference in requests[0].differencesByRow().values(in: writer) {
          if difference.insertions.count != 60 { torn.update { $0.append("guest") } }
          break
        }
      }
    }
    let others = Task {
      guard hasOthers else { return }
      let other = try RequestDatabase.queue.open(folder.path("db"), Self.patient())
      try await Self.storm(other, 150, "other")
    }
    try await Self.storm(writer, 300, "own \(home)")
    try await others.value
    guests.cancel()
    _ = await guests.result
    // It changes columns of all requests. Without detection, the last commits of the other connection arrive with an own
    // commit that concerns the request.
    try await writer.write {
      try $0.execute(
        sql: """
          UPDATE item SET x = x + 1, n = n + 1 WHERE rowid = (SELECT min(rowid) FROM item);
          UPDATE item SET n = n - 1 WHERE rowid = (SELECT max(rowid) FROM item);
          """)
    }
    let expected = try await writer.read { db in
      try texts.map { try Named.fetchAll(db, sql: $0) }
    }
    try await Wait.until("the lists") { lists.value == expected }
    #expect(lists.value == expected)
    #expect(torn.value == [])
    (tasks + []).forEach { $0.cancel() }
    observed.cancel()
    for task in tasks { await task.value }
    _ = await observed.result
    try writer.close()
  }

  @Test(arguments: [RequestDatabase.poolWithoutDetection, .pool, .queue, .walQueue])
  func undetectedExternalCommitsArriveWithOwnCommits(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"), Self.patient())
    try await writer.write { try $0.execute(sql: Self.setup) }
    let other = try RequestDatabase.queue.open(folder.path("db"), Self.patient())
    let request: SQLRequest<RequestItem> = "SELECT * FROM item ORDER BY n, rowid"
    let follower = RequestFollower(request, writer)
    for n in 0..<60 {
      for _ in 0...(n % 3) {
        try await other.write { try $0.execute(sql: "UPDATE item SET n = \(n) WHERE rowid = 1 + abs(random()) % 60") }
      }
      if n % 4 == 1 {
        try await other.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
      }
      if n % 5 == 1 { try await other.write { try $0.execute(sql: "ALTER TABLE item ADD COLUMN y\(n) DEFAULT 3") } }
      try await writer.write { try $0.execute(sql: "UPDATE item SET x = \(n) - 1000 WHERE rowid = 2") }
      let expected = try await writer.read { try request.fetchAll($0) }
      guard await follower.becomes(expected) else {
        Issue.record(
          "\(n) \(follower.list.value.prefix(4)) \(expected.prefix(4)) \(String(describing: follower.failure.value))")
        return
      }
    }
  }

  // The cases share the number of failures.
  @Test(.serialized, arguments: [RequestDatabase.pool, .queue])
  func transientErrorsLoseNothing(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write { try $0.execute(sql: UnusualRequestTests.player + UnusualWriteTests.bulk(200)) }
    let request: SQLRequest<Shaky> = "SELECT id, name FROM player ORDER BY name, id"
    let list = Locked<[Shaky]>([])
    let failure = Locked<(any Error)?>(nil)
    let task = Task {
      do {
        for try await difference in request.differencesByRow().retryingTransientErrors().values(in: writer) {
          list.update { $0.apply(difference) }
        }
      } catch { failure.update { $0 = error } }
    }
    for n in 0..<50 {
      Shaky.failures.update { $0 = n % 4 }
      try await writer.write { try $0.execute(sql: "UPDATE player SET name = 'x\(n)' WHERE id % 50 = \(n)") }
      try await writer.write { try $0.execute(sql: "DELETE FROM player WHERE id = \(n * 3 + 10)") }
      try await Wait.until("\(n): failures") { Shaky.failures.value <= 0 || failure.value != nil }
      Shaky.failures.update { $0 = 0 }
      let expected = try await writer.read { try request.fetchAll($0) }
      try await Wait.until("\(n): the list") { list.value == expected || failure.value != nil }
      guard list.value == expected else {
        Issue.record("\(n) \(String(describing: failure.value))")
        return
      }
    }
    try await writer.write { try $0.execute(sql: "UPDATE player SET name = 'poison' WHERE id = 4") }
    try await Wait.until("the failure") { failure.value != nil }
    #expect("\(String(describing: failure.value))".contains("poisoned"))
    task.cancel()
  }

  @Test(arguments: [RequestDatabase.pool, .queue])
  func adaptersAndPositionsAreApplied(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write { try $0.execute(sql: Self.setup) }
    let sql = "SELECT x, name, n FROM item ORDER BY n, x"
    let suffix = RequestFollower(SQLRequest<Named>(sql: sql, adapter: SuffixRowAdapter(fromIndex: 1)), writer)
    let mapped = RequestFollower(
      SQLRequest<Plain>(
        sql: "SELECT x, name, n FROM item ORDER BY n, x",
        adapter: RenameColumnAdapter {
          $0 == "name" ? "id" : $0
        }), writer)
    let plain = RequestFollower(SQLRequest<Plain>(sql: "SELECT name AS id, n FROM item ORDER BY x"), writer)
    for n in 0..<20 {
      try await writer.write { try $0.execute(sql: "UPDATE item SET n = \(n), x = \(n) * 10 WHERE rowid % 20 = \(n)") }
      let (one, two, three) = try await writer.read { db in
        (
          try Named.fetchAll(db, sql: sql + ", rowid", adapter: SuffixRowAdapter(fromIndex: 1)),
          try Plain.fetchAll(db, sql: "SELECT name AS id, n FROM item ORDER BY n, x, rowid"),
          try Plain.fetchAll(db, sql: "SELECT name AS id, n FROM item ORDER BY x, rowid")
        )
      }
      #expect(await suffix.becomes(one), "\(suffix.list.value.prefix(3)) \(one.prefix(3))")
      #expect(await mapped.becomes(two), "\(mapped.list.value.prefix(3)) \(two.prefix(3))")
      #expect(await plain.becomes(three), "\(plain.list.value.prefix(3)) \(three.prefix(3))")
    }
    try writer.close()
    try await Wait.until("the end") { plain.isOver.value }
    #expect(plain.isOver.value && plain.failure.value != nil)
  }
}
