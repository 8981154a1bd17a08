import Testing
import Tidemark

/// Dumps of the schema, and of whole databases.
@Suite struct DumpSchemaTests {
  private static let sql = """
    CREATE TABLE shelf(id INTEGER PRIMARY KEY, label TEXT UNIQUE);
    CREATE TABLE Zed(k TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE item(id INTEGER PRIMARY KEY, shelfId INTEGER REFERENCES shelf(id), note TEXT);
    CREATE TRIGGER tr AFTER INSERT ON item BEGIN SELECT 1; END;
    CREATE INDEX item_shelf ON item(shelfId);
    CREATE VIEW labels AS SELECT label FROM shelf ORDER BY label DESC;
    CREATE TABLE nokey(
      b TEXT,
      a TEXT
    );
    CREATE TABLE auto(id INTEGER PRIMARY KEY AUTOINCREMENT);
    CREATE VIRTUAL TABLE ft USING fts5(body);
    CREATE VIRTUAL TABLE ft4 USING fts4(body);
    CREATE VIRTUAL TABLE box USING rtree(id, minX, maxX);
    CREATE TABLE grdb_hidden(id);
    CREATE INDEX shown ON grdb_hidden(id);
    CREATE TEMP TABLE tempo(id);
    INSERT INTO auto VALUES (5);
    INSERT INTO ft VALUES ('hello world');
    INSERT INTO Zed VALUES ('y'), ('x');
    INSERT INTO box VALUES (1, 2, 3);
    """

  private static let schema = """
    sqlite_master
    CREATE TABLE auto(id INTEGER PRIMARY KEY AUTOINCREMENT);
    CREATE VIRTUAL TABLE box USING rtree(id, minX, maxX);
    CREATE VIRTUAL TABLE ft USING fts5(body);
    CREATE VIRTUAL TABLE ft4 USING fts4(body);
    CREATE INDEX shown ON grdb_hidden(id);
    CREATE TABLE item(id INTEGER PRIMARY KEY, shelfId INTEGER REFERENCES shelf(id), note TEXT);
    CREATE INDEX item_shelf ON item(shelfId);
    CREATE TRIGGER tr AFTER INSERT ON item BEGIN SELECT 1; END;
    CREATE VIEW labels AS SELECT label FROM shelf ORDER BY label DESC;
    CREATE TABLE nokey(
      b TEXT,
      a TEXT
    );
    CREATE TABLE shelf(id INTEGER PRIMARY KEY, label TEXT UNIQUE);
    CREATE TABLE Zed(k TEXT PRIMARY KEY) WITHOUT ROWID;

    """

  @Test func `the schema lists tables, then their indexes, then other objects`() throws {
    try inMemory { db in
      try db.execute(sql: Self.sql)
      try #expect(dumped { try db.dumpSchema(to: $0) } == Self.schema)
    }
  }

  @Test func `the content is the schema and the rows of all tables`() throws {
    try inMemory { db in
      try db.execute(sql: Self.sql)
      let rows = """

        auto
        5

        box
        1|2.0|3.0

        ft
        hello world

        ft4

        item

        nokey

        shelf

        Zed
        x
        y

        """
      try #expect(dumped { try db.dumpContent(to: $0) } == Self.schema + rows)
      try #expect(dumped { try db.dumpContent(format: .quote(), to: $0) }.hasSuffix("Zed\n'x'\n'y'\n"))
    }
  }

  @Test func `an empty database has only a title`() throws {
    try inMemory { db in
      try #expect(dumped { try db.dumpSchema(to: $0) } == "sqlite_master\n")
      try #expect(dumped { try db.dumpContent(to: $0) } == "sqlite_master\n")
    }
  }

  @Test func `the table of migrations is omitted`() throws {
    let dbQueue = try DatabaseQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in try db.execute(sql: "CREATE TABLE t(id)") }
    try migrator.migrate(dbQueue)
    try #expect(dumped { try dbQueue.dumpContent(to: $0) } == "sqlite_master\nCREATE TABLE t(id);\n\nt\n")
  }

  @Test func `attached databases are omitted`() throws {
    try inMemory { db in
      try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.a(id); CREATE TABLE b(id)")
      try #expect(dumped { try db.dumpContent(to: $0) } == "sqlite_master\nCREATE TABLE b(id);\n\nb\n")
    }
  }
}
