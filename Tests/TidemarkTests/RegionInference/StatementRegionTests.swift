import Testing
import Tidemark

/// The tables and columns that statements read, as SQLite's authorizer reports them.
@Suite struct StatementRegionTests {
  private func withTables<T>(_ body: (Database) throws -> T) throws -> T {
    try inLibrary { db throws in
      try db.execute(sql: "CREATE VIEW titles AS SELECT title FROM book")
      return try body(db)
    }
  }

  /// The authorizer reports this column as it reports a table of which only the rows matter.
  @Test func `a column without a name is read`() throws {
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE t (a, \"\", g AS (a)); CREATE TABLE u (a, \"\" AS (a))")
      func isModified(_ query: String, _ event: DatabaseEventKind) throws -> Bool {
        try db.makeStatement(sql: query).databaseRegion.isModified(byEventsOfKind: event)
      }
      #expect(try isModified("SELECT \"\" FROM t", .update(tableName: "t", columnNames: [""])))
      #expect(try !isModified("SELECT a FROM t", .update(tableName: "t", columnNames: ["g"])))
      #expect(try isModified("SELECT \"\" FROM u", .update(tableName: "u", columnNames: ["a"])))
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    ("SELECT 1", "empty"),
    ("DELETE FROM book", "empty"),
    ("INSERT INTO book VALUES (1, 'a', 2)", "empty"),
    ("PRAGMA user_version", "full database"),
    ("PRAGMA main.application_id;", "full database"),
    ("PRAGMA \"main\" . user_version", "full database"),
    ("PRAGMA user_version = 3", "empty"),
    ("PRAGMA foreign_key_check(book)", "full database"),
    ("PRAGMA main.table_info('book')", "sqlite_master(*)"),
    ("PRAGMA foreign_keys", "empty"),
    ("SELECT * FROM book", "book(authorId,id,title)"),
    ("SELECT * FROM BOOK", "book(authorId,id,title)"),
    ("SELECT count(*) FROM book", "book(*)"),
    ("SELECT 1 FROM book", "book(*)"),
    ("SELECT rowid FROM book", "book(*)"),
    ("SELECT max(id) FROM book", "book(*)"),
    ("SELECT EXISTS(SELECT 1 FROM author)", "author(*)"),
    ("SELECT title FROM book WHERE id = 1", "book(id,title)"),
    ("SELECT * FROM titles", "book(title),titles(title)"),
    ("UPDATE book SET title = 'x' WHERE id = 1", "book(id)"),
    ("INSERT INTO book (title) SELECT name FROM author", "author(name)"),
    ("DELETE FROM book WHERE id = 1 RETURNING id", "book(id)"),
    ("SELECT b.title, a.name FROM book b JOIN author a ON a.id = b.authorId", "author(id,name),book(authorId,title)"),
    ("WITH c AS (SELECT name FROM author) SELECT * FROM c", "author(name)"),
  ])
  func statementsHaveRegions(sql: String, region: String) throws {
    try withTables { db throws in
      #expect(try db.makeStatement(sql: sql).databaseRegion.description == region)
      #expect(try SQLRequest<Row>(sql: sql).databaseRegion(db).description == region)
    }
  }

  @Test func requestsHaveTheRegionOfTheirStatement() throws {
    try withTables { db throws in
      let request: SQLRequest<Row> = "SELECT title FROM book WHERE id = \(1)"
      #expect(try request.databaseRegion(db).description == "book(id,title)")
      #expect(try AnyFetchRequest(request).databaseRegion(db).description == "book(id,title)")
      #expect(try request.adapted { _ in EmptyRowAdapter() }.databaseRegion(db).description == "book(id,title)")
    }
  }

  @Test func requestRegionsDoNotDisturbARunningCursor() throws {
    try withTables { db throws in
      let request: SQLRequest<Int> = "SELECT id FROM book WHERE id > \(1)"
      let cursor = try request.fetchCursor(db)
      #expect(try cursor.next() == 2)
      #expect(try request.databaseRegion(db).description == "book(*)")
      #expect(try cursor.next() == 3)
    }
  }

  @Test func statementsOfDroppedTablesReadEverything() throws {
    try withTables { db throws in
      let statement = try db.makeStatement(sql: "SELECT * FROM author")
      try db.execute(sql: "DROP TABLE author")
      #expect(statement.databaseRegion.isFullDatabase)
    }
  }

  @Test func regionsFollowTheSchemaAfterARun() throws {
    try withTables { db throws in
      let statement = try db.makeStatement(sql: "SELECT * FROM author")
      #expect(statement.databaseRegion.description == "author(id,name)")
      try db.execute(sql: "ALTER TABLE author ADD COLUMN country")
      _ = try Row.fetchAll(statement)
      #expect(statement.databaseRegion.description == "author(country,id,name)")
    }
  }
}
