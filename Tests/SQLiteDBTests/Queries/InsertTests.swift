import SQLiteDB
import Testing

@Suite struct InsertTests {
  @Test func insertBuildsSQLAndRuns() {
    #expect(
      sql(users.insert(email <- "alice@mac.com", name <- "Alice"))
        == "INSERT INTO \"users\" (\"email\", \"name\") VALUES ('alice@mac.com', 'Alice')")
    #expect(
      sql(users.insert(or: .replace, email <- "alice@mac.com", name <- "Alice B."))
        == "INSERT OR REPLACE INTO \"users\" (\"email\", \"name\") VALUES ('alice@mac.com', 'Alice B.')")
    for (conflict, word) in [
      (OnConflict.rollback, "ROLLBACK"), (.abort, "ABORT"), (.fail, "FAIL"), (.ignore, "IGNORE"),
    ] {
      #expect(sql(users.insert(or: conflict, [id <- 1])) == "INSERT OR \(word) INTO \"users\" (\"id\") VALUES (1)")
    }
    #expect(sql(users.insert([id <- 1])) == "INSERT INTO \"users\" (\"id\") VALUES (1)")
  }

  @Test func insertReturnsTheRowID() throws {
    let db = try emptyUsers()
    #expect(try db.run(users.insert(email <- "alice@mac.com")) == 1)
    #expect(try db.run(users.insert(email <- "betty@mac.com")) == 2)
    #expect(try db.run(users.insert(or: .ignore, email <- "alice@mac.com")) == 0)
    #expect(db.lastInsertRowid == 2)
  }

  @Test func consecutiveInsertsUseTheirOwnSQL() throws {
    let db = try emptyUsers()
    try db.run("CREATE TABLE posts (id, email)")
    try db.run(users.insert(email <- "a", name <- "A"))
    try db.run(users.insert(email <- "b", name <- "B"))
    try db.run(users.insert(name <- "C", email <- "c"))
    try db.run(posts.insert(id <- 7, email <- "p"))
    try db.run(users.insert(or: .replace, email <- "a", name <- "D"))
    try db.run(users.insert(email <- "e", name <- SQLExpression<String?>(literal: "NULL")))
    var insert = users.insert(email <- "x")
    insert.bindings = ["f"]
    #expect(insert.template == "INSERT INTO \"users\" (\"email\") VALUES (?)")
    try db.run(insert)
    #expect(try db.prepare(users.order(email)).map { $0[email] } == ["a", "b", "c", "e", "f"])
    #expect(try db.prepare(users.order(email)).map { $0[name] } == ["D", "B", "C", nil, nil])
    #expect(try db.pluck(posts)?[id] == 7)
  }

  @Test func insertManyInsertsAllRows() throws {
    let text = "INSERT INTO \"users\" (\"email\") VALUES ('alice@mac.com'), ('geoff@mac.com')"
    #expect(sql(users.insertMany([email <- "alice@mac.com"], [email <- "geoff@mac.com"])) == text)
    #expect(sql(users.insertMany([[email <- "alice@mac.com"], [email <- "geoff@mac.com"]])) == text)
    #expect(
      sql(users.insertMany(or: .replace, [[id <- 1], [id <- 2]]))
        == "INSERT OR REPLACE INTO \"users\" (\"id\") VALUES (1), (2)")
    #expect(
      sql(users.insertMany(or: .ignore, [id <- 1], [id <- 2]))
        == "INSERT OR IGNORE INTO \"users\" (\"id\") VALUES (1), (2)")
    #expect(sql(users.insertMany([])) == "INSERT INTO \"users\" DEFAULT VALUES")
    let db = try emptyUsers()
    #expect(try db.run(users.insertMany([email <- "alice@mac.com"], [email <- "geoff@mac.com"])) == 2)
  }

  @Test func insertManyFillsMissingColumnsWithNull() throws {
    let insert = users.insertMany(
      [email <- "a", name <- "A"], [name <- "B", email <- "b"], [balance <- 2, email <- "c"])
    #expect(
      sql(insert)
        == "INSERT INTO \"users\" (\"email\", \"name\", \"balance\") VALUES ('a', 'A', NULL), ('b', 'B', NULL), "
        + "('c', NULL, 2.0)")
    let db = try Connection()
    try db.run("CREATE TABLE users (email, name, balance)")
    try db.run(insert)
    #expect(try db.prepare(users.order(email)).map { $0[name] } == ["A", "B", nil])
  }

  @Test func insertDefaultsBuildsSQL() {
    #expect(sql(Table("timestamps").insert()) == "INSERT INTO \"timestamps\" DEFAULT VALUES")
    #expect(sql(users.insert([])) == "INSERT INTO \"users\" DEFAULT VALUES")
  }

  @Test func constraintViolationsThrow() throws {
    let db = try emptyUsers()
    do {
      try db.run(users.insert(email <- "alice@mac.com"))
      try db.run(users.insert(email <- "alice@mac.com"))
      Issue.record("There are two rows")
    } catch let Result.error(message, code, statement) where code == SQLITE_CONSTRAINT {
      #expect(message == "UNIQUE constraint failed: users.email")
      let text = "INSERT INTO \"users\" (\"email\") VALUES (?)"
      #expect(statement?.description == text)
      #expect(
        "\(Result.error(message: message, code: code, statement: statement))"
          == "UNIQUE constraint failed: users.email (\(text)) (code: 19)")
      #expect(
        "\(Result.error(message: message, code: code, statement: nil))"
          == "UNIQUE constraint failed: users.email (code: 19)")
    }
  }

  @Test func errorMessagesIncludeTheStatement() throws {
    let db = try database("alice")
    do {
      try db.run("INSERT INTO users (email) VALUES (?)", "alice@mac.com")
    } catch let Result.error(_, _, statement) {
      #expect(statement?.description == "INSERT INTO users (email) VALUES (?)")
    }
    do {
      try db.run("SELECT * FROM nowhere")
    } catch {
      #expect("\(error)" == "no such table: nowhere (code: 1)")
    }
  }

  @Test func extendedErrorCodesAreReported() throws {
    let db = try database("alice")
    #expect(!db.usesExtendedErrorCodes)
    db.usesExtendedErrorCodes = true
    do {
      try db.run(users.insert(email <- "alice@mac.com"))
      Issue.record("There are two rows")
    } catch let Result.extendedError(message, code, _) {
      #expect(code == 2067)
      #expect(
        "\(Result.extendedError(message: message, extendedCode: code, statement: nil))"
          == "UNIQUE constraint failed: users.email (extended code: 2067)")
    }
  }

  @Test func insertsIgnoreFiltersAndAliases() {
    let text = "INSERT INTO \"users\" (\"id\") VALUES (1)"
    #expect(sql(users.filter(id == 3).limit(1).insert(id <- 1)) == text)
    #expect(sql(users.alias("u").insert(id <- 1)) == text)
  }

  @Test func insertFromAQueryBuildsSQL() throws {
    let emails = Table("emails")
    #expect(sql(users.insert(emails.select(email))) == "INSERT INTO \"users\" SELECT \"email\" FROM \"emails\"")
    let db = try database("alice", "betty")
    try db.run("CREATE TABLE emails (email TEXT)")
    #expect(try db.run(emails.insert(users.select(email))) == 2)
  }

  /// For Swift, both names are equal. An insertion set the column of the insertion before it.
  @Test func `columns whose names differ only in their bytes are distinguished`() throws {
    let composed = SQLExpression<Int?>("\u{e9}"), decomposed = SQLExpression<Int?>("e\u{301}"), table = Table("t")
    let db = try Connection()
    try db.run("CREATE TABLE t (\"\u{e9}\", \"e\u{301}\")")
    try db.run(table.insert(composed <- 1))
    try db.run(table.insert(decomposed <- 2))
    try db.run(table.insertMany([[composed <- 3], [decomposed <- 4]]))
    let rows = try db.prepare("SELECT * FROM t").map { $0.map { $0 as? Int64 } }
    #expect(rows == [[1, nil], [nil, 2], [3, nil], [nil, 4]])
  }

  @Test func upsertBuildsSQL() throws {
    #expect(
      sql(users.upsert(email <- "alice@mac.com", name <- "Alice", onConflictOf: email))
        == "INSERT INTO \"users\" (\"email\", \"name\") VALUES ('alice@mac.com', 'Alice') "
        + "ON CONFLICT (\"email\") DO UPDATE SET \"name\" = \"excluded\".\"name\"")
    #expect(
      sql(users.upsert([email <- "a", name <- "b"], onConflictOf: email, set: [name <- "c"]))
        == "INSERT INTO \"users\" (\"email\", \"name\") VALUES ('a', 'b') "
        + "ON CONFLICT (\"email\") DO UPDATE SET \"name\" = 'c'")
    let db = try database("alice")
    #expect(try db.run(users.upsert(email <- "betty@mac.com", name <- "Betty", onConflictOf: email)) == 2)
    try db.run(users.upsert(email <- "alice@mac.com", name <- "Alicia", onConflictOf: email))
    #expect(try db.prepare(users.order(id)).map { $0[name] } == ["Alicia", "Betty"])
  }

  @Test func conflictClausesBuildSQL() throws {
    let local = SQLExpression<String>("local"), domain = SQLExpression<String>("domain"), table = Table("t")
    let upsert = table.upsert([local <- "a", domain <- "b", id <- 1], onConflictOf: [local, domain])
    #expect(
      sql(upsert)
        == "INSERT INTO \"t\" (\"local\", \"domain\", \"id\") VALUES ('a', 'b', 1) "
        + "ON CONFLICT (\"local\", \"domain\") DO UPDATE SET \"id\" = \"excluded\".\"id\"")
    #expect(
      sql(users.insert(email <- "a").onConflictDoNothing(of: email))
        == "INSERT INTO \"users\" (\"email\") VALUES ('a') ON CONFLICT (\"email\") DO NOTHING")
    #expect(
      sql(users.insert(email <- "a").onConflictDoNothing())
        == "INSERT INTO \"users\" (\"email\") VALUES ('a') ON CONFLICT DO NOTHING")
    #expect(
      sql(users.upsert(email <- "a", onConflictOf: email))
        == "INSERT INTO \"users\" (\"email\") VALUES ('a') ON CONFLICT (\"email\") DO NOTHING")
    let db = try Connection()
    try db.run("CREATE TABLE t (local, domain, id, UNIQUE (local, domain))")
    try db.run(upsert)
    try db.run(upsert)
    #expect(try db.scalar(table.count) == 1)
  }

  @Test func returningClausesReturnRows() throws {
    let db = try database("alice", "betty")
    let inserted = try db.run(users.insert(email <- "carl@mac.com").returning(id, email))
    #expect(inserted.map { $0[id] } == [3])
    #expect(inserted.map { $0[email] } == ["carl@mac.com"])
    let updated = try db.run(users.filter(id < 3).update(balance += 1).returning(balance * 2))
    #expect(updated.map { $0[balance * 2] } == [2, 2])
    #expect(try db.run(users.filter(id > 1).delete().returning(*)).map { $0[id] } == [2, 3])
    #expect(try db.scalar(users.count) == 1)
  }
}
