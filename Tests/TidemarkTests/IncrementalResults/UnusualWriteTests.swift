import CSQLite
import Foundation
import Testing

@testable import Tidemark

/// Whatever the form of a change, differences produce the result.
@Suite struct UnusualWriteTests {
  static let cases: [RequestCase] = [
    RequestCase(
      name: "add column behind hidden",
      setup: "CREATE TABLE t (a, b, x); INSERT INTO t VALUES ('a', 3, 1), ('b', 2, 2), ('c', 1, 3)",
      sql: "SELECT * FROM t ORDER BY b", expected: "SELECT * FROM t ORDER BY b, rowid",
      steps: [
        "UPDATE t SET x = 9 WHERE a = 'a'", "ALTER TABLE t ADD COLUMN more DEFAULT 3",
        "UPDATE t SET x = 8 WHERE a = 'a'",
        "UPDATE t SET more = rowid * 2", "UPDATE t SET x = 7 WHERE a = 'a'", "UPDATE t SET x = 7 WHERE a = 'b'",
        "UPDATE t SET b = 99 WHERE a = 'c'", "UPDATE t SET b = 0 WHERE a = 'a'", "DELETE FROM t WHERE a = 'b'",
      ]),
    RequestCase(
      name: "drop column before hidden",
      setup: "CREATE TABLE t (a, b, x INT, y INT); INSERT INTO t VALUES ('a', 3, 1, 1), ('b', 2, 2, 2), ('c', 1, 3, 3)",
      sql: "SELECT * FROM t ORDER BY b", expected: "SELECT * FROM t ORDER BY b, rowid",
      steps: [
        "UPDATE t SET x = 9 WHERE a = 'a'", "ALTER TABLE t DROP COLUMN x", "UPDATE t SET y = 8 WHERE a = 'a'",
        "UPDATE t SET y = 7 WHERE a = 'a'", "UPDATE t SET y = 7 WHERE a = 'b'", "DELETE FROM t WHERE a = 'b'",
      ]),
    RequestCase(
      name: "crlf and odd texts",
      setup: "CREATE TABLE \"é\u{301}🎉\" (id INTEGER PRIMARY KEY, \"\u{301}x\" TEXT, y INT); "
        + "INSERT INTO \"é\u{301}🎉\" VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)",
      sql:
        "SELECT\r\n\"\u{301}x\",-- 🎉 WHERE\r\ny\r\nFROM\r\n\"é\u{301}🎉\"\u{301}t\r\nWHERE(\u{301}t.y>0)OR\"\u{301}x\"='🎉'"
        + "ORDER\r\nBY\u{000C}y\tDESC\r\n;\r\n",
      expected: "SELECT \"\u{301}x\", y FROM \"é\u{301}🎉\" WHERE y > 0 OR \"\u{301}x\" = '🎉' ORDER BY y DESC, id",
      steps: [
        "UPDATE \"é\u{301}🎉\" SET y = -2 WHERE id = 2", "UPDATE \"é\u{301}🎉\" SET \"\u{301}x\" = '🎉' WHERE id = 2",
        "UPDATE \"é\u{301}🎉\" SET y = 3",
      ]),
    RequestCase(
      name: "parenthesized source", setup: UnusualRequestTests.player,
      sql: "SELECT id, name FROM (player) ORDER BY (name)",
      expected: "SELECT id, name FROM player ORDER BY name, id",
      steps: ["UPDATE player SET name = 'q' WHERE id = 1", "UPDATE player SET name = 'q'"]),
    RequestCase(
      name: "parenthesized alias", setup: UnusualRequestTests.player,
      sql: "SELECT p.id, name FROM ((player AS \"p\")) ORDER BY (name) COLLATE nocase COLLATE \"binary\" DESC",
      expected: "SELECT id, name FROM player ORDER BY name DESC, id DESC",
      steps: ["UPDATE player SET name = 'Q' WHERE id = 1", "UPDATE player SET name = 'q' WHERE id = 3"]),
    RequestCase(
      name: "alias in condition", setup: UnusualRequestTests.player,
      sql: "SELECT name, score * 2 id, score FROM player WHERE id > 4 ORDER BY score",
      expected: "SELECT name, score * 2 AS id, score FROM player WHERE player.id > 4 ORDER BY score, player.id",
      steps: ["UPDATE player SET id = id + 10 WHERE id = 4", "UPDATE player SET score = 10 WHERE id = 1"]),
    RequestCase(
      name: "order within a bound", setup: UnusualRequestTests.player,
      sql: "SELECT id FROM player WHERE score > 0 AND name <> 'x' ORDER BY score",
      expected: "SELECT id FROM player WHERE score > 0 AND name <> 'x' ORDER BY score, id",
      steps: [
        "UPDATE player SET score = 40 WHERE id = 1", "UPDATE player SET name = 'y'", "UPDATE player SET score = 3",
        "UPDATE player SET score = 2 WHERE id = 3", "UPDATE player SET id = 50 WHERE id = 3",
        "UPDATE player SET score = 1 WHERE id = 50", "UPDATE player SET id = 4 WHERE id = 50 OR id = 4 AND 0",
      ].dropLast() + ["UPDATE player SET name = 'x' WHERE id = 50"]),
    RequestCase(
      name: "many statements", setup: UnusualRequestTests.player, sql: "SELECT id, name FROM player WHERE score >= 0",
      steps: [
        UnusualWriteTests.bulk(3000), "UPDATE player SET name = 'q' WHERE id = 2900",
        "UPDATE player SET score = -score WHERE id % 2", "UPDATE player SET score = 4 WHERE id = 5",
        "UPDATE player SET id = id + 1000000 WHERE id % 3 = 1 AND id < 300", "DELETE FROM player WHERE id > 100",
      ]),
    RequestCase(
      name: "several commits in one access", setup: UnusualRequestTests.player, sql: "SELECT id, name FROM player",
      steps: [
        "!UPDATE player SET name = 'x' WHERE id = 1; UPDATE player SET name = 'y' WHERE id = 2; "
          + "DELETE FROM player WHERE id = 3",
        "!BEGIN; DELETE FROM player; ROLLBACK; BEGIN; UPDATE player SET name = 'z' WHERE id = 1; COMMIT; ANALYZE",
        "!SAVEPOINT a; UPDATE player SET name = 'w' WHERE id = 1; "
          + "SAVEPOINT b; DELETE FROM player; ROLLBACK TO b; RELEASE a",
        "!BEGIN; DROP TABLE player; CREATE TABLE player (name, id INTEGER PRIMARY KEY); "
          + "INSERT INTO player VALUES ('a', 9); COMMIT; UPDATE player SET id = 3",
      ]),
    RequestCase(
      name: "attached", setup: UnusualRequestTests.player, sql: "SELECT id, name FROM player",
      steps: [
        "!ATTACH ':memory:' AS aux; CREATE TABLE aux.player (a); INSERT INTO aux.player VALUES (1)",
        "INSERT INTO aux.player VALUES (4); UPDATE player SET name = 'n' WHERE id = 1",
        "UPDATE player SET name = 'm' WHERE id = 1", "INSERT INTO aux.player VALUES (4)", "!DETACH aux",
        "UPDATE player SET name = 'k' WHERE id = 1",
      ]),
  ]

