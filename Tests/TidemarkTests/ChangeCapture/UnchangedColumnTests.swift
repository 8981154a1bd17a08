import Testing

import Tidemark
@testable import TidemarkEssentials

/// Columns that a statement does not update are read once. Columns that change in another way are reported.
@Suite struct UnchangedColumnTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c TEXT DEFAULT 'new', parent REFERENCES t (a));
    CREATE UNIQUE INDEX t_a ON t (a);
    INSERT INTO t VALUES (1, 1, 'one', 'x', NULL), (2, 2, 'two', 'y', 1);
    """

  /// The reported rows of the third execution of a statement: the first ones make its plans.
  private func rows(_ sql: String, schema: String = schema, _ needs: CaptureNeeds = .all) throws -> [String] {
    let (dbQueue, recorder) = try captured(schema, needs)
    var rows: [String] = []
    for _ in 0..<3 {
      try dbQueue.writeWithoutTransaction { db in
        try db.inTransaction {
          let statement = try db.cachedStatement(sql: sql)
          try statement.execute()
          return .commit
        }
      }
      rows = recorder.takeRows()
      try dbQueue.write { db in
        try db.execute(
          sql: """
            DELETE FROM t;
            INSERT INTO t (id, a, b, c, parent) VALUES (1, 1, 'one', 'x', NULL), (2, 2, 'two', 'y', 1);
            """)
      }
      _ = recorder.take()
    }
    return rows
  }

  @Test func `an update reports the values of the other columns`() throws {
    #expect(
      try rows("UPDATE t SET b = 'three' WHERE id = 1") == [
        #"update t #1(a=1 b="one" c="x" id=1 parent=NULL) -> #1(a=1 b="three" c="x" id=1 parent=NULL) [b]"#
      ])
  }

  @Test func `a column that a trigger updates in the same row is reported`() throws {
    let trigger = "CREATE TRIGGER u BEFORE UPDATE OF a ON t BEGIN UPDATE t SET c = 'z' WHERE id = old.id; END;"
    #expect(
      try rows("UPDATE t SET a = 7 WHERE id = 2", schema: Self.schema + trigger) == [
        #"update t #2(a=2 b="two" c="y" id=2 parent=1) -> #2(a=2 b="two" c="z" id=2 parent=1) [c]"#,
        #"update t #2(a=2 b="two" c="z" id=2 parent=1) -> #2(a=7 b="two" c="z" id=2 parent=1) [a]"#,
      ])
  }

  @Test(arguments: [("SET NULL", "NULL"), ("CASCADE", "7"), ("SET DEFAULT", "NULL")])
  func `a column that a foreign key of the same table changes is reported`(_ action: String, _ value: String) throws {
    let schema = Self.schema.replacing("REFERENCES t (a)", with: "REFERENCES t (a) ON UPDATE \(action)")
    let rows = try self.rows("UPDATE t SET a = 7 WHERE id = 1", schema: schema)
    #expect(
      rows.contains(
        #"update t #2(a=2 b="two" c="y" id=2 parent=1) -> #2(a=2 b="two" c="y" id=2 parent=\#(value)) [parent]"#),
      "\(rows)")
  }

  @Test func `a deletion reports the column that a foreign key of the same table sets to NULL`() throws {
    let schema = Self.schema.replacing("REFERENCES t (a)", with: "REFERENCES t (a) ON DELETE SET NULL")
    let rows = try self.rows("DELETE FROM t WHERE id = 1", schema: schema)
    #expect(
      rows.contains(
        #"update t #2(a=2 b="two" c="y" id=2 parent=1) -> #2(a=2 b="two" c="y" id=2 parent=NULL) [parent]"#),
      "\(rows)")
  }

  @Test func `an UPSERT reports the columns that it updates`() throws {
    #expect(
      try rows("INSERT INTO t (id, b, c) VALUES (1, 'new', 'q') ON CONFLICT DO UPDATE SET c = excluded.c || b") == [
        #"update t #1(a=1 b="one" c="x" id=1 parent=NULL) -> #1(a=1 b="one" c="qone" id=1 parent=NULL) [c]"#
      ])
  }

  @Test func `a generated column changes with the columns that it is computed from`() throws {
    let schema = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, parent, d AS (a || b) STORED);
      INSERT INTO t VALUES (1, 1, 'one', 'x', NULL), (2, 2, 'two', 'y', 1);
      """
    #expect(
      try rows("UPDATE t SET b = 'three' WHERE id = 1", schema: schema) == [
        #"update t #1(a=1 b="one" c="x" d="1one" id=1 parent=NULL) -> "#
          + #"#1(a=1 b="three" c="x" d="1three" id=1 parent=NULL) [b,d]"#
      ])
  }

  @Test func `a column that was added after the row has its default before and after`() throws {
    let (dbQueue, recorder) = try captured(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1); ALTER TABLE t ADD COLUMN b DEFAULT 5",
      .all)
    try dbQueue.write { try $0.execute(sql: "UPDATE t SET a = 2") }
    #expect(recorder.takeRows() == ["update t #1(a=1 b=5 id=1) -> #1(a=2 b=5 id=1) [a]"])
  }

  @Test func `a function that updates another column with the C interface is noticed`() throws {
    let (dbQueue, recorder) = try captured(Self.schema, .all)
    try dbQueue.write { db in
      nonisolated(unsafe) let connection = try #require(db.sqliteConnection)
      db.add(
        function: DatabaseFunction("touch", argumentCount: 0) { _ in
          sqlite3_exec(connection, "UPDATE t SET c = 'touched' WHERE id = 2", nil, nil, nil)
          return 9
        })
      try db.execute(sql: "UPDATE t SET b = touch() WHERE id = 1")
    }
    let changes = recorder.take()
    // The change is reported as a row, or the table as changed in an unknown way.
    let isKnown = changes.flatMap(\.rows).contains { $0.changedColumns == ["c"] }
    #expect(isKnown || changes.contains { $0.isUnknown || $0.tables.contains(where: \.isCoarse) })
  }

  @Test func `of a table with many changed rows, the updated columns are reported`() throws {
    let needs = CaptureNeeds(
      tables: [TableKey("t"): .init(columns: nil, values: nil, rows: true, rowCountMax: 1)])
    let (dbQueue, recorder) = try captured(Self.schema, needs)
    for _ in 0..<3 { try dbQueue.write { try $0.execute(sql: "UPDATE t SET b = b || '!', c = b") } }
    #expect(recorder.take().allSatisfy { $0.tables.map(\.updatedColumns) == [["b", "c"]] })
  }

  @Test(arguments: ["fts3", "fts5"])
  func `the rows of shadow tables are reported as they are stored`(_ module: String) throws {
    let (dbQueue, recorder) = try captured(
      """
      CREATE VIRTUAL TABLE doc USING \(module) (text);
      CREATE TABLE t (id INTEGER PRIMARY KEY, a, b);
      CREATE TRIGGER u AFTER UPDATE ON t BEGIN INSERT INTO doc (text) VALUES (new.a); END;
      INSERT INTO t VALUES (1, 1, 1);
      """, .all)
    func content() throws -> [String] {
      try dbQueue.read { db in
        let names = try String.fetchAll(
          db, sql: "SELECT name FROM sqlite_master WHERE name LIKE 'doc!_%' ESCAPE '!' AND type = 'table'")
        return try names.flatMap { name in
          try Row.fetchAll(db, sql: "SELECT * FROM \(name)").map { "\(name) \(Array($0.databaseValues))" }
        }
      }
    }
    for number in 0..<40 {
      let former = try content()
      try dbQueue.write { try $0.execute(sql: "UPDATE t SET a = ? WHERE id = 1", arguments: ["word \(number)"]) }
      let commits = recorder.take()
      // Each row that differs is reported, or its table as changed in an unknown way.
      let unknown = Set(commits.flatMap(\.tables).filter(\.isCoarse).map(\.key.name))
      let reported = commits.flatMap(\.rows).filter { $0.kind != .update || $0.changedColumns != [] }
      let names = unknown.union(reported.map(\.table.name))
      let added = Set(try content()).subtracting(former)
      #expect(added.allSatisfy { row in names.contains { row.hasPrefix("\($0) ") } || names.contains("doc") })
    }
  }
}
