import Testing
import Tidemark

@Suite struct ColumnInfoTests {
  @Test func columnsAreListedAsDeclared() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE book (
            id INTEGER PRIMARY KEY, title VARCHAR(20) NOT NULL DEFAULT 'it''s', cover BLOB DEFAULT X'01',
            anything DEFAULT NULL)
          """)
      let columns = try db.columns(in: "BOOK")
      #expect(columns.map(\.name) == ["id", "title", "cover", "anything"])
      #expect(columns.map(\.type) == ["INTEGER", "VARCHAR(20)", "BLOB", ""])
      #expect(columns.map(\.isNotNull) == [false, true, false, false])
      #expect(columns.map(\.defaultValueSQL) == [nil, "'it''s'", "X'01'", "NULL"])
      #expect(columns.map(\.primaryKeyIndex) == [1, 0, 0, 0])
    }
  }

  @Test func `columns are found with full column names`() throws {
    try inMemory { db in
      try db.execute(sql: "PRAGMA short_column_names = OFF; PRAGMA full_column_names = ON")
      try db.execute(sql: "CREATE TABLE t (a PRIMARY KEY)")
      #expect(try db.tableExists("t"))
      #expect(try db.columns(in: "t").map(\.name) == ["a"])
      #expect(try db.indexes(on: "t").map(\.columns) == [["a"]])
    }
  }

  @Test func primaryKeyPositionsStartAtOne() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (a, b, c, PRIMARY KEY (c, a))")
      #expect(try db.columns(in: "t").map(\.primaryKeyIndex) == [2, 0, 1])
    }
  }

  @Test func generatedColumnsAreListed() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (a, b AS (a + 1), c AS (a * 2) STORED)")
      #expect(try db.columns(in: "t").map(\.name) == ["a", "b", "c"])
    }
  }

  @Test func hiddenColumnsOfVirtualTablesAreOmitted() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE search USING fts5(title, body)")
      #expect(try db.columns(in: "search").map(\.name) == ["title", "body"])
    }
  }

  @Test func viewColumnsAreListed() throws {
    try inLibrary { db in
      try db.execute(sql: "CREATE VIEW v AS SELECT title, 1 AS one FROM book")
      #expect(try db.columns(in: "v").map(\.name) == ["title", "one"])
    }
  }

  @Test func namesMayContainQuotes() throws {
    try inMemory { db in
      try db.execute(sql: #"CREATE TABLE "a ""b"" 'c' [d]" ("x ""y""" INTEGER PRIMARY KEY)"#)
      let name = #"a "b" 'c' [d]"#
      #expect(try db.columns(in: name).map(\.name) == [#"x "y""#])
      #expect(try db.primaryKey(name).columns == [#"x "y""#])
      #expect(try db.tableExists(name))
    }
  }

  @Test(arguments: ["columns", "primaryKey", "indexes", "foreignKeys", "hasUniqueKey", "checkForeignKeys"])
  func missingTablesAreNamedInErrors(question: String) throws {
    try inMemory { db in
      let text = message {
        switch question {
        case "columns": _ = try db.columns(in: "shelf")
        case "primaryKey": _ = try db.primaryKey("shelf")
        case "indexes": _ = try db.indexes(on: "shelf")
        case "foreignKeys": _ = try db.foreignKeys(on: "shelf")
        case "hasUniqueKey": _ = try db.table("shelf", hasUniqueKey: ["id"])
        default: try db.checkForeignKeys(in: "shelf")
        }
      }
      #expect(text == "SQLite error 1: no such table: shelf")
    }
  }

  @Test func missingDatabasesAreNamedInErrors() throws {
    try inLibrary { db in
      #expect(message { _ = try db.columns(in: "book", in: "attic") } == "SQLite error 1: no such schema: attic")
      #expect(message { _ = try db.tableExists("book", in: "attic") } == "SQLite error 1: no such schema: attic")
    }
  }
}