  static func bulk(_ count: Int) -> String {
    "WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
      + "INSERT INTO player (id, name, score) SELECT i, 'n' || i, i % 10 FROM n"
  }

  @Test(arguments: cases, [RequestDatabase.pool, .queue, .walQueue])
  func appliedDifferencesMatchUnusualWrites(_ item: RequestCase, _ home: RequestDatabase) async throws {
    try await item.run(home)
  }

  @Test func temporaryTableHidesTheOther() async throws {
    try await RequestCase(
      name: "temp", setup: UnusualRequestTests.player, sql: "SELECT * FROM player ORDER BY name",
      steps: [
        "UPDATE player SET name = 'n' WHERE id = 1",
        "CREATE TEMP TABLE player (id INT, name TEXT); INSERT INTO temp.player VALUES (10, 'a'), (20, 'b'), (30, 'c')",
        "UPDATE temp.player SET name = 'z' WHERE id = 20", "UPDATE temp.player SET name = 'y' WHERE id = 10",
        "INSERT INTO temp.player VALUES (40, 'a')",
      ]
    ).run(.queue)
  }

  @Test func temporaryTableWithoutTheColumnIsHandled() async throws {
    try await RequestCase(
      name: "temp", setup: UnusualRequestTests.player, sql: "SELECT * FROM player ORDER BY name",
      expected: "SELECT * FROM player ORDER BY name",
      steps: [
        "UPDATE player SET name = 'n' WHERE id = 1",
        "CREATE TEMP TABLE player (name TEXT); INSERT INTO temp.player VALUES ('a'), ('b'), ('c')",
        "UPDATE temp.player SET name = 'z' WHERE name = 'a'",
      ]
    ).run(.queue)
  }

