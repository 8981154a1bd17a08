import SQLiteDB
import Testing

private let suffix = SQLExpression<String?>("suffix")

@Suite struct TableTests {
  /// Returns the SQL of the column that a closure adds to a table builder.
  private func column(_ block: (TableBuilder) -> Void) -> String {
    let text = Table("t").create(block: block)
    return String(text.dropFirst("CREATE TABLE \"t\" (".count).dropLast())
  }

  @Test func createTableBuildsSQL() throws {
    let text = users.create { t in
      t.column(id, primaryKey: true)
      t.column(email, unique: true)
      t.column(name)
    }
    #expect(
      text
        == "CREATE TABLE \"users\" (\"id\" INTEGER PRIMARY KEY NOT NULL, \"email\" TEXT NOT NULL UNIQUE, \"name\" TEXT)"
    )
    let db = try Connection()
    try db.run(text)
    try db.run(users.insert(email <- "alice@mac.com"))
    #expect(try db.scalar(users.count) == 1)
  }

  @Test func tableOptionsBuildSQL() {
    let block: (TableBuilder) -> Void = { $0.column(id) }
    #expect(users.create(temporary: true, block: block) == "CREATE TEMPORARY TABLE \"users\" (\"id\" INTEGER NOT NULL)")
    #expect(
      users.create(ifNotExists: true, block: block) == "CREATE TABLE IF NOT EXISTS \"users\" (\"id\" INTEGER NOT NULL)")
    #expect(
      users.create(temporary: true, ifNotExists: true, block: block)
        == "CREATE TEMPORARY TABLE IF NOT EXISTS \"users\" (\"id\" INTEGER NOT NULL)")
    #expect(
      users.create(withoutRowid: true) { $0.column(id, primaryKey: true) }
        == "CREATE TABLE \"users\" (\"id\" INTEGER PRIMARY KEY NOT NULL) WITHOUT ROWID")
    #expect(
      Table("users", database: "main").create(block: block)
        == "CREATE TABLE \"main\".\"users\" (\"id\" INTEGER NOT NULL)")
    #expect(users.create(posts.select(id)) == "CREATE TABLE \"users\" AS SELECT \"id\" FROM \"posts\"")
    #expect(
      users.create(posts, temporary: true, ifNotExists: true)
        == "CREATE TEMPORARY TABLE IF NOT EXISTS \"users\" AS SELECT * FROM \"posts\"")
    #expect(
      View("v").create(users.filter(id == 1)) == "CREATE VIEW \"v\" AS SELECT * FROM \"users\" WHERE (\"id\" = 1)")
    #expect(
      View("v").create(users, temporary: true, ifNotExists: true)
        == "CREATE TEMPORARY VIEW IF NOT EXISTS \"v\" AS SELECT * FROM \"users\"")
  }

  @Test func primaryKeysBuildSQL() {
    #expect(column { $0.column(id, primaryKey: true) } == "\"id\" INTEGER PRIMARY KEY NOT NULL")
    #expect(column { $0.column(id, primaryKey: .autoincrement) } == "\"id\" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL")
    #expect(column { $0.column(managerId, primaryKey: true) } == "\"manager_id\" INTEGER PRIMARY KEY")
    #expect(
      column { $0.column(id, primaryKey: true, references: users, id) }
        == "\"id\" INTEGER PRIMARY KEY NOT NULL REFERENCES \"users\" (\"id\")")
    #expect(
      column { $0.column(email, primaryKey: true, check: email != "", defaultValue: "x") }
        == "\"email\" TEXT PRIMARY KEY NOT NULL CHECK (\"email\" != '') DEFAULT ('x')")
  }

  @Test func columnConstraintsBuildSQL() {
    #expect(column { $0.column(email, unique: true) } == "\"email\" TEXT NOT NULL UNIQUE")
    #expect(
      column { $0.column(email, check: email.like("%@%")) } == "\"email\" TEXT NOT NULL CHECK (\"email\" LIKE '%@%')")
    #expect(column { $0.column(name, check: name != nil) } == "\"name\" TEXT CHECK (\"name\" IS NOT NULL)")
    #expect(column { $0.column(verified, check: verified) } == "\"verified\" INTEGER NOT NULL CHECK (\"verified\")")
    #expect(column { $0.column(name, defaultValue: "Anonymous") } == "\"name\" TEXT DEFAULT ('Anonymous')")
    #expect(column { $0.column(balance, defaultValue: 0) } == "\"balance\" REAL NOT NULL DEFAULT (0.0)")
    #expect(
      column { $0.column(id, defaultValue: SQLExpression<Int64>.random()) }
        == "\"id\" INTEGER NOT NULL DEFAULT (random())")
    #expect(
      column { $0.column(name, unique: true, check: name != "", defaultValue: email) }
        == "\"name\" TEXT UNIQUE CHECK (\"name\" != '') DEFAULT (\"email\")")
  }

  @Test func columnCollationsBuildSQL() {
    #expect(column { $0.column(email, collate: .nocase) } == "\"email\" TEXT NOT NULL COLLATE NOCASE")
    #expect(column { $0.column(name, collate: .rtrim) } == "\"name\" TEXT COLLATE RTRIM")
    #expect(
      column { $0.column(name, unique: true, defaultValue: "x", collate: .custom("A")) }
        == "\"name\" TEXT UNIQUE DEFAULT ('x') COLLATE \"A\"")
  }

  @Test func columnReferencesBuildSQL() {
    let user_id = SQLExpression<Int64?>("user_id")
    #expect(column { $0.column(user_id, references: users, id) } == "\"user_id\" INTEGER REFERENCES \"users\" (\"id\")")
    #expect(
      column { $0.column(userId, unique: true, references: users, id) }
        == "\"user_id\" INTEGER NOT NULL UNIQUE REFERENCES \"users\" (\"id\")")
    #expect(column { $0.column(user_id, references: users[id]) } == "\"user_id\" INTEGER REFERENCES \"users\" (\"id\")")
    #expect(
      column { $0.column(user_id, references: users, users[id]) } == "\"user_id\" INTEGER REFERENCES \"users\" (\"id\")"
    )
    #expect(
      column { $0.column(user_id, references: Table("table", database: "main"), id) }
        == "\"user_id\" INTEGER REFERENCES \"table\" (\"id\")")
  }

  @Test func tableConstraintsBuildSQL() throws {
    let local = SQLExpression<String>("local"), domain = SQLExpression<String>("domain")
    #expect(column { $0.primaryKey(email, name) } == "PRIMARY KEY (\"email\", \"name\")")
    #expect(column { $0.primaryKey(email.asc, name) } == "PRIMARY KEY (\"email\" ASC, \"name\")")
    #expect(column { $0.primaryKey(id, email, name, balance) }.hasSuffix("\"name\", \"balance\")"))
    #expect(column { $0.unique(local, domain) } == "UNIQUE (\"local\", \"domain\")")
    #expect(column { $0.unique([local]) } == "UNIQUE (\"local\")")
    #expect(column { $0.check(balance >= 0) } == "CHECK ((\"balance\" >= 0.0))")
    #expect(
      column { $0.foreignKey(userId, references: users, id, delete: .setNull) }
        == "FOREIGN KEY (\"user_id\") REFERENCES \"users\" (\"id\") ON DELETE SET NULL")
    #expect(
      column { $0.foreignKey((userId, email), references: users, (id, email), update: .cascade, delete: .noAction) }
        == "FOREIGN KEY (\"user_id\", \"email\") REFERENCES \"users\" (\"id\", \"email\") ON UPDATE CASCADE "
        + "ON DELETE NO ACTION")
    #expect(
      column {
        $0.foreignKey((id, email, name), references: users, (id, email, name), update: .restrict, delete: .setDefault)
      }
        == "FOREIGN KEY (\"id\", \"email\", \"name\") REFERENCES \"users\" (\"id\", \"email\", \"name\") "
        + "ON UPDATE RESTRICT ON DELETE SET DEFAULT")
    let db = try Connection()
    try db.run(
      Table("t").create { t in
        t.column(email)
        t.column(name)
        t.column(balance)
        t.primaryKey(email.asc, name)
        t.check(balance >= 0)
      })
  }

  // MARK: Changes

  @Test func renameAndDropBuildSQL() {
    #expect(users.rename(Table("users_old")) == "ALTER TABLE \"users\" RENAME TO \"users_old\"")
    #expect(VirtualTable("a").rename(VirtualTable("b")) == "ALTER TABLE \"a\" RENAME TO \"b\"")
    #expect(users.drop() == "DROP TABLE \"users\"")
    #expect(users.drop(ifExists: true) == "DROP TABLE IF EXISTS \"users\"")
    #expect(View("v").drop() == "DROP VIEW \"v\"")
    #expect(View("v").drop(ifExists: true) == "DROP VIEW IF EXISTS \"v\"")
    #expect(VirtualTable("v").drop() == "DROP TABLE \"v\"")
  }

  @Test func addColumnBuildsSQL() {
    #expect(users.addColumn(suffix) == "ALTER TABLE \"users\" ADD COLUMN \"suffix\" TEXT")
    #expect(
      users.addColumn(suffix, check: ["JR", "SR"].contains(suffix))
        == "ALTER TABLE \"users\" ADD COLUMN \"suffix\" TEXT CHECK (\"suffix\" IN ('JR', 'SR'))")
    #expect(
      users.addColumn(suffix, defaultValue: "SR") == "ALTER TABLE \"users\" ADD COLUMN \"suffix\" TEXT DEFAULT ('SR')")
    #expect(
      users.addColumn(email, collate: .nocase)
        == "ALTER TABLE \"users\" ADD COLUMN \"email\" TEXT NOT NULL COLLATE NOCASE")
    #expect(users.addColumn(name, collate: .rtrim) == "ALTER TABLE \"users\" ADD COLUMN \"name\" TEXT COLLATE RTRIM")
    #expect(
      users.addColumn(email, defaultValue: "x", collate: .nocase)
        == "ALTER TABLE \"users\" ADD COLUMN \"email\" TEXT NOT NULL DEFAULT ('x') COLLATE NOCASE")
    #expect(
      posts.addColumn(SQLExpression<Int64?>("user_id"), references: users, id)
        == "ALTER TABLE \"posts\" ADD COLUMN \"user_id\" INTEGER REFERENCES \"users\" (\"id\")")
    #expect(
      posts.addColumn(SQLExpression<Int64?>("user_id"), references: users[id])
        == "ALTER TABLE \"posts\" ADD COLUMN \"user_id\" INTEGER REFERENCES \"users\" (\"id\")")
  }

  @Test func createIndexBuildsSQL() {
    #expect(users.createIndex(email) == "CREATE INDEX \"index_users_on_email\" ON \"users\" (\"email\")")
    #expect(
      users.createIndex(email, unique: true) == "CREATE UNIQUE INDEX \"index_users_on_email\" ON \"users\" (\"email\")")
    #expect(
      users.createIndex(email, ifNotExists: true)
        == "CREATE INDEX IF NOT EXISTS \"index_users_on_email\" ON \"users\" (\"email\")")
    #expect(
      users.createIndex(email, name.desc)
        == "CREATE INDEX \"index_users_on_email_name_desc\" ON \"users\" (\"email\", \"name\" DESC)")
    #expect(
      users.createIndex([email], unique: true, ifNotExists: true)
        == "CREATE UNIQUE INDEX IF NOT EXISTS \"index_users_on_email\" ON \"users\" (\"email\")")
    #expect(
      Table("table", database: "main").createIndex(SQLExpression<Int64>("int64"))
        == "CREATE INDEX \"main\".\"index_table_on_int64\" ON \"table\" (\"int64\")")
    #expect(users.dropIndex(email) == "DROP INDEX \"index_users_on_email\"")
    #expect(users.dropIndex(email, ifExists: true) == "DROP INDEX IF EXISTS \"index_users_on_email\"")
    #expect(users.dropIndex([email, name.desc]) == "DROP INDEX \"index_users_on_email_name_desc\"")
  }

  @Test func schemaStatementsRun() throws {
    let db = try emptyUsers()
    try db.run(users.addColumn(SQLExpression<String>("nick"), collate: .nocase))
    try db.run(users.addColumn(suffix, check: ["JR", "SR"].contains(suffix), defaultValue: "SR"))
    try db.run(users.createIndex(email, unique: true))
    try db.run(users.createIndex(email, unique: true, ifNotExists: true))
    try db.run(users.dropIndex(email))
    try db.run(users.dropIndex(email, ifExists: true))
    try db.run(View("v").create(users.filter(id > 1)))
    try db.run(View("v").drop())
    try db.run(users.rename(Table("users_old")))
    try db.run(Table("users_old").drop())
  }
}