@Suite struct PrimaryKeyTests {
  // swift-format-ignore
  @Test(arguments: [
    ("(id INTEGER PRIMARY KEY, a)", ["id"], "id", true),
    ("(a, id INTEGER PRIMARY KEY AUTOINCREMENT)", ["id"], "id", true),
    ("(code TEXT PRIMARY KEY)", ["code"], nil, false),
    ("(id INT PRIMARY KEY)", ["id"], nil, false),
    ("(id INTEGER PRIMARY KEY DESC)", ["id"], nil, false),
    ("(a, b, PRIMARY KEY (b, a))", ["b", "a"], nil, false),
    ("(a)", ["rowid"], nil, true),
    ("(rowid TEXT)", ["_rowid_"], nil, true),
    ("(id INTEGER PRIMARY KEY) WITHOUT ROWID", ["id"], nil, false),
    ("(code TEXT PRIMARY KEY, a) WITHOUT ROWID", ["code"], nil, false),
    ("(id INTEGER PRIMARY KEY, a ANY) STRICT", ["id"], "id", true),
  ] as [(String, [String], String?, Bool)])
  func primaryKeysAreFound(definition: String, columns: [String], rowIDColumn: String?, isRowID: Bool) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t \(definition)")
      let key = try db.primaryKey("t")
      #expect(key.columns == columns)
      #expect(key.rowIDColumn == rowIDColumn)
      #expect(key.isRowID == isRowID)
    }
  }

  @Test func viewsHaveNoPrimaryKey() throws {
    try inLibrary { db in
      try db.execute(sql: "CREATE VIEW other AS SELECT * FROM book")
      #expect(
        message { _ = try db.primaryKey("other") } == "SQLite error 1: database view other has no primary key")
      #expect(try db.table("other", hasUniqueKey: ["id"]) == false)
    }
  }

  @Test func virtualTablesHaveARowID() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE search USING fts5(title)")
      #expect(try db.primaryKey("search").columns == ["rowid"])
      #expect(try db.primaryKey("search").isRowID)
    }
  }

  @Test func schemaTableHasColumnsAndARowID() throws {
    try inMemory { db in
      try #expect(db.columns(in: "sqlite_master").map(\.name) == ["type", "name", "tbl_name", "rootpage", "sql"])
      try #expect(db.primaryKey("sqlite_master").columns == ["rowid"])
    }
  }
}

@Suite struct IndexInfoTests {
  @Test func indexesAreListedWithTheirOrigin() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE t (a TEXT PRIMARY KEY, b UNIQUE, c);
          CREATE INDEX byCB ON t (c, b);
          CREATE UNIQUE INDEX someC ON t (c) WHERE b > 0;
          CREATE INDEX onExpression ON t (c + 1);
          """)
      let indexes = try db.indexes(on: "t").sorted { $0.name < $1.name }
      #expect(indexes.map(\.name) == ["byCB", "someC", "sqlite_autoindex_t_1", "sqlite_autoindex_t_2"])
      #expect(indexes.map(\.columns) == [["c", "b"], ["c"], ["a"], ["b"]])
      #expect(indexes.map(\.isUnique) == [false, true, true, true])
      #expect(
        indexes.map(\.origin) == [.createIndex, .createIndex, .primaryKeyConstraint, .uniqueConstraint])
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    (["id"], true), (["ID"], true), (["id", "c"], true), (["c"], false), ([], false), (["b"], false),
    (["b", "a"], true), (["A", "b", "c"], true), (["rowid"], true), (["partial"], false), (["missing"], false),
  ] as [([String], Bool)])
  func keysContainingAUniqueKeyAreUnique(columns: [String], isUnique: Bool) throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, partial, UNIQUE (a, b));
          CREATE UNIQUE INDEX somePartial ON t (partial) WHERE c;
          """)
      #expect(try db.table("t", hasUniqueKey: columns) == isUnique)
    }
  }

  @Test func rowIDIsNoKeyOfTablesWithoutRowID() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (code TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE u (rowid, a)")
      #expect(try db.table("t", hasUniqueKey: ["rowid"]) == false)
      #expect(try db.table("u", hasUniqueKey: ["rowid"]) == false)
      #expect(try db.table("u", hasUniqueKey: ["oid"]))
    }
  }
}

