import SQLiteDB
import Testing

@Suite struct SchemaReaderTests {
  let db: Connection
  let schema: SchemaReader

  init() throws {
    db = try emptyUsers()
    schema = db.schema
  }

  @Test func schemaObjectsAreListed() throws {
    try db.run("CREATE INDEX index_users_on_name ON users (name)")
    try db.run("CREATE VIEW v AS SELECT 1")
    try db.run("CREATE TRIGGER tr AFTER INSERT ON users BEGIN SELECT 1; END")
    try db.run("CREATE TEMPORARY TABLE t (a)")
    let indexes = try schema.objectDefinitions(type: .index)
    let tables = try schema.objectDefinitions(type: .table)
    let triggers = try schema.objectDefinitions(type: .trigger)
    #expect(indexes.map(\.name) == ["sqlite_autoindex_users_1", "index_users_on_name"])
    #expect(indexes.map(\.isInternal) == [true, false])
    #expect(indexes[0].sql == nil)
    #expect(indexes[1].sql == "CREATE INDEX index_users_on_name ON users (name)")
    #expect(tables.map(\.name) == ["users"])
    #expect(tables[0].rootpage > 0)
    #expect(triggers.map(\.tableName) == ["users"])
    #expect(triggers[0].rootpage == 0)
    #expect(try schema.objectDefinitions(name: "v").map(\.type) == [.view])
    #expect(try schema.objectDefinitions(name: "v", type: .table).isEmpty)
    #expect(try schema.objectDefinitions(temp: true).map(\.name) == ["t"])
  }

