import TestSupport
import Testing
import Tidemark

/// Rows that a request sorts equally have the order in which `fetchAll` returns them, after every commit.
@Suite(.untilItHangs) struct TieOrderOracleTests {
  private struct Thing: Equatable, Identifiable, FetchableRecord, Sendable {
    var id: Int64
    var text: String

    init(row: Row) {
      id = row["id"]
      text = row.map { "\($0) \($1)" }.joined(separator: ", ")
    }
  }

  private final class Follower: Sendable {
    let name: String
    let request: SQLRequest<Thing>
    let list = Locked<[Thing]>([])
    private let task = Locked<Task<Void, any Error>?>(nil)

    init(_ request: SQLRequest<Thing>, _ name: String, in writer: any DatabaseWriter) {
      (self.request, self.name) = (request, name)
      let list = list
      let differences = request.differencesByRow().values(in: AnyDatabaseWriter(writer))
      task.update { $0 = Task { for try await difference in differences { list.update { $0.apply(difference) } } } }
    }

    func becomes(_ expected: [Thing], after what: String) async throws {
      do {
        try await waitUntil(name) { self.list.value == expected }
      } catch {
        Issue.record("\(name), after \(what): \(list.value.map(\.text)), expected \(expected.map(\.text))")
        throw error
      }
    }

    func end() async {
      task.value?.cancel()
      _ = await task.value?.result
    }
  }

