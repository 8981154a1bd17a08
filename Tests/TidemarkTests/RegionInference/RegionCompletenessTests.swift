import Testing

import Tidemark
@testable import TidemarkEssentials

/// Reads that SQLite's authorizer does not report.
@Suite struct RegionCompletenessTests {
  private func update(_ table: String, _ columns: Set<String>, in database: String = "main") -> RowChange {
    RowChange(
      table: TableKey(table, in: database), kind: .update, old: RowImage(rowID: 1), new: RowImage(rowID: 1),
      changedColumns: columns)
  }

  private func region(_ db: Database, _ sql: String) throws -> DatabaseRegion {
    try db.makeStatement(sql: sql).databaseRegion
  }

  /// Invariant: a table is read even if no expression of the query names one of its columns.
  @Test func sharedJoinColumnsAreRead() throws {
    try inMemory { db in
      try db.execute(
        sql:
          "CREATE TABLE a (x INT, y INT); CREATE TABLE b (x INT, z INT); CREATE VIEW v AS SELECT y FROM a JOIN b USING (x)"
      )
      for sql in [
        "SELECT y FROM a JOIN b USING (x)", "SELECT count(*) FROM a LEFT JOIN b USING (x)",
        "SELECT count(*) FROM a NATURAL JOIN b", "SELECT count(*) FROM a RIGHT JOIN b USING (x) LIMIT 1",
        "SELECT * FROM v",
      ] {
        let region = try region(db, sql)
        #expect(region.isModified(by: update("a", ["x"])), "\(sql)")
        #expect(region.isModified(by: update("b", ["x"])), "\(sql)")
      }
      #expect(try !region(db, "SELECT y FROM a JOIN b USING (x)").isModified(by: update("c", ["x"])))
    }
  }

