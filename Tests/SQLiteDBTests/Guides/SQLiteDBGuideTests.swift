import SQLiteDB
import TestSupport
import Testing

/// The code blocks of `Documentation/SQLiteDB.md`.
@Suite(.untilItHangs) struct SQLiteDBGuideTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  @Test func firstProgramWorks() throws {
    let db = try Connection()
    try db.run(
      users.create { t in
        t.column(id, primaryKey: true)
        t.column(email, unique: true, check: email.like("%@%"))
        t.column(name)
      })
    let rowid = try db.run(users.insert(email <- "alice@mac.com", name <- "Alice"))
    for user in try db.prepare(users.filter(email.like("%@mac.com"))) {
      print("id: \(user[id]), email: \(user[email])")
    }
    try db.run(users.filter(id == rowid).update(name <- nil))
    let isNameless = try db.pluck(users)?[name] == nil
    #expect(isNameless)
  }

  @Test func rowsByNameExampleWorks() throws {
    let db = try database("alice")
    let row = try #require(try db.prepareRowIterator("SELECT id, upper(email) AS loud FROM users").failableNext())
    #expect(try row.get("loud") as? String == "ALICE@MAC.COM")
  }

  @Test func subqueryExampleWorks() throws {
    let db = try database("alice")
    try db.execute("CREATE TABLE posts (id INTEGER PRIMARY KEY, user_id); INSERT INTO posts VALUES (7, 1)")
    let authors = users.filter(posts.select(userId).contains(id))
    let latest = Table("latest", as: posts.order(id.desc).limit(10))
    let joined = users.join(latest, on: latest[userId] == users[id]).select(users[email], latest[id].alias("post"))
    #expect(try db.scalar(authors.count) == 1)
    #expect(try db.pluck(joined)?[SQLExpression<Int64>("post")] == 7)
  }

  @Test func changeExampleWorks() throws {
    let db = try Connection()
    let members = Table("members"), team = SQLExpression<Int64>("team")
    try db.run("CREATE TABLE members (team, user_id, title, UNIQUE (team, user_id))")
    try db.run(members.upsert([team <- 1, userId <- 1, title <- "x"], onConflictOf: [team, userId]))
    try db.run(members.insert(team <- 1, userId <- 1).onConflictDoNothing())
    let deleted = try db.run(members.filter(team == 1).delete().returning(userId))
    #expect(deleted.map { $0[userId] } == [1])
  }

  @Test func transactionExampleWorks() async throws {
    let db = try database("alice")
    let count = try await db.transaction(.immediate) { db in
      try db.run(users.insert(email <- "betty@mac.com"))
      return try db.scalar(users.count)
    }
    #expect(count == 2)
  }

  @Test func writeAheadLogExampleWorks() throws {
    let path = folder.path("db.sqlite")
    let log = try Connection(path, journalMode: .wal)
    log.synchronous = .normal
    log.walAutoCheckpoint = 500
    try log.walCheckpoint(.truncate)
    #expect(log.journalMode == .wal)
  }

  @Test func schemaChangerExampleWorks() throws {
    let db = try Connection()
    let changer = SchemaChanger(connection: db)
    try changer.create(table: "logins") { table in
      table.add(column: ColumnDefinition(name: "id", primaryKey: .init(autoIncrement: true), type: .INTEGER))
      table.add(expression: userId)
    }
    try changer.alter(table: "logins") { table in
      table.add(index: IndexDefinition(table: "logins", name: "byUser", columns: ["user_id"]))
    }
    #expect(try db.schema.indexDefinitions("logins").map(\.columns) == [["user_id"]])
  }

  struct Repository<Key: Value> where Key.Datatype: Equatable {
    let table: Table
    let key: SQLExpression<Key>

    func row(_ db: Connection, _ value: Key) throws -> Row? { try db.pluck(table.filter(key == value)) }
  }

  @Test func repositoryExampleWorks() throws {
    let db = try database("alice")
    #expect(try Repository(table: users, key: id).row(db, 1)?[email] == "alice@mac.com")
    let isUnknown = try Repository(table: users, key: email).row(db, "nobody") == nil
    #expect(isUnknown)
  }

  @Test func tidemarkInteroperationExampleWorks() throws {
    let path = folder.path("db.sqlite")
    try Connection(path).run("CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT)")
    let pool = try DatabasePool(path: path)
    let db = Connection(pool)
    try db.run(users.insert(email <- "alice@mac.com"))
    let rows = try pool.read { db in try db.prepare(users.filter(id == 1)) }
    let all = try pool.read { db in try users.fetchAll(db) }
    #expect(rows.count == all.count)
  }

  @Test func observationExampleWorks() async throws {
    let db = try database("alice")
    for await rows in db.observe(users.filter(id == 1)) {
      print(rows.map { $0[email] })
      break
    }
  }
}