  @Test(arguments: [RequestDatabase.pool, .queue])
  func redefinedCollationIsHandled(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(collation: DatabaseCollation("nocase") { $0.localizedStandardCompare($1) })
    }
    let writer = try home.open(folder.path("db"), configuration)
    try await writer.write { try $0.execute(sql: UnusualRequestTests.player) }
    try await RequestCase(
      name: "nocase", setup: "", sql: "SELECT id, name FROM player ORDER BY name COLLATE NOCASE",
      expected: "SELECT id, name FROM player ORDER BY name COLLATE NOCASE, id",
      steps: [
        "UPDATE player SET name = 'é' WHERE id = 4", "UPDATE player SET name = 'd' WHERE id = 3",
        "UPDATE player SET name = 'f' WHERE id = 2",
      ]
    ).run(on: writer) { step in try await writer.write { try $0.execute(sql: step) } }
  }

  @Test(arguments: [RequestDatabase.pool, .queue])
  func backupIntoTheDatabaseIsFollowed(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write { try $0.execute(sql: UnusualRequestTests.player) }
    let source = try DatabaseQueue(path: folder.path("source"))
    try await source.write { try $0.execute(sql: UnusualRequestTests.player) }
    try await RequestCase(
      name: "backup", setup: "", sql: "SELECT * FROM player ORDER BY score",
      expected: "SELECT * FROM player ORDER BY score, id",
      steps: [
        "-", "UPDATE player SET score = 10 WHERE id = 2", "-", "UPDATE player SET score = 20 WHERE id = 2", "-", "-",
      ]
    ).run(on: writer) { step in
      if step != "-" { return try await writer.write { try $0.execute(sql: step) } }
      try await source.write {
        try $0.execute(sql: "UPDATE player SET score = abs(random()) % 100, name = name || random()")
        try $0.execute(sql: "INSERT INTO player (score) VALUES (5)")
      }
      try source.backup(to: writer)
    }
  }

  @Test(arguments: [RequestDatabase.pool, .queue])
  func blobWritesAndForeignCodeAreFollowed(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write {
      try $0.execute(
        sql:
          "CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB); INSERT INTO t VALUES (1, x'0000'), (2, x'1111'), (3, x'22')"
      )
    }
    try await RequestCase(
      name: "blob", setup: "", sql: "SELECT * FROM t ORDER BY b DESC",
      expected: "SELECT * FROM t ORDER BY b DESC, id DESC",
      steps: [
        "1", "UPDATE t SET b = x'33' WHERE id = 2", "1", "1", "UPDATE t SET b = x'0101' WHERE id = 3", "3",
        "exec UPDATE t SET b = 'foreign' WHERE id = 2", "exec BEGIN; DELETE FROM t WHERE id = 2; COMMIT", "1",
      ]
    ).run(on: writer) { step in
      try await writer.writeWithoutTransaction { db in
        if step.hasPrefix("exec ") {
          #expect(sqlite3_exec(db.sqliteConnection, String(step.dropFirst(5)), nil, nil, nil) == 0)
        } else if let id = Int64(step) {
          var blob: OpaquePointer?
          #expect(sqlite3_blob_open(db.sqliteConnection, "main", "t", "b", id, 1, &blob) == 0)
          var bytes: [UInt8] = [UInt8.random(in: 0...255)]
          #expect(sqlite3_blob_write(blob, &bytes, 1, 0) == 0)
          #expect(sqlite3_blob_close(blob) == 0)
        } else {
          try db.execute(sql: step)
        }
      }
      // The end of a transaction outside of the library is not reported: the next access notices it.
      try await writer.writeWithoutTransaction { _ = try Int.fetchOne($0, sql: "SELECT 1") }
    }
  }

  /// Uncommitted changes are not visible. (A queue has one connection, and only the state of the transaction.)
  @Test func openTransactionsAreNotSeen() async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let writer = try RequestDatabase.pool.open(folder.path("db"), configuration)
    try await writer.write { try $0.execute(sql: UnusualRequestTests.player) }
    let request = SQLRequest<RequestItem>(sql: "SELECT * FROM player ORDER BY score, id")
    let follower = RequestFollower(request, writer)
    for n in 0..<40 {
      try await writer.writeWithoutTransaction { try $0.execute(sql: "UPDATE player SET score = \(n) WHERE id = 1") }
      try await writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN; UPDATE player SET name = 'bad\(n)'") }
      if n % 3 == 0 { try await Task.sleep(for: .milliseconds(5)) }
      try await writer.writeWithoutTransaction {
        try $0.execute(sql: n % 2 == 0 ? "ROLLBACK" : "UPDATE player SET score = 7 WHERE id = 2; COMMIT")
      }
      let expected = try await writer.read { try request.fetchAll($0) }
      if await !follower.becomes(expected) {
        Issue.record("\(n): \(follower.list.value) \(expected) \(String(describing: follower.failure.value))")
        return
      }
    }
  }
}