@Suite struct ExistenceTests {
  @Test func existingObjectsAreFoundOnce() throws {
    try inLibrary { db in
      try db.execute(
        sql: """
          CREATE VIEW titles AS SELECT title FROM book;
          CREATE TRIGGER watch AFTER INSERT ON book BEGIN SELECT 1; END;
          """)
      #expect(try db.tableExists("Book"))
      #expect(try !db.viewExists("book"))
      #expect(try !db.triggerExists("book"))
      #expect(try db.viewExists("TITLES"))
      #expect(try !db.tableExists("titles"))
      #expect(try db.triggerExists("WATCH"))
      #expect(try !db.tableExists("watch"))
      #expect(try !db.tableExists("shelf"))
    }
  }

  @Test func namesAreLookedUpInOneDatabase() throws {
    try inMemory { db in
      try db.execute(
        sql: #"""
          CREATE TEMP TABLE passing (a);
          ATTACH ':memory:' AS "the ""attic""";
          CREATE TABLE "the ""attic""".trunk (b);
          """#)
      #expect(try db.tableExists("passing"))
      #expect(try db.tableExists("passing", in: "TEMP"))
      #expect(try !db.tableExists("passing", in: "main"))
      #expect(try db.tableExists("trunk"))
      #expect(try db.tableExists("trunk", in: #"the "attic""#))
      #expect(try db.columns(in: "trunk").map(\.name) == ["b"])
    }
  }

  @Test func unqualifiedNamesResolveAsInSQL() throws {
    try inMemory { db in
      try db.execute(sql: "ATTACH ':memory:' AS one; ATTACH ':memory:' AS two")
      func meaning() throws -> [String] { try db.columns(in: "t").map(\.name) }
      func truth() throws -> [String] { try db.makeStatement(sql: "SELECT * FROM t").columnNames }
      for schema in ["two", "one", "main", "temp"] {
        try db.execute(sql: "CREATE TABLE \(schema).t (\(schema)Column)")
        #expect(try meaning() == ["\(schema)Column"])
        #expect(try meaning() == truth())
      }
      for (schema, next) in [("temp", "main"), ("main", "one"), ("one", "two")] {
        try db.execute(sql: "DROP TABLE \(schema).t")
        #expect(try meaning() == ["\(next)Column"])
        #expect(try meaning() == truth())
      }
      try db.execute(sql: "DETACH two")
      #expect(throws: DatabaseError.self) { try meaning() }
    }
  }

  @Test func internalTablesAreRecognizedByName() {
    #expect(Database.isSQLiteInternalTable("sqlite_sequence"))
    #expect(Database.isSQLiteInternalTable("pragma_table_info"))
    #expect(!Database.isSQLiteInternalTable("book"))
    #expect(Database.isGRDBInternalTable("grdb_migrations"))
    #expect(!Database.isGRDBInternalTable("sqlite_master"))
  }

  @Test func attachedDatabasesAreListed() {
    #expect(DatabaseSchemaID.main.name == "main")
    #expect(DatabaseSchemaID.temp.schemaTableName == "sqlite_temp_master")
    #expect(DatabaseSchemaID.attached("x").schemaTableName == #""x".sqlite_master"#)
    let id = DatabaseObjectID(name: "book", schemaID: .main)
    #expect(id == DatabaseObjectID(name: "book", schemaID: .main))
  }

  @Test func schemaVersionIsReported() throws {
    try inMemory { db in
      let before = try db.schemaVersion()
      try db.execute(sql: "CREATE TABLE t (a)")
      #expect(try db.schemaVersion() == before + 1)
    }
  }
}
