import Testing
import Tidemark

/// Dumps of tables and views.
@Suite struct DumpTableTests {
  private static let sql = """
    CREATE TABLE nokey(b TEXT, a TEXT);
    CREATE TABLE Zed(k TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE hidden(rowid TEXT, _rowid_ TEXT, oid TEXT);
    CREATE TABLE "a ""b"(id INTEGER PRIMARY KEY DESC);
    CREATE VIEW labels AS SELECT label, id FROM shelf ORDER BY label DESC;
    INSERT INTO nokey VALUES ('z', '1'), ('a', '2');
    INSERT INTO Zed VALUES ('y'), ('x');
    INSERT INTO hidden VALUES ('2', 'a', 'a'), ('1', 'b', 'b');
    INSERT INTO "a ""b" VALUES (2), (1);
    """

  private func inTables<T>(_ body: (Database) throws -> T) throws -> T {
    try inDumpedShelves { db in
      try db.execute(sql: Self.sql)
      return try body(db)
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    (["shelf"], false, #"SELECT * FROM "shelf" ORDER BY "id""#, "1|two\nlines\n2|it's\n"),
    (["SHELF"], false, #"SELECT * FROM "SHELF" ORDER BY "id""#, "1|two\nlines\n2|it's\n"),
    (["nokey"], false, #"SELECT * FROM "nokey" ORDER BY "rowid""#, "z|1\na|2\n"),
    (["Zed"], false, #"SELECT * FROM "Zed" ORDER BY "k""#, "x\ny\n"),
    (["hidden"], false, #"SELECT * FROM "hidden" ORDER BY 1, 2, 3"#, "1|b|b\n2|a|a\n"),
    (["a \"b"], false, #"SELECT * FROM "a ""b" ORDER BY "id""#, "1\n2\n"),
    (["labels"], false, #"SELECT * FROM "labels""#, "two\nlines|1\nit's|2\n"),
    (["labels"], true, #"SELECT * FROM "labels" ORDER BY 1, 2"#, "it's|2\ntwo\nlines|1\n"),
  ])
  func `rows are ordered`(tables: [String], isStable: Bool, sql: String, text: String) throws {
    try inTables { db in
      let statements = try trace(db) {
        try #expect(dumped { try db.dumpTables(tables, stableOrder: isStable, to: $0) } == text)
      }
      #expect(statements == [sql])
    }
  }

  @Test func `names precede the rows of several tables`() throws {
    try inTables { db in
      try #expect(
        dumped { try db.dumpTables(["Zed", "PART"], to: $0) } == "Zed\nx\ny\n\nPART\n1|1|p1\n2|3|p2\n3|3|p3\n")
      try #expect(dumped { try db.dumpTables(["Zed"], tableHeader: .always, to: $0) } == "Zed\nx\ny\n")
      try #expect(dumped { try db.dumpTables([], tableHeader: .always, to: $0) } == "")
      try db.execute(sql: "DELETE FROM part")
      try #expect(dumped { try db.dumpTables(["part", "Zed"], to: $0) } == "part\n\nZed\nx\ny\n")
      try #expect(
        dumped { try db.dumpTables(["part", "Zed"], format: .json(), to: $0) }
          == "part\n[]\n\nZed\n[{\"k\":\"x\"},\n{\"k\":\"y\"}]\n")
      try #expect(
        dumped { try db.dumpTables(["shelf", "nokey"], format: .line(), to: $0) } == """
          shelf
             id = 1
          label = two
          lines

             id = 2
          label = it's

          nokey
          b = z
          a = 1

          b = a
          a = 2

          """)
    }
  }

  @Test func `a missing table is an error after the text before it`() throws {
    try inTables { db in
      let stream = DumpedText()
      #expect(
        message { try db.dumpTables(["Zed", "nope"], to: stream) }
          == #"SQLite error 1: no such table: nope - while executing `SELECT * FROM "nope"`"#)
      #expect(stream.text == "Zed\nx\ny\n\nnope\n")
    }
  }

  @Test func `tables of SQLite, virtual tables and temporary tables can be dumped`() throws {
    try inTables { db in
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE ft USING fts5(body);
          INSERT INTO ft VALUES ('hello world');
          CREATE TEMP TABLE tempo (id INTEGER PRIMARY KEY);
          INSERT INTO tempo VALUES (5);
          """)
      try #expect(dumped { try db.dumpTables(["ft"], to: $0) } == "hello world\n")
      try #expect(dumped { try db.dumpTables(["tempo"], to: $0) } == "5\n")
      try #expect(dumped { try db.dumpTables(["sqlite_master"], to: $0) }.hasPrefix("table|shelf|shelf|2|CREATE TABLE"))
    }
  }
}
