import CSQLite
import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The rows after the last one within a `LIMIT` are irrelevant.
@Suite struct RegionBoundTests {
  private static let isFull = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"

  private static let schema = """
    CREATE TABLE game (id INTEGER PRIMARY KEY, score INTEGER, name TEXT COLLATE NOCASE, code TEXT);
    INSERT INTO game VALUES (1, 10, 'a', 'x'), (2, 20, 'b', 'y'), (3, 30, 'c', 'z'), (4, 40, 'd', 'w');
    CREATE TABLE other (id INTEGER PRIMARY KEY);
    """

  private typealias Fetch = (Database, String, StatementArguments) throws -> Void

  /// The region of a query in an observation.
  private func region(
    _ sql: String, _ arguments: StatementArguments = [], after change: String = "",
    _ fetch: Fetch = { _ = try Row.fetchAll($0, sql: $1, arguments: $2) }
  ) throws -> String {
    try inMemory { db in
      try db.execute(sql: Self.schema + change)
      return try db.recordingReads(usesBounds: true) { try fetch(db, sql, arguments) }
        .readSet.region.debugDescription
    }
  }

  @Test func rowsBehindTheLimitDoNotMatter() throws {
    let down = try region("SELECT id, score FROM game ORDER BY score DESC LIMIT 2")
    #expect(down == "game(id,score) where score >= 30")
    let wanted = try region("SELECT * FROM game WHERE id > ? ORDER BY score DESC, name LIMIT ?", [1, 1])
    #expect(wanted == "game(code,id,name,score) where id > 1 and score >= 40")
    let later = try region("SELECT id, score FROM game ORDER BY score DESC LIMIT 1 OFFSET 1")
    #expect(later == "game(id,score) where score >= 30")
    let other = try region("SELECT id, score FROM game ORDER BY score DESC LIMIT 1, 2")
    #expect(other == "game(id,score) where score >= 20")
  }

  @Test func columnsThatTheRowDoesNotContainAreLookedUp() throws {
    let one = try region("SELECT id FROM game ORDER BY score DESC LIMIT 2")
    #expect(one == "game(id,score) where score >= 30")
    let second = try region("SELECT id, score FROM game ORDER BY score, code DESC LIMIT 2")
    #expect(
      second
        == "game(code,id,score) where code >= \"y\" and score = 20,game(code,id,score) where score < 20,game(code,id,score) where score = NULL"
    )
    let unnamed = try region(
      "SELECT rowid FROM note ORDER BY text LIMIT 1",
      after: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('b'), ('a')")
    #expect(unnamed == "note(ROWID,text) where text <= \"a\",note(ROWID,text) where text = NULL")
  }

  @Test func nullSortsFirst() throws {
    let up = try region("SELECT id, score FROM game ORDER BY score LIMIT 2")
    #expect(up == "game(id,score) where score <= 20,game(id,score) where score = NULL")
    let last = try region(
      "SELECT id, score FROM game ORDER BY score LIMIT 1", after: "UPDATE game SET score = NULL WHERE id = 4")
    #expect(last == "game(id,score) where score = NULL")
  }

