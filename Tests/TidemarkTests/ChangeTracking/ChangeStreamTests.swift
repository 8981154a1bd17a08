import TestSupport
import Testing
import Tidemark

/// The transactions that a change stream delivers, on queues and on a pool.
@Suite(.untilItHangs) struct ChangeStreamTests {
  // MARK: - Rows

  @Test(arguments: Observed.streamed)
  func `a transaction has its changes in the order of their execution`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20)")
      try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = 1")
      try db.execute(sql: "INSERT INTO team VALUES (7, 'Red')")
      try db.execute(sql: "DELETE FROM player WHERE id = 2")
      try db.execute(sql: "UPDATE player SET id = 3")
    }
    #expect(
      try await lines(stream) == [
        "INSERT player [1]: id 1, name \"Ada\", score 10",
        "INSERT player [2]: id 2, name \"Bob\", score 20",
        "UPDATE player [1]: score 10 → 11",
        "INSERT team [7]: id 7, name \"Red\"",
        "DELETE player [2]: id 2, name \"Bob\", score 20",
        "UPDATE player [3]: id 1 → 3",
      ])
  }

  @Test(arguments: Observed.streamed)
  func `each transaction is an element`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes()
    for name in ["Ada", "Bob", "Cem"] {
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES (?)", arguments: [name]) }
    }
    #expect(try await lines(stream) == ["INSERT team [1]: id 1, name \"Ada\""])
    #expect(try await lines(stream) == ["INSERT team [2]: id 2, name \"Bob\""])
    #expect(try await lines(stream) == ["INSERT team [3]: id 3, name \"Cem\""])
  }

  @Test func `autocommitted statements are transactions`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes()
    try await database.writer.writeWithoutTransaction { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red'); INSERT INTO team VALUES (2, 'Blue')")
    }
    #expect(try await lines(stream) == ["INSERT team [1]: id 1, name \"Red\""])
    #expect(try await lines(stream) == ["INSERT team [2]: id 2, name \"Blue\""])
  }

  @Test(arguments: Observed.streamed)
  func `changes that are undone are left out`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes()
    await #expect(throws: DatabaseError.self) {
      try await database.writer.write { try $0.execute(sql: "INSERT INTO team VALUES (1, 'Red'); SELECT nothing") }
    }
    try await database.writer.write { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO team VALUES (2, 'Blue')")
        return .rollback
      }
      try db.execute(sql: "INSERT OR IGNORE INTO team VALUES (1, 'Green')")
    }
    #expect(try await lines(stream) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test func `the changes of triggers, cascades and conflicts are included`() async throws {
    let database = try Observed.pool.open()
    try await database.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
          CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE);
          CREATE TABLE note (text);
          CREATE TRIGGER noted AFTER DELETE ON child BEGIN INSERT INTO note VALUES (old.id); END;
          INSERT INTO parent VALUES (1, 'a'), (2, 'b');
          INSERT INTO child VALUES (5, 1);
          """)
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(sql: "DELETE FROM parent WHERE id = 1")
      try db.execute(sql: "INSERT OR REPLACE INTO parent VALUES (3, 'b')")
    }
    #expect(
      try await lines(stream) == [
        "DELETE parent [1]: id 1, name \"a\"",
        "DELETE child [5]: id 5, parent 1",
        "INSERT note [1]: text 5",
        "DELETE parent [2]: id 2, name \"b\"",
        "INSERT parent [3]: id 3, name \"b\"",
      ])
  }

  @Test func `rows without row ID are identified by their key, and generated columns are left out`() async throws {
    let database = try Observed.pool.open()
    try await database.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE tag (owner, name TEXT, length AS (length(name)), upper AS (upper(name)) STORED, extra REAL,
            PRIMARY KEY (name, owner)) WITHOUT ROWID
          """)
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(sql: "INSERT INTO tag (owner, name, extra) VALUES (1, 'a', 2)")
      try db.execute(sql: "UPDATE tag SET owner = 2")
    }
    #expect(
      try await lines(stream) == [
        "INSERT tag [\"a\", 1]: owner 1, name \"a\", extra 2.0",
        "UPDATE tag [\"a\", 2]: owner 1 → 2",
      ])
  }

  @Test func `the changes of a record type are decoded`() async throws {
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
      var id: Int64
      var name: String
      var score: Int
    }
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Player.all())
    try await database.writer.write { db in
      try Player(id: 1, name: "Ada", score: 10).insert(db)
      try Player(id: 1, name: "Ada", score: 20).update(db)
    }
    var iterator = stream.makeAsyncIterator()
    let changes = try #require(try await iterator.next()).changes(of: Player.self)
    #expect(changes.map(\.oldRecord) == [nil, Player(id: 1, name: "Ada", score: 10)])
    #expect(changes.map(\.newRecord) == [Player(id: 1, name: "Ada", score: 10), Player(id: 1, name: "Ada", score: 20)])
  }

  // MARK: - Regions

  private struct Region: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let region: any DatabaseRegionConvertible
  }

  @Test(arguments: [
    Region(testDescription: "a table", region: Table("player")),
    Region(testDescription: "columns", region: SQLRequest<Row>(sql: "SELECT score FROM player")),
    Region(testDescription: "a row", region: SQLRequest<Row>(sql: "SELECT * FROM player WHERE id = 1")),
    Region(testDescription: "values", region: SQLRequest<Row>(sql: "SELECT * FROM player WHERE name = 'Ada'")),
  ])
  private func `only changes of the regions are delivered`(_ region: Region) async throws {
    let database = try Observed.pool.open()
    try await database.writer.write { db in
      try db.execute(
        sql: "INSERT INTO player VALUES (1, 'Ada', 10), (2, 'Bob', 20); INSERT INTO team VALUES (1, 'Red')")
    }
    let stream = try await database.writer.changes(in: region.region)
    let other = region.testDescription == "columns" ? "UPDATE player SET name = 'Eve' WHERE id = 1" : ""
    let row = ["a row", "values"].contains(region.testDescription) ? "UPDATE player SET score = 21 WHERE id = 2" : ""
    try await database.writer.write { try $0.execute(sql: "UPDATE team SET name = 'Blue'; \(other); \(row)") }
    try await database.writer.write { db in
      try db.execute(sql: "UPDATE team SET name = 'Green'; \(row); UPDATE player SET score = 11 WHERE id = 1")
    }
    #expect(try await lines(stream) == ["UPDATE player [1]: score 10 → 11"])
  }

  @Test func `several regions are joined`() async throws {
    let database = try Observed.queue.open()
    let stream = try await database.writer.changes(in: Table("team"), Table("player"))
    try await database.writer.write { db in
      try db.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 10); INSERT INTO team VALUES (1, 'Red')")
    }
    #expect(try await lines(stream).count == 2)
  }

  @Test func `a region that cannot be resolved is an error`() async throws {
    let database = try Observed.pool.open()
    await #expect(throws: DatabaseError.self) { try await database.writer.changes(in: Table("nothing")) }
  }

  @Test func `a table that replaces a table of the regions is followed`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Table("player"))
    let sql = "CREATE TABLE player (name TEXT, id INTEGER PRIMARY KEY)"
    try await database.writer.write { db in
      try db.execute(sql: "DROP TABLE player; \(sql); INSERT INTO player VALUES ('Ada', 1)")
    }
    try await database.writer.write { try $0.execute(sql: "INSERT INTO player VALUES ('Bob', 2)") }
    #expect(try await lines(stream) == ["DROP TABLE player", sql, "INSERT player [1]: name \"Ada\", id 1"])
    #expect(try await lines(stream) == ["INSERT player [2]: name \"Bob\", id 2"])
  }

  // MARK: - Other changes

  @Test func `schema changes are SQL, between the rows that they separate`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
      try db.alter(table: "team") { $0.add(column: "rank", .integer).defaults(to: 5) }
      try db.execute(sql: "UPDATE team SET name = 'Blue'")
      try db.execute(sql: "ALTER TABLE team RENAME COLUMN rank TO place")
      try db.execute(sql: "UPDATE team SET place = 6")
      try db.execute(sql: "CREATE INDEX teams ON team (name)")
      try db.execute(sql: "INSERT INTO team VALUES (2, 'Green', 7)")
    }
    #expect(
      try await lines(stream) == [
        "INSERT team [1]: id 1, name \"Red\"",
        "ALTER TABLE \"team\" ADD COLUMN \"rank\" INTEGER DEFAULT 5",
        "UPDATE team [1]: name \"Red\" → \"Blue\"",
        "ALTER TABLE team RENAME COLUMN rank TO place",
        "UPDATE team [1]: place 5 → 6",
        "CREATE INDEX teams ON team (name)",
        "INSERT team [2]: id 2, name \"Green\", place 7",
      ])
  }

  @Test func `a table that was built under another name makes a transaction unknown`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes(in: Table("player"))
    try await database.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
          INSERT INTO new SELECT id, name, score * 2 FROM player;
          DROP TABLE player;
          ALTER TABLE new RENAME TO player;
          """)
    }
    var iterator = stream.makeAsyncIterator()
    #expect(try await iterator.next()?.completeness == .incomplete(.unknown))
  }

  @Test func `schema changes that are undone are left out`() async throws {
    let database = try Observed.pool.open()
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.inSavepoint {
        try db.execute(sql: "CREATE TABLE note (text)")
        return .rollback
      }
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Red')")
    }
    #expect(try await lines(stream) == ["INSERT team [1]: id 1, name \"Red\""])
  }

  @Test(arguments: Observed.streamed)
  func `the counters of autoincremented keys, and the user version, are elements`(_ kind: Observed) async throws {
    let database = try kind.open()
    try await database.writer.write { db in
      try db.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, name)")
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(sql: "INSERT INTO event VALUES (41, 'a'); INSERT INTO event (name) VALUES ('b')")
      try db.execute(sql: "DELETE FROM event; PRAGMA user_version = 3")
    }
    let first = try await lines(stream)
    #expect(first.suffix(2) == ["counter of event: 42", "user_version = 3"])
    try await database.writer.write { db in
      try db.execute(sql: "UPDATE sqlite_sequence SET seq = 50 WHERE name = 'event'")
    }
    let second = try await lines(stream)
    #expect(second == ["counter of event: 50"])
    try await database.writer.write { try $0.execute(sql: "DELETE FROM sqlite_sequence") }
    #expect(try await lines(stream) == ["counter of event: none"])
    // SQLite begins to count.
    try await database.writer.write { try $0.execute(sql: "INSERT INTO event SELECT * FROM event") }
    #expect(try await lines(stream) == ["counter of event: 0"])
  }

  @Test func `a table that is created with the rows of a query is reported with these rows`() async throws {
    let database = try Observed.queue.open()
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      try db.execute(sql: "CREATE TEMP TABLE seed (a TEXT, b REAL); INSERT INTO seed VALUES ('x', 1), (NULL, 2.5)")
    }
    _ = try await lines(stream)
    try await database.writer.write { db in
      try db.execute(sql: "CREATE TABLE copy AS SELECT a, b, ? AS c FROM seed", arguments: [7])
      try db.execute(sql: "UPDATE copy SET a = 'y' WHERE a = 'x'")
    }
    #expect(
      try await lines(stream) == [
        "CREATE TABLE \"main\".copy(a TEXT,b REAL,c)", "INSERT copy [1]: a \"x\", b 1.0, c 7",
        "INSERT copy [2]: a NULL, b 2.5, c 7", "UPDATE copy [1]: a \"x\" → \"y\"",
      ])
  }

  @Test(arguments: Observed.streamed)
  func `a table that is created with rows outside of a transaction is reported`(_ kind: Observed) async throws {
    let database = try kind.open()
    let stream = try await database.writer.changes()
    try await database.writer.writeWithoutTransaction { db in
      try db.execute(sql: "CREATE TABLE copy AS SELECT 1 AS a; CREATE TABLE none AS SELECT 1 AS a WHERE 0")
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS copy AS SELECT 2 AS a")
      try db.execute(sql: "INSERT INTO copy VALUES (2)")
    }
    #expect(try await lines(stream) == ["CREATE TABLE \"main\".copy(a)", "INSERT copy [1]: a 1"])
    #expect(try await lines(stream) == ["CREATE TABLE \"main\".none(a)"])
    #expect(try await lines(stream) == ["INSERT copy [2]: a 2"])
  }

  @Test(arguments: [
    (
      "CREATE TABLE IF NOT EXISTS \"as\" AS VALUES (1)",
      ["CREATE TABLE \"main\".\"as\"(column1)", "INSERT as [1]: column1 1"]
    ),
    (
      "/* a */ create temporary table t -- as\n as select 1 AS a",
      ["CREATE TABLE \"temp\".t(a)", "INSERT temp.t [1]: a 1"]
    ),
    ("CREATE TABLE main.[as] (a, b DEFAULT 'as')", ["CREATE TABLE main.[as] (a, b DEFAULT 'as')"]),
  ])
  func `created tables are recognized`(sql: String, lines expected: [String]) async throws {
    let database = try Observed.queue.open()
    let stream = try await database.writer.changes()
    try await database.writer.write { try $0.execute(sql: sql) }
    #expect(try await lines(stream) == expected)
  }

  @Test func `a statement that creates nothing is no change`() async throws {
    let database = try Observed.queue.open()
    try await database.writer.write {
      try $0.execute(sql: "CREATE TABLE note (text); CREATE INDEX byText ON note (text)")
    }
    let stream = try await database.writer.changes()
    try await database.writer.write { db in
      for sql in ["TABLE IF NOT EXISTS note (text)", "INDEX IF NOT EXISTS byText ON note (text)"] {
        try db.execute(sql: "CREATE \(sql)")
      }
    }
    try await database.writer.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS other (text)") }
    #expect(try await lines(stream) == ["CREATE TABLE IF NOT EXISTS other (text)"])
  }
}
