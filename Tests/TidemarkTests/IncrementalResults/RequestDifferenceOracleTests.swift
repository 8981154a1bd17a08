import TestSupport
import Testing
import Tidemark

/// An element of any of the requests: it has all columns that they select.
private struct Item: Equatable, Identifiable, FetchableRecord, Sendable {
  var id: Int64
  var text: String

  init(row: Row) {
    id = row["id"] ?? row["key"] ?? 0
    text = row.map { "\($0) \($1)" }.joined(separator: ", ")
  }
}

/// The differences of a request produce its result, after writes of any kind.
@Suite(.untilItHangs) struct RequestDifferenceOracleTests {
  /// Many rows sort equally: they have the order in which SQLite reads them.
  private static let requests: [(sql: String, arguments: StatementArguments)] = [
    ("SELECT * FROM item", []),
    ("SELECT * FROM item ORDER BY score DESC", []),
    ("SELECT id, name FROM item ORDER BY score, name", []),
    ("SELECT id, name, score FROM item WHERE score >= ? OR id = 0 ORDER BY name DESC, id", [40]),
    ("SELECT i.id, i.score * 2 FROM item i WHERE i.kind IN (?, ?, 'marker') ORDER BY i.label", ["a", "b"]),
    ("SELECT id, label FROM item WHERE kind <> :kind ORDER BY label COLLATE RTRIM DESC", ["kind": "c"]),
    ("SELECT id FROM item WHERE kind = 'marker' OR score BETWEEN 10 AND 60 ORDER BY ratio DESC, score", []),
    ("SELECT name AS title, id FROM item ORDER BY kind, score DESC;", []),
    // Not updated row by row.
    ("SELECT id, abs(score) FROM item ORDER BY id", []),
    ("SELECT id FROM item ORDER BY id = 0 DESC, score, id LIMIT 7", []),
    ("SELECT kind AS text, max(id = 0) - 1 AS id, sum(score) FROM item GROUP BY kind ORDER BY kind", []),
  ]

  @Test(arguments: RequestDatabase.allCases, requests.indices)
  func appliedDifferencesMatchRandomRequests(_ home: RequestDatabase, _ number: Int) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write { try $0.createItems() }
    try await check(number, writer, [writer], "theListIsTheResult(\(home), \(number))")
  }

  @Test(arguments: RequestDatabase.kinds, requests.indices)
  func `applied differences match random requests if other connections write, too`(
    _ home: RequestDatabase, _ number: Int
  ) async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.changeFeed = ChangeFeedConfiguration()
    configuration.busyMode = .timeout(60)
    let writer = try home.open(folder.path("db"), configuration)
    try await writer.write { try $0.createItems() }
    let other = try home.open(folder.path("db"), configuration)
    let writers: [any DatabaseWriter] = [other, other, writer]
    try await check(number, writer, writers, "otherConnections(\(home), \(number))")
  }

  /// Applies the differences of a request in one database, while some databases write.
  private func check(
    _ number: Int, _ writer: any DatabaseWriter, _ writers: [any DatabaseWriter], _ name: String
  ) async throws {
    let (sql, arguments) = Self.requests[number]
    let request = SQLRequest<Item>(sql: sql, arguments: arguments)

    let list = Locked<[Item]>([])
    let count = Locked(0)
    let loop = Task {
      for try await difference in request.differencesByRow().values(in: writer) {
        list.update { $0.apply(difference) }
        count.update { $0 += 1 }
      }
    }
    var generator = SeededRandom(function: name)
    for round in 0..<25 {
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let statements = generator.statements()
        try await writers[Int.random(in: 0..<writers.count, using: &generator)].write { db in
          for statement in statements { try db.execute(sql: statement) }
        }
        // Some changes are observed one by one, others together.
        if Bool.random(using: &generator) { await Task.yield() }
      }
      try await writers[0].write { db in
        try db.execute(sql: "UPDATE item SET name = \(round), score = \(round) + 50 WHERE id = 0")
      }
      let result = try await writer.read { try request.fetchAll($0) }
      try await waitUntil("\(sql), round \(round)") { list.value == result }
    }
    #expect(count.value > 1)
    loop.cancel()
    _ = await loop.result
  }
}

