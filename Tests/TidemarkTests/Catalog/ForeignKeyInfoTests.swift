import Testing
import Tidemark

@Suite struct ForeignKeyInfoTests {
  private func inLibrary(_ body: (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try inMemory(configuration) { db in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name);
          CREATE TABLE reading (bookId, readerId, PRIMARY KEY (bookId, readerId));
          CREATE TABLE book (
            id INTEGER PRIMARY KEY, title, authorId REFERENCES author, a, b,
            FOREIGN KEY (a, b) REFERENCES reading (readerId, bookId));
          CREATE TABLE note (a, b, FOREIGN KEY (a, b) REFERENCES reading);
          CREATE TABLE tag (bookId REFERENCES book, name TEXT PRIMARY KEY) WITHOUT ROWID;
          """)
      try body(db)
    }
  }

  @Test func foreignKeysAreListed() throws {
    try inLibrary { db in
      let keys = try db.foreignKeys(on: "book")
      #expect(keys.map(\.id) == [0, 1])
      #expect(keys.map(\.destinationTable) == ["reading", "author"])
      #expect(keys.map(\.originColumns) == [["a", "b"], ["authorId"]])
      #expect(keys.map(\.destinationColumns) == [["readerId", "bookId"], ["id"]])
      #expect(keys[0].mapping.map(\.origin) == ["a", "b"])
    }
  }

  @Test func foreignKeysWithoutColumnsUseThePrimaryKey() throws {
    try inLibrary { db in
      let key = try db.foreignKeys(on: "note")[0]
      #expect(key.destinationColumns == ["bookId", "readerId"])
    }
  }

  @Test func foreignKeyViolationsAreFound() throws {
    try inLibrary { db in
      try db.execute(sql: "INSERT INTO book (id, title, authorId) VALUES (77, 'x', 999), (78, 'y', NULL)")
      let violations = try Array(db.foreignKeyViolations())
      #expect(
        violations.map(\.description) == ["FOREIGN KEY constraint violation - from book to author, in rowid 77"])
      #expect(violations[0].originTable == "book")
      #expect(violations[0].originRowID == 77)
      #expect(violations[0].destinationTable == "author")
      #expect(violations[0].foreignKeyId == 1)
      let text = """
        FOREIGN KEY constraint violation - from book(authorId) to author(id), \
        in [id:77 title:"x" authorId:999 a:NULL b:NULL]
        """
      #expect(try violations[0].failureDescription(db) == text)
      #expect(message { try db.checkForeignKeys() } == "SQLite error 19: \(text)")
      #expect(message { try db.checkForeignKeys(in: "Book") } == "SQLite error 19: \(text)")
      #expect(message { try db.checkForeignKeys(in: "book", in: "main") } == "SQLite error 19: \(text)")
      try db.checkForeignKeys(in: "author")
      let error = violations[0].databaseError(db)
      #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    }
  }

  @Test func violationsWithoutRowIDsOmitTheRow() throws {
    try inLibrary { db in
      try db.execute(sql: "INSERT INTO tag VALUES (5, 'x')")
      let violation = try #require(try db.foreignKeyViolations(in: "tag").next())
      #expect(violation.originRowID == nil)
      #expect(
        try violation.failureDescription(db) == "FOREIGN KEY constraint violation - from tag(bookId) to book(id)")
      #expect(violation.description == "FOREIGN KEY constraint violation - from tag to book")
    }
  }

  @Test func validForeignKeysPass() throws {
    try inLibrary { db in
      try db.checkForeignKeys()
      #expect(try db.foreignKeyViolations().next() == nil)
    }
  }
}

@Suite struct SchemaSourceTests {
  struct Keys: DatabaseSchemaSource {
    var view: String
    var columns: [String]

    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
      view.name == self.view && view.schemaID == .main ? columns : nil
    }
  }

  struct Silent: DatabaseSchemaSource {}

  private func inViews(_ source: (any DatabaseSchemaSource)?, _ body: (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.schemaSource = source
    try inLibrary(configuration) { db in
      try db.execute(sql: "CREATE VIEW v AS SELECT id, title FROM book; CREATE VIEW w AS SELECT * FROM author")
      try body(db)
    }
  }

  @Test func schemaSourcesProvideKeysOfViews() throws {
    try inViews(Keys(view: "v", columns: ["ID"])) { db in
      let key = try db.primaryKey("V")
      #expect(key.columns == ["id"])
      #expect(key.rowIDColumn == nil)
      #expect(!key.isRowID)
      #expect(try db.table("v", hasUniqueKey: ["id"]))
      #expect(throws: DatabaseError.self) { try db.primaryKey("w") }
    }
  }

  @Test func schemaSourcesAreConsultedInOrder() throws {
    let source = Silent().then(Keys(view: "v", columns: ["id"])).then(Keys(view: "v", columns: ["title"]))
    try inViews(source) { db in
      let key = try db.primaryKey("v")
      #expect(key.columns == ["id"])
    }
  }

  @Test func emptyKeysOfViewsAreIgnored() throws {
    try inViews(Keys(view: "v", columns: []).then(Keys(view: "v", columns: ["id"]))) { db throws in
      #expect(errorText { try db.primaryKey("v") }.contains("database view v has no primary key"))
      #expect(try !db.table("v", hasUniqueKey: ["id"]))
      #expect(errorText { try Table("v").filter(key: 1).fetchAll(db) }.contains("database view v has no primary key"))
    }
  }

  @Test func aViewWithAKeyHasAStableOrder() throws {
    try inViews(Keys(view: "v", columns: ["title", "id"])) { db throws in
      try db.expectSQL(
        Table("v").order(Column("id").desc).withStableOrder(),
        #"SELECT * FROM "v" ORDER BY "id" DESC, "title", "id""#)
      try db.expectSQL(Table("w").all().withStableOrder(), #"SELECT * FROM "w" ORDER BY 1, 2"#)
    }
  }

  @Test func migrationsHaveNoSource() throws {
    var configuration = Configuration()
    configuration.schemaSource = Keys(view: "v", columns: ["id"])
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { db in
      try db.execute(sql: "CREATE TABLE t (id); CREATE VIEW v AS SELECT id FROM t")
      #expect(db.schemaSource == nil)
      #expect(throws: DatabaseError.self) { try db.primaryKey("v") }
      let key = try db.withSchemaSource(Keys(view: "v", columns: ["id"])) { try db.primaryKey("v") }
      #expect(key.columns == ["id"])
    }
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try migrator.migrate(dbQueue)
    try dbQueue.read { db throws in
      #expect(db.schemaSource is Keys)
      #expect(try db.primaryKey("v").columns == ["id"])
    }
  }

  @Test func schemaSourcesCanBeTemporary() throws {
    try inViews(Keys(view: "v", columns: ["id"])) { db in
      #expect(try db.primaryKey("v").columns == ["id"])
      try db.withSchemaSource(Keys(view: "v", columns: ["title", "id"])) {
        let key = try db.primaryKey("v")
        #expect(key.columns == ["title", "id"])
      }
      #expect(throws: DatabaseError.self) { try db.withSchemaSource(nil) { try db.primaryKey("v") } }
      #expect(try db.primaryKey("v").columns == ["id"])
      #expect(db.schemaSource is Keys)
    }
  }

  @Test func missingColumnsTrap() async {
    let words = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try SchemaSourceTests().inViews(Keys(view: "v", columns: ["nope"])) { db in _ = try db.primaryKey("v") }
    }.words
    #expect(words.contains("returned the column nope for view v"))
  }
}

@Suite struct ForeignKeyToNothingTests {
  @Test func aForeignKeyToAMissingTableDoesNotHideOthers() throws {
    try inLibrary { db in
      try db.execute(sql: "CREATE TABLE loan (bookId REFERENCES book, readerId REFERENCES reader)")
      let keys = try db.foreignKeys(on: "loan")
      #expect(keys.map(\.destinationTable) == ["reader", "book"])
      #expect(keys.map(\.originColumns) == [["readerId"], ["bookId"]])
      #expect(keys.map(\.destinationColumns) == [[], ["id"]])
      #expect(keys[0].mapping.isEmpty)
    }
  }
}