  @Test(
    "the virtual table of a join is read for shared columns that no expression names",
    arguments: [
      "SELECT t.a FROM ft JOIN t USING (a)", "SELECT a FROM t LEFT JOIN ft USING (a)",
      "SELECT t.a FROM t FULL JOIN ft USING (a)", "SELECT t.a FROM ft NATURAL JOIN t",
      "SELECT b FROM t WHERE EXISTS (SELECT 1 FROM ft JOIN t AS other USING (a) WHERE other.b = t.b)",
      // The optimizer drops the table that is reported.
      "SELECT t.b FROM t LEFT JOIN (SELECT DISTINCT id FROM box) AS box ON box.id = t.b JOIN ft USING (a)",
      "SELECT label FROM joined",
    ])
  func virtualTablesOfSharedColumnsAreRead(sql: String) throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE t (a, b);
          CREATE VIRTUAL TABLE box USING rtree(id, x0, x1);
          CREATE VIRTUAL TABLE ft USING fts5(a, c);
          CREATE VIEW joined AS SELECT b AS label FROM t JOIN ft USING (a);
          """)
      let region = try region(db, sql)
      #expect(region.isModified(by: update("ft_data", ["block"])))
      #expect(region.isModified(by: update("t", ["a"])))
      #expect(!region.isModified(by: update("other", ["a"])))
    }
  }

  @Test func sharedColumnsOfTableValuedFunctionsReadNoTable() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE u (id INTEGER PRIMARY KEY, value); CREATE VIRTUAL TABLE ft USING fts5(a)")
      let region = try region(db, "SELECT u.id FROM json_each('[1, 2]') JOIN u USING (value)")
      #expect(region.isModified(by: update("u", ["value"])))
      #expect(!region.isModified(by: update("ft_data", ["block"])))
    }
  }

  @Test func `an eponymous virtual table of shared columns may read anything`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (name TEXT, a INT)")
      #expect(try region(db, "SELECT a FROM t JOIN pragma_table_list USING (name)").isFullDatabase)
    }
  }

  @Test func `a table about which nothing is known may be anything`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (a INT, b INT)")
      db.moduleState(RegionInference.self).facts = { _, _, _ in nil }
      #expect(try region(db, "SELECT a FROM t WHERE b = 1").isFullDatabase)
    }
  }

  @Test func `rows without names that a program adds to the schema table are ignored`() throws {
    var configuration = Configuration()
    configuration.isDefensive = false
    try inMemory(configuration) { db in
      try db.execute(
        sql: """
          CREATE TABLE t (a, b); CREATE VIRTUAL TABLE ft USING fts5(a, c);
          PRAGMA writable_schema = ON;
          INSERT INTO sqlite_master VALUES ('table', NULL, NULL, 0, NULL);
          INSERT INTO sqlite_master SELECT 'index', NULL, 't', rootpage, NULL FROM sqlite_master WHERE name = 't';
          """)
      let region = try region(db, "SELECT t.b FROM ft JOIN t USING (a)")
      #expect(region.isModified(by: update("ft_data", ["block"])))
      #expect(region.isModified(by: update("t", ["a"])))
      #expect(!region.isModified(by: update("other", ["a"])))
    }
  }

  /// Invariant: the rows of an unordered query come in the order of an index.
  @Test func orderingColumnsAreRead() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c); CREATE INDEX i ON t (a, b)")
      let unordered = try region(db, "SELECT c FROM t WHERE a = 1")
      #expect(unordered.description == "t(a,c)")
      #expect(unordered.isModified(by: update("t", ["b"])))
      #expect(unordered.isModified(by: update("t", ["id"])))
      for sql in ["SELECT c FROM t WHERE a = 1 ORDER BY id", "SELECT count(*) FROM t WHERE a = 1"] {
        #expect(try !region(db, sql).isModified(by: update("t", ["b"])), "\(sql)")
      }
      #expect(try region(db, "SELECT c AS id FROM t WHERE a = 1 ORDER BY id").isModified(by: update("t", ["b"])))
      #expect(
        try region(db, "SELECT group_concat(c) FROM t WHERE a = 1 ORDER BY id").isModified(by: update("t", ["b"])))
      try db.execute(sql: "CREATE TABLE e (id INTEGER PRIMARY KEY, a, b, c); CREATE INDEX j ON e (a, b + c)")
      #expect(try region(db, "SELECT id FROM e WHERE a = 1").isModified(by: update("e", ["c"])))
    }
  }

  @Test func generatedColumnsChangeWithTheirSources() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, g AS (a + 1), s AS (g || b) STORED)")
      #expect(try region(db, "SELECT s FROM t").isModified(by: update("t", ["a"])))
      #expect(try region(db, "SELECT g FROM t").isModified(by: update("t", ["a"])))
      #expect(try !region(db, "SELECT g FROM t").isModified(by: update("t", ["c"])))
      #expect(try !region(db, "SELECT c FROM t").isModified(by: update("t", ["a"])))
    }
  }

  @Test func equallyNamedTablesAreDistinguished() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          ATTACH ':memory:' AS archive;
          CREATE TABLE t (a INT); CREATE TABLE archive.t (a INT); CREATE TABLE archive.u (a INT);
          """)
      #expect(try region(db, "SELECT a FROM t WHERE a = 1").debugDescription == "t(a) where a = 1")
      #expect(try region(db, "SELECT a FROM archive.t WHERE a = 1").debugDescription == "archive.t(a) where a = 1")
      #expect(try region(db, "SELECT count(*) FROM u").debugDescription == "archive.u()")
      #expect(try region(db, "SELECT count(*) FROM t").debugDescription == "t()")
      try db.execute(sql: "CREATE TEMP TABLE t (a INT); CREATE TEMP VIEW w AS SELECT a FROM t WHERE a = 3")
      try db.execute(sql: "CREATE VIEW main.v AS SELECT a FROM t WHERE a = 2")
      #expect(try region(db, "SELECT a FROM t WHERE a = 1").debugDescription == "temp.t(a) where a = 1")
      #expect(try region(db, "SELECT count(*) FROM main.t").debugDescription == "t()")
      #expect(try region(db, "SELECT * FROM v").debugDescription == "t(a) where a = 2,v(a)")
      #expect(try region(db, "SELECT * FROM w").debugDescription == "temp.t(a) where a = 3,temp.w(a)")
      #expect(
        try region(db, "SELECT x.a FROM t x JOIN main.t y ON y.a = 5 WHERE x.a = 6").debugDescription
          == "t(a) where a = 5,temp.t(a) where a = 6")
    }
  }

  @Test func regionsFollowTheSchema() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (a INT, b TEXT)")
      let statement = try db.makeStatement(sql: "SELECT * FROM t WHERE b = 'x'")
      #expect(statement.databaseRegion.debugDescription == "t(a,b) where b = \"x\"")
      try db.execute(sql: "ALTER TABLE t ADD COLUMN c")
      #expect(statement.databaseRegion.debugDescription == "t(a,b,c) where b = \"x\"")
      try db.execute(sql: "DROP TABLE t; CREATE TABLE t (a INT, b TEXT COLLATE NOCASE)")
      #expect(statement.databaseRegion.debugDescription == "t(a,b)")
    }
  }

  @Test func utf16TextsAreNotSortedByTheirBytes() throws {
    try inMemory { db in
      try db.execute(sql: "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a TEXT, b INT)")
      #expect(try region(db, "SELECT a FROM t WHERE a > 'x'").debugDescription == "t(a)")
      #expect(
        try region(db, "SELECT a FROM t WHERE a = 'x' AND b > 1").debugDescription == "t(a,b) where a = \"x\" and b > 1"
      )
    }
  }

  @Test func pragmasAreNotRunForTheirRegion() throws {
    try inMemory { db in
      let statement = try db.makeStatement(sql: "PRAGMA user_version = 3")
      try db.execute(sql: "PRAGMA user_version = 4")
      #expect(statement.databaseRegion.isEmpty)
      #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 4)
    }
  }

  // MARK: - Virtual tables

  @Test func fullTextTablesAreReadInTheirShadowTables() throws {
    try inMemory { db in
      try db.execute(
        sql: "CREATE VIRTUAL TABLE f USING fts5(t); CREATE TABLE f_other (a); CREATE VIRTUAL TABLE f4 USING fts4(t)")
      let region = try region(db, "SELECT * FROM f WHERE f MATCH 'x'")
      #expect(region.description == "f(f,t),f_config(*),f_content(*),f_data(*),f_docsize(*),f_idx(*)")
      #expect(try self.region(db, "SELECT count(*) FROM f4").isModified(by: update("f4_content", ["c0t"])))
    }
  }

  @Test func fullTextTablesAreReadInTheirContentTable() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INT);
          CREATE VIEW titles AS SELECT id, title FROM book;
          CREATE VIRTUAL TABLE a USING fts5(title, content='book', content_rowid='id');
          CREATE VIRTUAL TABLE b USING fts5(title, content = "titles", content_rowid='id');
          CREATE VIRTUAL TABLE c USING fts4(title, content="book");
          CREATE VIRTUAL TABLE d USING fts5(title, content='');
          """)
      for table in ["a", "b", "c"] {
        let region = try region(db, "SELECT * FROM \(table) WHERE \(table) MATCH 'x'")
        #expect(region.isModified(by: update("book", ["title"])), "\(table)")
      }
      let region = try region(db, "SELECT rowid FROM d WHERE d MATCH 'x'")
      #expect(!region.isModified(by: update("book", ["title"])))
      #expect(region.isModified(by: update("d_data", ["block"])))
    }
  }

  @Test(arguments: ["fts5(t, content=)", "fts4(t, content=)", "fts4(t, content='')"])
  func `a full-text table without content is read in its shadow tables`(module: String) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE book (t); CREATE VIRTUAL TABLE f USING \(module)")
      let region = try region(db, "SELECT count(*) FROM f")
      #expect(region.isModified(by: update("f_docsize", ["size"])))
      #expect(!region.isModified(by: update("book", ["t"])))
    }
  }

  @Test(arguments: ["content=+", "content=my table"])
  func `a full-text table with an unusual name of its content table may read anything`(option: String) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE \"+\" (t); CREATE TABLE \"my table\" (t)")
      try db.execute(sql: "CREATE VIRTUAL TABLE f USING fts4(t, \(option))")
      #expect(try region(db, "SELECT count(*) FROM f").isFullDatabase)
    }
  }

  @Test func `full-text tables with the content of each other are followed to a limit`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE f0 USING fts5(t)")
      for number in 1...4 {
        try db.execute(sql: "CREATE VIRTUAL TABLE f\(number) USING fts5(t, content=f\(number - 1))")
      }
      let near = try region(db, "SELECT t FROM f3")
      #expect(near.isModified(by: update("f0_content", ["c0"])))
      #expect(!near.isModified(by: update("f4_data", ["block"])))
      #expect(try region(db, "SELECT t FROM f4").isFullDatabase)
    }
  }

  @Test func spatialTablesAreReadInTheirShadowTables() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1)")
      let region = try region(db, "SELECT id FROM r WHERE x0 > 1")
      #expect(region.isModified(by: update("r_node", ["data"])))
      #expect(!region.isFullDatabase)
    }
  }

  @Test func unknownModulesMayReadAnything() throws {
    try inMemory { db in
      try db.execute(
        sql: "CREATE TABLE t (a); CREATE VIRTUAL TABLE f USING fts5(t); CREATE VIRTUAL TABLE v USING fts5vocab(f, row)")
      #expect(try region(db, "SELECT * FROM v").isFullDatabase)
      #expect(try region(db, "SELECT * FROM pragma_table_info('t')").isFullDatabase)
      #expect(try region(db, "SELECT a, value FROM t, json_each(a)").description == "json_each(value),t(a)")
    }
  }
}
