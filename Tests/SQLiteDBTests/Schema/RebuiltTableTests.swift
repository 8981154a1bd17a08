import Testing

@testable import SQLiteDB

/// Schema changes on SQLite versions that cannot rename or drop columns, for which tables are rebuilt.
@Suite struct RebuiltTableTests {
  let db: Connection
  let changer: SchemaChanger

  init() throws {
    db = try Connection()
    changer = SchemaChanger(connection: db, version: SQLiteVersion(major: 3, minor: 8))
    try db.execute(
      """
      CREATE TABLE "t" (
        id INTEGER PRIMARY KEY AUTOINCREMENT, -- the key, and its comma
        a TEXT COLLATE NOCASE UNIQUE DEFAULT 'a, (b)', [b] INTEGER NOT NULL CHECK (b > 0 AND length(a) > 0),
        "c" REAL DEFAULT 1.5, parent INTEGER REFERENCES t (id), "o""dd" TEXT,
        doubled INTEGER GENERATED ALWAYS AS (b * 2) STORED,
        CONSTRAINT both UNIQUE (a, b), CHECK ("c" IS NOT 'b')
      );
      CREATE TABLE log (n);
      CREATE INDEX t_on_b ON t (b DESC) WHERE b > 1;
      CREATE TRIGGER tr AFTER UPDATE OF b ON t BEGIN INSERT INTO log VALUES (new.b - old.b); END;
      CREATE VIEW names AS SELECT a FROM t;
      INSERT INTO t (id, a, b) VALUES (5, 'x', 1), (9, 'y', 2);
      DELETE FROM t WHERE id = 9;
      """)
  }

  private func columns() throws -> [String] { try db.schema.columnDefinitions(table: "t").map(\.name) }

  @Test func dropColumnRebuildsTheTable() throws {
    try changer.alter(table: "T") { $0.drop(column: "O\"DD") }
    #expect(try columns() == ["id", "a", "b", "c", "parent"])
    #expect(try db.run("INSERT INTO t (b) VALUES (3)").connection.lastInsertRowid == 10)
    #expect(try db.scalar("SELECT a FROM t WHERE id = 10") as? String == "a, (b)")
    #expect(try db.schema.indexDefinitions(table: "t").map(\.name) == ["t_on_b"])
    #expect(try db.schema.objectDefinitions(type: .trigger).map(\.name) == ["tr"])
    #expect(
      failure { try db.run("INSERT INTO t (a, b) VALUES ('X', 1)") }?.message == "UNIQUE constraint failed: t.a, t.b")
    #expect(failure { try db.run("INSERT INTO t (b) VALUES (0)") }?.code == SQLITE_CONSTRAINT)
    #expect(try db.integrityCheck() == [])
  }

  @Test(arguments: ["a", "b", "c", "id", "nowhere"])
  func mentionedColumnsCannotBeDropped(column: String) throws {
    let before = try db.schema.objectDefinitions()
    #expect(throws: Result.self) {
      try changer.alter(table: "t") { table in
        table.add(column: ColumnDefinition(name: "new", type: .TEXT))
        table.drop(column: column)
      }
    }
    #expect(try db.schema.objectDefinitions().map(\.sql) == before.map(\.sql))
    #expect(try db.scalar("SELECT count(*) FROM t") as? Int64 == 1)
    #expect(try db.scalar("PRAGMA legacy_alter_table") as? Int64 == 0)
  }

  @Test func renameColumnRebuildsTheTable() throws {
    try changer.alter(table: "t") { table in
      table.rename(column: "B", to: "new \"b\"")
      table.rename(column: "o\"dd", to: "even")
    }
    #expect(try columns() == ["id", "a", "new \"b\"", "c", "parent", "even"])
    let b = SQLExpression<Int>("new \"b\"")
    let table = Table("t")
    #expect(try db.pluck(table)?[b] == 1)
    #expect(failure { try db.run(table.insert(b <- 0)) }?.message.hasPrefix("CHECK constraint failed") == true)
    #expect(try db.run(table.insert(b <- 7)) == 10)
    #expect(failure { try db.run(table.insert(b <- 7)) }?.message == "UNIQUE constraint failed: t.a, t.new \"b\"")
    try db.run(table.filter(b == 7).update(b <- 9))
    #expect(try db.scalar("SELECT n FROM log") as? Int64 == 2)
    #expect(try db.scalar("SELECT doubled FROM t WHERE id = 10") as? Int64 == 18)
    #expect(try db.scalar("SELECT a FROM names WHERE a = 'X'") as? String == "x")
    let index = try db.schema.indexDefinitions(table: "t")
    #expect(
      index.map { $0.toSQL() } == [
        "CREATE INDEX \"t_on_b\" ON \"t\" (\"new \"\"b\"\"\" DESC) WHERE \"new \"\"b\"\"\" > 1"
      ])
    #expect(try db.integrityCheck() == [])
  }

  /// For Swift, each quote and the accent after it are one character.
  @Test func quotesBeforeAccentsAreRead() throws {
    let name = "\u{301}a\"\u{301}"
    try db.run("CREATE TABLE accents (\(name.quote()) DEFAULT '\u{301}it''\u{301}s')")
    #expect(
      try db.schema.columnDefinitions(table: "accents").map(\.defaultValue) == [.stringLiteral("\u{301}it'\u{301}s")])
    #expect(SQLWords(name.quote()).tokens.map(\.name) == [name])
    #expect(SQLExpression<Int>(name).unquotedName == name)
    #expect(Table("accents")[SQLExpression<Int>(name)].namespaced?.column == name.quote())
  }

  @Test func rebuildingKeepsRowIDs() throws {
    try db.execute("CREATE TABLE u (a, b); INSERT INTO u VALUES (1, 2), (3, 4); DELETE FROM u WHERE a = 1")
    try db.execute("CREATE TABLE w (a PRIMARY KEY, b, rowid) WITHOUT ROWID; INSERT INTO w VALUES (1, 2, 3)")
    try changer.alter(table: "u") { $0.drop(column: "a") }
    try changer.alter(table: "w") { $0.drop(column: "b") }
    #expect(try db.scalar("SELECT rowid FROM u") as? Int64 == 2)
    #expect(try db.scalar("SELECT rowid FROM w") as? Int64 == 3)
  }

  @Test func rebuildingKeepsForeignKeys() throws {
    try db.execute("CREATE TABLE child (t INTEGER REFERENCES t (id) ON DELETE CASCADE); INSERT INTO child VALUES (5)")
    db.foreignKeys = true
    try changer.alter(table: "t") { $0.drop(column: "o\"dd") }
    #expect(db.foreignKeys)
    #expect(try db.scalar("SELECT count(*) FROM child") as? Int64 == 1)
    #expect(failure { try db.run("INSERT INTO child VALUES (6)") }?.message == "FOREIGN KEY constraint failed")
    let error = failure { try db.transaction { try changer.alter(table: "t") { $0.drop(column: "parent") } } }
    #expect(
      error?.message.hasPrefix("a table cannot be rebuilt in a transaction while foreign keys are enforced") == true)
    #expect(try columns().contains("parent"))
  }

  @Test func changesThatBreakViewsThrow() throws {
    try db.execute("CREATE VIEW parents AS SELECT parent FROM t")
    #expect(
      failure { try changer.alter(table: "t") { $0.drop(column: "parent") } }?.message == "no such column: parent")
    #expect(try columns().contains("parent"))
  }
}