  @Test func indexesAreListed() throws {
    try db.run("CREATE UNIQUE INDEX one ON users (name DESC, email) WHERE name IS NOT NULL AND \"email\" != ' where '")
    try db.run("CREATE INDEX two ON users (lower(name))")
    let indexes = try schema.indexDefinitions("users").sorted { $0.name < $1.name }
    #expect(
      indexes == [
        IndexDefinition(
          table: "users", name: "one", unique: true, columns: ["name", "email"],
          where: "name IS NOT NULL AND \"email\" != ' where '", orders: ["name": .DESC]),
        IndexDefinition(table: "users", name: "two", columns: []),
      ])
    #expect(try schema.indexDefinitions(table: "nowhere").isEmpty)
    #expect(
      indexes[0].toSQL(ifNotExists: true)
        == "CREATE UNIQUE INDEX IF NOT EXISTS \"one\" ON \"users\" (\"name\" DESC, \"email\") "
        + "WHERE name IS NOT NULL AND \"email\" != ' where '")
    #expect(
      IndexDefinition(table: "t", name: "i", columns: ["a"], orders: ["a": .ASC]).toSQL()
        == "CREATE INDEX \"i\" ON \"t\" (\"a\" ASC)")
  }

  @Test func columnsAreListed() throws {
    try db.run(
      """
      CREATE TABLE t (
        id INTEGER PRIMARY KEY AUTOINCREMENT, a VARCHAR(10) NOT NULL DEFAULT 'x''y', b DOUBLE DEFAULT 1.5,
        c DEFAULT NULL,
        d BOOLEAN DEFAULT TRUE, e TEXT DEFAULT CURRENT_TIMESTAMP, f BLOB DEFAULT x'0102',
        g INTEGER REFERENCES users (id) ON DELETE CASCADE)
      """)
    let columns = try schema.columnDefinitions(table: "t")
    #expect(
      columns == [
        ColumnDefinition(name: "id", primaryKey: .init(autoIncrement: true), type: .INTEGER),
        ColumnDefinition(name: "a", type: .TEXT, nullable: false, defaultValue: .stringLiteral("x'y")),
        ColumnDefinition(name: "b", type: .REAL, defaultValue: .numericLiteral("1.5")),
        ColumnDefinition(name: "c", type: .BLOB),
        ColumnDefinition(name: "d", type: .NUMERIC, defaultValue: .TRUE),
        ColumnDefinition(name: "e", type: .TEXT, defaultValue: .CURRENT_TIMESTAMP),
        ColumnDefinition(name: "f", type: .BLOB, defaultValue: .blobLiteral("0102")),
        ColumnDefinition(
          name: "g", type: .INTEGER,
          references: .init(table: "users", column: "g", primaryKey: "id", onDelete: "CASCADE")),
      ])
    #expect(try schema.columnDefinitions("users").map(\.name).count == 6)
    #expect(try schema.columnDefinitions("users")[0].primaryKey == .init(autoIncrement: false))
    #expect(columns[1].toSQL() == "\"a\" TEXT DEFAULT 'x''y' NOT NULL")
    #expect(columns[7].toSQL() == "\"g\" INTEGER REFERENCES \"users\" (\"id\") ON DELETE CASCADE")
    #expect(columns[0].toSQL() == "\"id\" INTEGER PRIMARY KEY AUTOINCREMENT")
  }

  @Test(
    arguments: [
      ("a INTEGER PRIMARY KEY", nil), ("a TEXT PRIMARY KEY ON CONFLICT REPLACE", .REPLACE),
      ("a INTEGER PRIMARY KEY DESC ON CONFLICT ignore", .IGNORE),
      ("a, PRIMARY KEY (a) ON CONFLICT ROLLBACK", .ROLLBACK),
      ("a UNIQUE ON CONFLICT FAIL, b, PRIMARY KEY (b, a COLLATE NOCASE) ON CONFLICT ABORT", .ABORT),
      ("a PRIMARY KEY, b UNIQUE ON CONFLICT FAIL", nil), ("a, PRIMARY KEY (a)", nil),
    ] as [(String, ColumnDefinition.OnConflict?)])
  func primaryKeyConflictClausesAreRead(_ columns: String, _ conflict: ColumnDefinition.OnConflict?) throws {
    try db.run("CREATE TABLE t (\(columns))")
    #expect(try schema.columnDefinitions(table: "t")[0].primaryKey?.onConflict == conflict)
    try db.run("CREATE TABLE u (a INTEGER PRIMARY KEY ON CONFLICT FAIL AUTOINCREMENT)")
    #expect(
      try schema.columnDefinitions(table: "u")[0].primaryKey == .init(autoIncrement: true, onConflict: .FAIL))
  }

  @Test func uniqueColumnsAreRead() throws {
    try db.run("CREATE TABLE t (a UNIQUE, b, c, d PRIMARY KEY, UNIQUE (b), UNIQUE (a, c))")
    try db.run("CREATE UNIQUE INDEX i ON t (c)")
    let columns = try schema.columnDefinitions(table: "t")
    #expect(columns.map(\.unique) == [true, true, false, false])
    #expect(columns[0] == ColumnDefinition(name: "a", type: .BLOB))
    #expect(ColumnDefinition(name: "a", type: .TEXT, unique: true).toSQL() == "\"a\" TEXT UNIQUE")
  }

  @Test func indexOriginsAreRead() throws {
    try db.run("CREATE INDEX i ON users (name)")
    #expect(try schema.indexDefinitions("users").map(\.origin) == [.createIndex])
    #expect(IndexDefinition(table: "t", name: "i", columns: [], origin: .uniqueConstraint).origin?.rawValue == "u")
  }

  @Test func foreignKeysHaveTwoInitializers() {
    let key = ColumnDefinition.ForeignKey(toTable: "users", toColumn: "id", onDelete: "CASCADE")
    #expect(key == .init(table: "users", column: "", primaryKey: "id", onDelete: "CASCADE"))
    #expect((key.toTable, key.toColumn, key.fromColumn) == ("users", "id", ""))
    #expect(
      ColumnDefinition(name: "a", type: .INTEGER, references: key).toSQL()
        == "\"a\" INTEGER REFERENCES \"users\" (\"id\") ON DELETE CASCADE")
  }

  @Test func schemaChangerCreatesTablesAndIndexes() throws {
    let trace = Trace(db)
    let schemaChanger = SchemaChanger(connection: db)
    try schemaChanger.create(table: "t", ifNotExists: true) { table in
      table.add(column: ColumnDefinition(name: "id", primaryKey: .init(autoIncrement: true), type: .INTEGER))
      table.add(column: ColumnDefinition(name: "code", type: .TEXT, nullable: false, unique: true))
      table.add(expression: SQLExpression<Int64>("a \"b\""))
      table.add(expression: users[name])
    }
    try schemaChanger.alter(table: "t") { table in
      table.add(index: IndexDefinition(table: "t", name: "i", columns: ["name"]), ifNotExists: true)
      table.drop(index: "i")
      table.drop(index: "i", ifExists: true)
    }
    try schemaChanger.run("INSERT INTO t (code, \"a \"\"b\"\"\") VALUES (?, ?)", "x", 1)
    #expect(
      trace.lines.filter { !$0.contains("SAVEPOINT") } == [
        "CREATE TABLE IF NOT EXISTS \"t\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"code\" TEXT NOT NULL UNIQUE, "
          + "\"a \"\"b\"\"\" INTEGER NOT NULL, \"name\" TEXT)",
        "CREATE INDEX IF NOT EXISTS \"i\" ON \"t\" (\"name\")", "DROP INDEX \"i\"", "DROP INDEX IF EXISTS \"i\"",
        "INSERT INTO t (code, \"a \"\"b\"\"\") VALUES ('x', 1)",
      ])
    #expect(failure { try schemaChanger.create(table: "t") { $0.add(expression: id) } }?.code == SQLITE_ERROR)
    #expect(throws: SchemaChanger.Error.self) { try schemaChanger.create(table: "u") { _ in } }
  }

  @Test func `default values are copied to another table`() throws {
    let db = try Connection()
    try db.execute(
      """
      CREATE TABLE a (a INTEGER DEFAULT (1 + 2), b INTEGER DEFAULT -5, c TEXT DEFAULT ('x' || 'y'), d BLOB DEFAULT x'00',
        e TEXT DEFAULT (upper('z')), f TEXT DEFAULT 'it''s', g REAL DEFAULT 1e5)
      """)
    let columns = try db.schema.columnDefinitions(table: "a")
    try SchemaChanger(connection: db).create(table: "b") { table in
      for column in columns { table.add(column: column) }
    }
    #expect(try db.schema.columnDefinitions(table: "b") == columns)
    try db.run(Table("b").insert())
    #expect("\(try #require(try db.pluck(Table("b"))))" == "[a:3 b:-5 c:'xy' d:x'00' e:'Z' f:'it''s' g:100000.0]")
  }

  @Test func schemaChangerAltersTables() throws {
    let trace = Trace(db)
    let newColumn = ColumnDefinition(
      name: "new_text_column",
      type: .TEXT,
      nullable: true,
      defaultValue: .stringLiteral("foo")
    )
    let schemaChanger = SchemaChanger(connection: db)
    try schemaChanger.alter(table: "users") { table in
      table.add(column: newColumn)
      table.rename(column: "name", to: "new_name")
      table.drop(column: "balance")
    }
    #expect(
      trace.lines.dropFirst().dropLast() == [
        "ALTER TABLE \"users\" ADD COLUMN \"new_text_column\" TEXT DEFAULT 'foo'",
        "ALTER TABLE \"users\" RENAME COLUMN \"name\" TO \"new_name\"",
        "ALTER TABLE \"users\" DROP COLUMN \"balance\"",
      ])
    #expect(
      try schema.columnDefinitions(table: "users").map(\.name)
        == ["id", "email", "new_name", "verified", "manager_id", "new_text_column"])
  }

  @Test func invalidColumnsAreRefused() throws {
    let schemaChanger = SchemaChanger(connection: db)
    func message(_ column: ColumnDefinition) -> String? {
      do {
        try schemaChanger.alter(table: "users") { $0.add(column: column) }
        return nil
      } catch {
        return (error as? SchemaChanger.Error)?.errorDescription
      }
    }
    #expect(
      message(ColumnDefinition(name: "a", primaryKey: .init(), type: .INTEGER))
        == "Invalid column definition: can not add primary key column")
    #expect(
      message(ColumnDefinition(name: "a", type: .INTEGER, unique: true))
        == "Invalid column definition: can not add unique column")
    #expect(
      message(ColumnDefinition(name: "a", type: .TEXT, nullable: false))
        == "Invalid column definition: NOT NULL columns must have a default value other than NULL")
    #expect(
      message(ColumnDefinition(name: "a", type: .TEXT, defaultValue: .CURRENT_DATE))
        == "Invalid column definition: Invalid default value")
  }

  @Test func schemaChangesAreAtomic() throws {
    try db.execute(
      """
      CREATE TABLE t (a TEXT COLLATE NOCASE UNIQUE, b INTEGER CHECK (b > 0), c);
      CREATE TABLE log (n);
      CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.b); END
      """)
    let schemaChanger = SchemaChanger(connection: db)
    let error = failure {
      try schemaChanger.alter(table: "t") { table in
        table.rename(column: "b", to: "d")
        table.drop(column: "nowhere")
      }
    }
    #expect(error?.message.contains("nowhere") == true)
    #expect(try schema.columnDefinitions("t").map(\.name) == ["a", "b", "c"])
    try schemaChanger.alter(table: "t") { table in
      table.drop(column: "c")
      table.rename(column: "b", to: "d")
    }
    try db.run("INSERT INTO t VALUES ('x', 1)")
    #expect(try db.scalar("SELECT n FROM log") as? Int64 == 1)
    #expect(failure { try db.run("INSERT INTO t VALUES ('X', 1)") }?.message == "UNIQUE constraint failed: t.a")
    #expect(failure { try db.run("INSERT INTO t VALUES ('y', 0)") }?.code == SQLITE_CONSTRAINT)
  }

  @Test func schemaChangerRenamesAndDropsTables() throws {
    let schemaChanger = SchemaChanger(connection: db)
    try schemaChanger.rename(table: "users", to: "users_new")
    #expect(try schema.objectDefinitions(type: .table).map(\.name) == ["users_new"])
    try schemaChanger.drop(table: "users_new")
    #expect(try schema.objectDefinitions(type: .table).isEmpty)
    try schemaChanger.drop(table: "emails")
    #expect(failure { try schemaChanger.drop(table: "emails", ifExists: false) }?.message == "no such table: emails")
    #expect(schemaChanger.description == "SQLiteSchemaChanger: ")
  }
}