  @Test func `NULL sorts last in descending order`() throws {
    let known = try region(
      "SELECT id, score, code FROM game ORDER BY score DESC, code LIMIT 4",
      after: "UPDATE game SET score = NULL WHERE id = 1")
    #expect(
      known == """
        game(code,id,score) where code <= "x" and score = NULL,game(code,id,score) where code = NULL and score = NULL,\
        game(code,id,score) where score is not NULL
        """)
  }

  @Test func `a table without row IDs is bounded by the columns of the result only`() throws {
    let table = "CREATE TABLE w (k TEXT PRIMARY KEY, v INT) WITHOUT ROWID; INSERT INTO w VALUES ('a', 1), ('b', 2);"
    let keys = try region("SELECT k FROM w ORDER BY v DESC LIMIT 1", after: table)
    #expect(keys == "w(k,v)")
    let values = try region("SELECT v FROM w ORDER BY v DESC, k LIMIT 1", after: table)
    #expect(values == "w(k,v) where v >= 2")
  }

  @Test func `an expression whose text is the name of a column gives no bound`() throws {
    let schema = "CREATE TABLE odd (a INTEGER, \"-a\" INTEGER); INSERT INTO odd VALUES (1, 10), (2, 20), (3, 30)"
    let known = try region("SELECT -a FROM odd ORDER BY \"-a\" LIMIT 2", after: schema)
    #expect(known == "odd(-a,a)")
  }

  @Test func `the bound of a query with several filters uses the first columns`() throws {
    let table = "CREATE TABLE p (a INT, b INT, c INT); INSERT INTO p VALUES (1, 2, 3), (4, 5, 6);"
    let one = try region("SELECT * FROM p WHERE a > 0 ORDER BY a, b, c LIMIT 1", after: table)
    #expect(one.contains("a = 1 and b = 2 and c <= 3"))
    let two = try region("SELECT * FROM p WHERE a > 0 OR b > 0 ORDER BY a, b, c LIMIT 1", after: table)
    #expect(two.contains("a = 1 and b <= 2"))
    #expect(!two.contains("c <="))
  }

  @Test func `a row that was deleted meanwhile is no bound`() throws {
    let known = try region("SELECT id FROM game ORDER BY score DESC LIMIT 2") { db, sql, _ in
      let cursor = try Int.fetchCursor(db, sql: sql)
      #expect(try cursor.next() == 4)
      try db.execute(sql: "DELETE FROM game")
      #expect(try cursor.next() == 3)
    }
    #expect(known == "game(id,score)")
  }

  @Test func `a look-up that fails gives the whole table`() throws {
    let known = try region("SELECT id FROM game ORDER BY score DESC LIMIT 2") { db, sql, _ in
      let cursor = try Int.fetchCursor(db, sql: sql)
      #expect(try cursor.next() == 4)
      // The look-up cannot be compiled.
      let lengthMax = sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, 10)
      defer { sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, lengthMax) }
      #expect(try cursor.next() == 3)
    }
    #expect(known == "game(id,score)")
  }

  @Test(arguments: [(8, "game(id,score) where id > -8 and score >= 40"), (9, "game(id,score) where id > -9")])
  func `only the first executions of a fetch have bounds`(count: Int, expected: String) throws {
    let known = try region("SELECT id, score FROM game WHERE id > ? ORDER BY score DESC LIMIT 1") { db, sql, _ in
      for id in 1...count { _ = try Row.fetchAll(db, sql: sql, arguments: [-id]) }
    }
    #expect(known == expected)
  }

  @Test(arguments: [(true, "game(score) where score >= 40"), (false, "game(score)")])
  func `repeated executions keep a bound that all of them have`(usesBounds: Bool, expected: String) throws {
    let known = try region("SELECT score FROM game ORDER BY score DESC LIMIT 1") { db, sql, _ in
      _ = try Row.fetchAll(db, sql: sql)
      _ = try db.recordingReads(usesBounds: usesBounds) { try Row.fetchAll(db, sql: sql) }
    }
    #expect(known == expected)
  }

  @Test(arguments: [
    "SELECT id, score FROM game ORDER BY score DESC LIMIT 5", "SELECT id, score FROM game ORDER BY score DESC LIMIT -1",
    "SELECT id, score FROM game ORDER BY score DESC LIMIT 0", "SELECT id, score FROM game LIMIT 2",
    "SELECT id, score FROM game ORDER BY score DESC NULLS FIRST LIMIT 2",
    "SELECT code FROM game ORDER BY score LIMIT 2",
    "SELECT id + 0 FROM game ORDER BY score LIMIT 2", "SELECT code AS id FROM game ORDER BY score LIMIT 2",
    "SELECT id, -score AS score FROM game ORDER BY score LIMIT 2", "SELECT id, score FROM game ORDER BY 2 LIMIT 2",
    "SELECT id, score FROM game ORDER BY -score LIMIT 2", "SELECT id, score FROM game ORDER BY score + 0 LIMIT 2",
    "SELECT DISTINCT score FROM game ORDER BY score LIMIT 2",
    "SELECT score FROM game GROUP BY score ORDER BY score LIMIT 2", "SELECT name FROM game ORDER BY name LIMIT 2",
    "SELECT code FROM game ORDER BY code COLLATE NOCASE LIMIT 2",
    "SELECT game.id, score FROM game, other ORDER BY score LIMIT 2",
    "SELECT id, score FROM game WHERE id IN (SELECT id FROM other) ORDER BY score LIMIT 2",
    "SELECT max(id), score FROM game ORDER BY score LIMIT 1",
    "SELECT row_number() OVER (), score FROM game ORDER BY score LIMIT 1",
    "SELECT id, score FROM (SELECT * FROM game) ORDER BY score LIMIT 2",
    "SELECT score FROM game UNION SELECT id FROM game ORDER BY score LIMIT 2",
  ])
  func otherQueriesUseAllRows(_ sql: String) throws {
    let known = try region(sql)
    let unbound = try inMemory { db in
      try db.execute(sql: Self.schema)
      return try db.recordingReads { _ = try Row.fetchAll(db, sql: sql) }.readSet.region.debugDescription
    }
    #expect(known == unbound)
    #expect(!known.contains("score >") && !known.contains("score <"))
  }

  @Test func partiallyReadResultsHaveNoBound() throws {
    let sql = "SELECT id, score FROM game ORDER BY score DESC LIMIT 3"
    let some = try region(sql) { db, sql, _ in
      let cursor = try Row.fetchCursor(db, sql: sql)
      _ = try (cursor.next(), cursor.next())
    }
    #expect(some == "game(id,score)")
    let all = try region(sql) { db, sql, _ in
      let cursor = try Row.fetchCursor(db, sql: sql)
      _ = try (cursor.next(), cursor.next(), cursor.next())
    }
    #expect(all == "game(id,score) where score >= 20")
  }

  @Test func changedLimitsAreSeparateExecutions() throws {
    let both = try region("SELECT id, score FROM game ORDER BY score DESC LIMIT ?") { db, sql, _ in
      _ = try Row.fetchAll(db, sql: sql, arguments: [1])
      _ = try Row.fetchAll(db, sql: sql, arguments: [9])
    }
    #expect(both == "game(id,score)")
  }

  @Test func nestedRecordingsWithoutBoundsHaveNone() throws {
    let region = try inMemory { db in
      try db.execute(sql: Self.schema)
      return try db.recordingReads {
        _ = try db.recordingReads(usesBounds: true) {
          _ = try Row.fetchAll(db, sql: "SELECT score FROM game ORDER BY score DESC LIMIT 1")
        }
      }.readSet.region.debugDescription
    }
    #expect(region == "game(score)")
  }

  // MARK: - Observations

  @Test(arguments: Observed.allCases)
  func rowsBehindTheLimitDoNotWakeAnObservation(_ observed: Observed) throws {
    try observed.withDatabase { database in
      try database.write { db in for score in 1...20 { try db.addPlayer("p\(score)", score: score) } }
      let observation = ValueObservation.tracking { db in
        try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY score DESC LIMIT 3")
      }
      let (deliveries, cancellable) = observation.collect(in: database)
      try deliveries.wait(forLast: [20, 19, 18])
      try database.write { try $0.execute(sql: "UPDATE player SET score = score - 1 WHERE score < 10") }
      try database.write { try $0.addPlayer("late", score: 17) }
      #expect(database.observationMetrics.wakeCount == 0)
      // The bound moves with the rows.
      try database.write { try $0.execute(sql: "DELETE FROM player WHERE score > 18") }
      try deliveries.wait(forLast: [18, 17, 17])
      try database.write { try $0.execute(sql: "UPDATE player SET score = 18 WHERE name = 'p16'") }
      try deliveries.wait(forLast: [18, 18, 17])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func constantRegionsAreUnbounded(_ observed: Observed) throws {
    try observed.withDatabase { database in
      try database.write { db in for score in 1...5 { try db.addPlayer("p\(score)", score: score) } }
      let observation = ValueObservation.trackingConstantRegion { db in
        try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY score DESC LIMIT 1")
      }
      let (deliveries, cancellable) = observation.collect(in: database)
      try deliveries.wait(forLast: [5])
      try database.write { try $0.execute(sql: "DELETE FROM player WHERE score > 2") }
      try deliveries.wait(forLast: [2])
      try database.write { try $0.execute(sql: "UPDATE player SET score = 3 WHERE score = 1") }
      try deliveries.wait(forLast: [3])
      cancellable.cancel()
    }
  }

  // MARK: - Chance

  /// Invariant: a change that alters the result of a query with a limit affects its region. Most changes of a row affect
  /// nothing, although there are many rows with one value here, and with NULL.
  @Test func boundsMissNothingAndSkipMostChanges() throws {
    var generator = SeededRandom()
    var (yes, wrong, count) = (0, 0, 0)
    for _ in 0..<(Self.isFull ? 300 : 15) {
      try inMemory { db in
        try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT, c REAL)")
        if Bool.random(using: &generator) { try db.execute(sql: "CREATE INDEX tByA ON t(a, c)") }
        func value() -> DatabaseValue {
          switch Int.random(in: 0..<20, using: &generator) {
          case 0: .null
          case 1: DatabaseValue(.string(generator.pick(["a", "B", "é", "10"])))
          case 2: DatabaseValue(.double(Double(Int.random(in: 0..<400, using: &generator)) / 2))
          default: DatabaseValue(.int64(Int64.random(in: 0..<200, using: &generator)))
          }
        }
        func text() -> DatabaseValue { DatabaseValue(.string("\(Int.random(in: 0..<90, using: &generator))")) }
        for _ in 0..<100 {
          try db.execute(sql: "INSERT INTO t (a, b, c) VALUES (?, ?, ?)", arguments: [value(), text(), value()])
        }
        let column = generator.pick(["a", "b", "c", "id"])
        let offset = generator.pick(["", "", " OFFSET 3"])
        let sql =
          "SELECT \(generator.pick(["*", "id, a, b, c", "b, c, a, id"])) FROM t "
          + generator.pick([
            "", "WHERE id > 5 ", "WHERE a IS NOT NULL ", "WHERE b >= '3' AND a < 150 ", "WHERE id % 7 <> 3 ",
          ])
          + "ORDER BY \(column) \(generator.pick(["", "ASC", "DESC"])), \(generator.pick(["", "a DESC, ", "b, "]))id "
          + "LIMIT \(Int.random(in: 1...12, using: &generator))\(offset)"
        func look() throws -> ([[DatabaseValue.Storage]], DatabaseRegion) {
          let (rows, readSet) = try db.recordingReads(usesBounds: true) { try Row.fetchAll(db, sql: sql) }
          return (rows.map { $0.databaseValues.map(\.storage) }, readSet.region)
        }
        var (result, region) = try look()
        for _ in 0..<60 {
          let id = Int.random(in: 1...110, using: &generator)
          let before = try Row.fetchOne(db, sql: "SELECT * FROM t WHERE id = ?", arguments: [id])
          switch Int.random(in: 0..<5, using: &generator) {
          case 0: try db.execute(sql: "DELETE FROM t WHERE id = ?", arguments: [id])
          case 1:
            try db.execute(
              sql: "INSERT OR REPLACE INTO t VALUES (?, ?, ?, ?)", arguments: [id, value(), text(), value()])
          case 2: try db.execute(sql: "UPDATE t SET c = ? WHERE id = ?", arguments: [value(), id])
          default: try db.execute(sql: "UPDATE t SET a = ?, b = ? WHERE id = ?", arguments: [value(), text(), id])
          }
          let after = try Row.fetchOne(db, sql: "SELECT * FROM t WHERE id = ?", arguments: [id])
          guard let change = Self.change(before, after) else { continue }
          count += 1
          let isTouched = region.isModified(by: change)
          let (newResult, newRegion) = try look()
          if newResult != result, !isTouched { Issue.record("\(sql): \(region.debugDescription) missed \(change)") }
          // A row before the first selected one may change without a visible effect.
          if isTouched, offset.isEmpty { yes += 1 }
          if isTouched, offset.isEmpty, newResult == result { wrong += 1 }
          (result, region) = (newResult, newRegion)
        }
      }
    }
    print("queries with a limit: \(count) changes, \(yes) times yes, \(wrong) of them wrong")
    #expect(yes > 5)
    // Without bounds, it would be two of three: those without an offset.
    #expect(yes * 2 < count, "\(yes) of \(count)")
  }

  private static func change(_ before: Row?, _ after: Row?) -> RowChange? {
    func image(_ row: Row) -> RowImage {
      var image = RowImage(rowID: row["id"])
      for (name, value) in row { image.values[name] = value }
      return image
    }
    var change = RowChange(table: TableKey("t"), kind: .update)
    switch (before, after) {
    case (nil, nil): return nil
    case (let old?, nil): change = RowChange(table: TableKey("t"), kind: .delete, old: image(old))
    case (nil, let new?): change = RowChange(table: TableKey("t"), kind: .insert, new: image(new))
    case (let old?, let new?):
      (change.old, change.new) = (image(old), image(new))
      let changed = image(old).values.filter { $0.value.storage != image(new).values[$0.key]?.storage }
      if changed.isEmpty { return nil }
      change.changedColumns = Set(changed.keys)
    }
    return change
  }
}
