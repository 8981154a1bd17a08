import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The relevant rows of a joined table are those with a matching row in the other table.
@Suite struct LinkedRegionTests {
  private static let schema = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, owner INTEGER, kind TEXT);
    CREATE INDEX itemByOwner ON item(owner);
    CREATE TABLE tag (id INTEGER PRIMARY KEY, item INTEGER REFERENCES item, name TEXT);
    CREATE INDEX tagByItem ON tag(item);
    CREATE TABLE note (tag INTEGER, text TEXT);
    INSERT INTO item VALUES (1, 5, 'a'), (2, 5, 'b'), (3, 6, 'a');
    INSERT INTO tag VALUES (10, 1, 'x'), (20, 2, 'y'), (30, 3, 'x'), (40, NULL, 'z');
    """

  /// The region of a query in an observation.
  private func region(_ sql: String, _ arguments: StatementArguments = [], after change: String = "") throws -> String {
    try observedRegion(of: sql, arguments: arguments, in: Self.schema + change)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("item JOIN tag ON tag.item = item.id WHERE item.owner = ?", "item(id,owner) where owner = 5,tag(item) where item in (1, 2)"),
    ("item, tag WHERE item.id = tag.item AND ? = owner", "item(id,owner) where owner = 5,tag(item) where item in (1, 2)"),
    ("item LEFT JOIN tag ON tag.item = item.id AND tag.name = 'x' WHERE item.owner = ?",
      "item(id,owner) where owner = 5,tag(item,name) where item in (1, 2) and name = \"x\""),
    // The other way round.
    ("tag JOIN item ON item.id = tag.item WHERE tag.id = 2 * ?", "item(id) where id = 1,tag(id,item) where id = 10"),
    ("tag JOIN item ON item.id = tag.item WHERE tag.id = 5 * ?", "tag(id,item) where id = 25"),
    ("tag JOIN item ON item.id = tag.item WHERE tag.item = ?", "item(id) where id = 5,tag(item) where item = 5"),
    // After another table.
    ("item JOIN tag ON tag.item = item.id JOIN note ON note.tag = tag.id WHERE item.owner = ?",
      "item(id,owner) where owner = 5,note(tag) where tag in (10, 20),tag(id,item) where item in (1, 2)"),
    // A self join.
    ("tag a JOIN tag b ON b.item = a.id WHERE a.item + 0 = ?", "tag(id,item)"),
    // In a subquery, and in a correlated one.
    ("(SELECT tag.item FROM item JOIN tag ON tag.item = item.id WHERE item.owner = ?)",
      "item(id,owner) where owner = 5,tag(item) where item in (1, 2)"),
    // The relevant items are unknown, or no index finds them.
    ("item JOIN tag ON tag.item = item.id WHERE item.kind = ?", "item(id,kind) where kind = \"5\",tag(item)"),
    ("item JOIN tag ON tag.item < item.id WHERE item.owner = ?", "item(id,owner) where owner = 5,tag(item)"),
    ("item LEFT JOIN tag ON tag.item = item.id WHERE tag.id = ?", "item(id),tag(id,item) where id = 5"),
    ("item JOIN tag ON tag.item = item.id OR tag.name = 'x' WHERE item.owner = ?", "item(id,owner) where owner = 5,tag(item,name)"),
    ("item RIGHT JOIN tag ON tag.item = item.id WHERE item.owner = ?", "item(id,owner) where owner = 5,tag(item)"),
    ("item JOIN tag ON tag.name = item.owner WHERE item.owner = ?", "item(owner) where owner = 5,tag(name)"),
  ])
  func equalColumnsSelectRows(sources: String, region expected: String) throws {
    let known = try region("SELECT 1 FROM \(sources)", [5])
    #expect(known == expected)
  }

  @Test func keysSelectTheirRow() throws {
    let one = try region("SELECT item.* FROM tag JOIN item ON item.id = tag.item WHERE tag.id = ?", [20])
    #expect(one == "item(id,kind,owner) where id = 2,tag(id,item) where id = 20")
    let none = try region("SELECT item.* FROM tag JOIN item ON item.id = tag.item WHERE tag.id = ?", [40])
    #expect(none == "tag(id,item) where id = 40")
  }

  @Test func implicitRowIDsJoinOtherColumns() throws {
    let known = try region(
      "SELECT 1 FROM note JOIN tag ON tag.item = note.rowid WHERE note.tag = 7",
      after: "INSERT INTO note VALUES (7, 'a'), (8, 'b'); CREATE INDEX noteByTag ON note(tag);")
    #expect(known == "note(ROWID,tag) where tag = 7,tag(item) where item = 1")
  }

  @Test func tooManyValuesGiveTheWholeTable() throws {
    let many = """
      WITH RECURSIVE number (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM number WHERE n < 400)
      INSERT INTO item SELECT n, 5, 'many' FROM number;
      """
    let known = try region(
      "SELECT tag.name FROM item JOIN tag ON tag.item = item.id WHERE item.owner = 5", after: many)
    #expect(known == "item(id,owner) where owner = 5,tag(item,name)")
  }

  @Test func `a text that is not UTF-8 gives the whole table`() throws {
    let sql = "SELECT 1 FROM item JOIN tag ON tag.name = item.kind WHERE item.owner = 5"
    let known = try region(sql)
    #expect(known == #"item(kind,owner) where owner = 5,tag(name) where name in ("a", "b")"#)
    let unknown = try region(sql, after: "UPDATE item SET kind = CAST(x'ff' AS TEXT) WHERE id = 1")
    #expect(unknown == "item(kind,owner) where owner = 5,tag(name)")
  }

  @Test func `a probe that takes too long gives the whole table`() throws {
    let sql = "SELECT 1 FROM item JOIN tag ON tag.item = item.id WHERE item.owner = 5 AND item.kind = 'a'"
    let known = try region(sql)
    #expect(known == #"item(id,kind,owner) where kind = "a" and owner = 5,tag(item) where item = 1"#)
    let many = """
      WITH RECURSIVE number (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
      INSERT INTO item SELECT n, 5, 'many' FROM number;
      """
    let unknown = try region(sql, after: many)
    #expect(unknown == #"item(id,kind,owner) where kind = "a" and owner = 5,tag(item)"#)
  }

  @Test func `a probe that fails gives the whole table`() throws {
    let region = try inMemory { db in
      try db.execute(sql: Self.schema)
      let statement = try db.makeStatement(
        sql: "SELECT tag.name FROM item JOIN tag ON tag.item = item.id WHERE item.owner = 5 ORDER BY tag.id")
      _ = statement.databaseRegion
      // The probe cannot be compiled.
      let lengthMax = sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, 50)
      defer { sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, lengthMax) }
      let (names, readSet) = try db.recordingReads(usesBounds: true) { try String.fetchAll(statement) }
      #expect(names == ["x", "y"])
      return readSet.region.debugDescription
    }
    #expect(region == "item(id,owner) where owner = 5,tag(id,item,name)")
  }

  @Test func `a probe without a usable result pauses for more executions each time`() throws {
    try inMemory { db in
      try db.execute(
        sql: Self.schema + """
          WITH RECURSIVE number (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM number WHERE n < 400)
          INSERT INTO item SELECT n, 5, 'many' FROM number
          """)
      let sql = "SELECT tag.name FROM item JOIN tag ON tag.item = item.id WHERE item.owner = 5"
      func isRefined() throws -> Bool {
        try db.recordingReads(usesBounds: true) { _ = try Row.fetchAll(db, sql: sql) }
          .readSet.region.debugDescription.contains("item in")
      }
      // It runs in the first execution, pauses for one, runs in the third one, and pauses for two.
      for _ in 1...3 { #expect(try !isRefined()) }
      try db.execute(sql: "DELETE FROM item WHERE kind = 'many'")
      let executions = try (4...7).map { _ in try isRefined() }
      #expect(executions == [false, false, true, true])
    }
  }

  @Test func unrefinedRegionsDependOnlyOnTheText() throws {
    let region = try inMemory { db in
      try db.execute(sql: Self.schema)
      let statement = try db.makeStatement(
        sql: "SELECT tag.name FROM item JOIN tag ON tag.item = item.id WHERE item.owner = 5")
      return statement.databaseRegion.debugDescription
    }
    #expect(region == "item(id,owner) where owner = 5,tag(item,name)")
  }

  // MARK: - Observations

  @Test(arguments: Observed.allCases)
  func unrelatedJoinedRowsDoNotWakeAnObservation(_ observed: Observed) throws {
    try observed.withDatabase { database in
      try database.write { try $0.execute(sql: Self.schema) }
      let observation = ValueObservation.tracking { db in
        try String.fetchAll(
          db,
          sql: """
            SELECT tag.name FROM item JOIN tag ON tag.item = item.id WHERE item.owner = ? ORDER BY tag.id
            """, arguments: [5])
      }
      let (deliveries, cancellable) = observation.collect(in: database)
      try deliveries.wait(forLast: ["x", "y"])
      try database.write { try $0.execute(sql: "UPDATE tag SET name = 'other' WHERE item = 3 OR item IS NULL") }
      try database.write { try $0.execute(sql: "INSERT INTO tag VALUES (50, 3, 'more'), (60, NULL, 'nobody')") }
      #expect(database.observationMetrics.wakeCount == 0)
      // An item is inserted together with its tags.
      try database.write { try $0.execute(sql: "UPDATE item SET owner = 5 WHERE id = 3") }
      try deliveries.wait(forLast: ["x", "y", "other", "more"])
      try database.write { try $0.execute(sql: "UPDATE tag SET name = 'its' WHERE id = 30") }
      try deliveries.wait(forLast: ["x", "y", "its", "more"])
      // Both tables in one commit.
      try database.write { db in
        try db.execute(sql: "INSERT INTO item VALUES (4, 5, 'c'); INSERT INTO tag VALUES (5, 4, 'new')")
      }
      try deliveries.wait(forLast: ["new", "x", "y", "its", "more"])
      // A tag moves from an irrelevant item to a relevant one.
      try database.write { try $0.execute(sql: "UPDATE tag SET item = 1 WHERE id = 60") }
      try deliveries.wait(forLast: ["new", "x", "y", "its", "more", "nobody"])
      cancellable.cancel()
    }
  }
}