extension Database {
  fileprivate func createItems() throws {
    try execute(
      sql: """
        CREATE TABLE item (
          id INTEGER PRIMARY KEY, name TEXT, score INTEGER, ratio REAL, kind TEXT, label TEXT COLLATE NOCASE,
          code TEXT UNIQUE);
        CREATE INDEX itemByScore ON item(score);
        CREATE TABLE other (id INTEGER PRIMARY KEY, n INTEGER);
        CREATE TRIGGER otherChanges AFTER INSERT ON other BEGIN
          UPDATE item SET score = score + 1 WHERE id = new.id;
        END;
        INSERT INTO item VALUES (0, 'marker', 50, NULL, 'marker', 'marker', NULL);
        INSERT INTO item SELECT value, 'n' || value % 7, value * 13 % 100, value / 3.0, 'a', 'L' || value % 5, NULL
        FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30]');
        """)
  }
}

extension SeededRandom {
  /// The statements of a transaction.
  fileprivate mutating func statements() -> [String] {
    (0..<Int.random(in: 1...3, using: &self)).map { _ in statement() }
  }

  private mutating func statement() -> String {
    let (id, score) = (Int.random(in: 1...40, using: &self), Int.random(in: -5...100, using: &self))
    let name = pick(["'n1'", "'N1'", "'n2 '", "'n2'", "NULL", "'é'", "3", "2.5", "x'00'", "'zebra'", "''"])
    let kind = pick(["'a'", "'b'", "'c'", "NULL"])
    switch Int.random(in: 0..<24, using: &self) {
    case 0..<5: return "UPDATE item SET score = \(score) WHERE id = \(id)"
    case 5..<7: return "UPDATE item SET name = \(name), label = \(name) WHERE id = \(id)"
    case 7: return "UPDATE item SET kind = \(kind) WHERE id = \(id)"
    case 8..<12:
      return "INSERT OR REPLACE INTO item (id, name, score, ratio, kind, label, code) "
        + "VALUES (\(id), \(name), \(score), \(score) / 7.0, \(kind), \(name), \(name))"
    case 12..<14: return "DELETE FROM item WHERE id = \(id)"
    case 14: return "UPDATE OR IGNORE item SET id = \(id) WHERE id = \(Int.random(in: 1...40, using: &self))"
    case 15: return "UPDATE item SET score = score + 1 WHERE id % 3 = 1"
    case 16: return "INSERT OR IGNORE INTO other VALUES (\(id), 1)"
    case 17: return "UPDATE item SET ratio = NULL WHERE id = \(id)"
    case 18: return "DELETE FROM item WHERE id > 30"
    case 19: return "SAVEPOINT s; UPDATE item SET score = -1; ROLLBACK TO s; RELEASE s"
    case 20: return "INSERT INTO item (name, score, kind, label) VALUES (\(name), \(score), \(kind), 'q')"
    case 21 where Int.random(in: 0..<4, using: &self) == 0: return "DELETE FROM item WHERE id <> 0"
    case 22 where Int.random(in: 0..<4, using: &self) == 0:
      return "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 180) "
        + "INSERT OR IGNORE INTO item (id, name, score, kind, label) SELECT i, 'bulk', i % 10, 'b', 'B' || i % 3 FROM n"
    case 23 where Int.random(in: 0..<6, using: &self) == 0:
      return "ALTER TABLE item ADD COLUMN extra\(UInt32.random(in: 0...UInt32.max, using: &self)) INTEGER DEFAULT 7"
    default: return "UPDATE item SET label = 'L' || \(score) WHERE id = \(id)"
    }
  }
}