  @Test(arguments: RequestDatabase.kinds, 0..<6)
  func tiesHaveTheOrderOfFetchAll(_ home: RequestDatabase, _ number: Int) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    var generator = SeededRandom(function: "tiesHaveTheOrderOfFetchAll(\(home), \(number))")
    let setup = generator.thingSetup()
    try await writer.write { try $0.execute(sql: setup) }
    let followers = (0..<6).map { _ in
      let (sql, arguments) = generator.thingRequest()
      return Follower(
        SQLRequest(sql: sql, arguments: arguments), "\(sql) \(arguments.description), in: \(setup)", in: writer)
    }
    for _ in 0..<20 {
      let statements = generator.thingChanges()
      try await writer.write { try $0.execute(sql: statements) }
      for follower in followers {
        let expected = try await writer.read { try follower.request.fetchAll($0) }
        try await follower.becomes(expected, after: statements)
      }
    }
    for follower in followers { await follower.end() }
  }

  /// The request itself is the example of the problem report.
  @Test(arguments: RequestDatabase.kinds, ["", "CREATE INDEX thingByScore ON thing(score)"])
  func descendingOrderKeepsTheOrderOfTies(_ home: RequestDatabase, _ index: String) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write { db in
      try db.execute(sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY, score INTEGER, name TEXT); \(index)")
      for id in 1...9 { try db.execute(sql: "INSERT INTO thing VALUES (?, ?, 'n')", arguments: [id, id % 3]) }
    }
    let follower = Follower("SELECT * FROM thing ORDER BY score DESC", "by score", in: writer)
    for id in 1...9 {
      try await writer.write {
        try $0.execute(sql: "UPDATE thing SET score = 2 - score WHERE id = ?", arguments: [10 - id])
      }
      try await follower.becomes(writer.read { try follower.request.fetchAll($0) }, after: "\(id)")
    }
    await follower.end()
  }

  /// A connection may choose another query plan without a change of the schema.
  @Test func settingsOfTheConnectionMayChangeTheOrder() async throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(path: folder.path("db"))
    try await dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY, score INTEGER)")
      for id in 1...9 { try db.execute(sql: "INSERT INTO thing VALUES (?, ?)", arguments: [id, id % 3]) }
    }
    let follower = Follower("SELECT * FROM thing ORDER BY score", "by score", in: dbQueue)
    for value in ["ON", "OFF", "ON"] {
      try await dbQueue.write { try $0.execute(sql: "UPDATE thing SET score = score + 1 WHERE id = 5") }
      try await follower.becomes(dbQueue.read { try follower.request.fetchAll($0) }, after: "an update")
      try await dbQueue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA reverse_unordered_selects = \(value)")
        try db.execute(sql: "UPDATE thing SET score = score + 1 WHERE id = 4")
      }
      try await follower.becomes(dbQueue.read { try follower.request.fetchAll($0) }, after: value)
    }
    await follower.end()
  }

  /// SQLite chooses the query plan for the arguments: only one of them allows the index.
  @Test(arguments: RequestDatabase.kinds)
  func argumentsMayDetermineTheOrder(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try await writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE thing (id INTEGER PRIMARY KEY, kind TEXT, score INTEGER, part INTEGER);
          CREATE INDEX thingByPart ON thing(kind, score, part DESC) WHERE kind = 'a';
          """)
      for id in 1...30 {
        try db.execute(
          sql: "INSERT INTO thing VALUES (?, ?, ?, ?)", arguments: [id, id % 5 == 0 ? "b" : "a", id % 3, id % 4])
      }
    }
    let followers = ["a", "b"].map {
      Follower("SELECT id, score FROM thing WHERE kind = \($0) ORDER BY score", "kind \($0)", in: writer)
    }
    for id in 1...30 {
      try await writer.write {
        try $0.execute(sql: "UPDATE thing SET part = (part * 3 + 1) % 5 WHERE id = ?", arguments: [id])
      }
      for follower in followers {
        try await follower.becomes(writer.read { try follower.request.fetchAll($0) }, after: "\(id)")
      }
    }
    for follower in followers { await follower.end() }
  }
}

extension SeededRandom {
  private static let columns = ["a", "b", "c", "d", "id"]

  private mutating func chance(_ one: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &self) < one }

  private mutating func thingValue() -> String {
    pick(["NULL", "0", "1", "2", "1.0", "'a'", "'A'", "'a '", "'b'", "'B'", "x'61'", "''"])
  }

  fileprivate mutating func thingSetup() -> String {
    let key = pick(["id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY", "id INTEGER UNIQUE", "id INTEGER"])
    let textColumn = pick(["d TEXT", "d TEXT COLLATE NOCASE", "d COLLATE RTRIM", "d"])
    var setup = "CREATE TABLE thing (\(key), a INTEGER, b, c TEXT, \(textColumn), e DEFAULT 7);\n"
    for number in 0..<Int.random(in: 0...3, using: &self) { setup += thingIndex("i\(number)") + ";\n" }
    for id in 1...40 where chance(3, of: 4) {
      setup += "INSERT INTO thing (id, a, b, c, d) VALUES (\(id), \(thingValue()), \(thingValue()), "
      setup += "\(thingValue()), \(thingValue()));\n"
    }
    return setup
  }

  private mutating func thingIndex(_ name: String) -> String {
    let columns = Array(Self.columns.shuffled(using: &self).prefix(Int.random(in: 1...3, using: &self)))
    let terms = columns.map {
      "\($0)\(pick(["", "", "", " COLLATE NOCASE", " COLLATE RTRIM"]))\(pick(["", "", " DESC"]))"
    }
    let expression = chance(1, of: 12) ? ", b || c" : ""
    let condition = chance(1, of: 4) ? pick([" WHERE a = 1", " WHERE b IS NOT NULL", " WHERE id > 10"]) : ""
    return "CREATE INDEX \(name) ON thing(\(terms.joined(separator: ", "))\(expression))\(condition)"
  }

  fileprivate mutating func thingRequest() -> (sql: String, arguments: StatementArguments) {
    let selection = pick(["*", "id, a", "id, c", "b, id, d", "id, d AS title", "id, a + 1", "t.*, t.rowid"])
    var arguments: StatementArguments = []
    var condition = ""
    if chance(2, of: 3) {
      let value: any DatabaseValueConvertible = chance(1, of: 2) ? pick([0, 1, 2]) : pick(["a", "A", "b"])
      let column = pick(Self.columns)
      condition = pick([
        "\(column) = ?", "\(column) >= ?", "\(column) < ?", "\(column) IS NOT ?", "\(column) = ? OR a = 1",
        "\(column) IN (?, 1, 'b')", "a IN (1, 2, 0) AND \(column) > ?", "\(column) = ? OR id < 20",
        "\(column) LIKE ? OR id > 4",
      ])
      arguments = [value]
      condition = " WHERE \(condition)"
      if chance(1, of: 3) { condition += " AND " + pick(["b IS NOT NULL", "id > 10", "a = 1", "d <> 'b'"]) }
    }
    let columns = Array(Self.columns.dropLast().shuffled(using: &self).prefix(Int.random(in: 0...3, using: &self)))
    let terms = columns.map {
      "\($0)\(pick(["", "", " COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY"]))\(pick(["", " DESC", " ASC"]))"
    }
    let order = terms.isEmpty ? "" : " ORDER BY \(terms.joined(separator: ", "))"
    return ("SELECT \(selection) FROM thing t\(condition)\(order)", arguments)
  }

  /// The statements of a transaction. It may reload the schema, so that all connections have the same statistics.
  fileprivate mutating func thingChanges() -> String {
    if chance(1, of: 25) { return "DROP INDEX IF EXISTS extra; \(thingIndex("extra")); ANALYZE" }
    if chance(1, of: 25) { return "ANALYZE; DROP INDEX IF EXISTS extra; CREATE INDEX extra ON thing(e)" }
    return (0..<Int.random(in: 1...3, using: &self)).map { _ in thingChange() }.joined(separator: ";\n")
  }

  private mutating func thingChange() -> String {
    let (id, column) = (Int.random(in: 1...45, using: &self), pick(["a", "b", "c", "d"]))
    switch Int.random(in: 0..<12, using: &self) {
    case 0..<5: return "UPDATE thing SET \(column) = \(thingValue()) WHERE id = \(id)"
    case 5: return "UPDATE thing SET \(column) = \(thingValue()) WHERE id % 4 = 1"
    case 6: return "DELETE FROM thing WHERE id = \(id)"
    case 7: return "DELETE FROM thing WHERE id IN (\(id), \(id + 1)) AND a IS \(thingValue())"
    case 8: return "UPDATE OR REPLACE thing SET rowid = \(id) WHERE rowid = \(id % 7 + 20)"
    case 9: return "UPDATE thing SET \(column) = \(pick(["a", "b", "c", "d"])) WHERE id > \(id)"
    default:
      return "INSERT OR REPLACE INTO thing (id, a, b, c, d) VALUES (\(id), \(thingValue()), \(thingValue()), "
        + "\(thingValue()), \(thingValue()))"
    }
  }
}
