import Foundation
import SQLiteDB
import Testing

// Examples in the style of SQLite.swift's documentation that do not occur in another test. They check that programs
// written for that API compile and work.

@Suite struct DocumentTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  @Test func productExampleWorks() throws {
    let manifest = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Package.swift")
    #expect(try String(contentsOf: manifest, encoding: .utf8).contains(".library(name: \"SQLiteDB\""))
  }

  @Test func connectionExamplesWork() throws {
    let path = folder.path("db.sqlite3")
    do {
      let db = try Connection(path)
      try db.run("CREATE TABLE t (a)")
    }
    do {
      let db = try Connection(path, readonly: true)
      #expect(db.readonly)
    }
    do {
      let db = try Connection()  // equivalent to `Connection(.inMemory)`
      #expect(!db.readonly)
    }
    do {
      let db = try Connection(.temporary)
      #expect(!db.readonly)
    }
    do {
      let db = try Connection(.uri(folder.path("file.sqlite"), parameters: [.cache(.private), .noLock(true)]))
      db.busyTimeout = 5  // error after 5 seconds (does multiple retries)

      db.busyHandler({ tries in
        tries < 3  // error after 3 tries
      })
    }
  }

  @Test func rowExamplesWork() throws {
    let db = try Connection()
    let id = SQLExpression<Int64>("id")
    let email = SQLExpression<String>("email")
    let balance = SQLExpression<Double>("balance")
    let verified = SQLExpression<Bool>("verified")
    let name = SQLExpression<String?>("name")
    let users = Table("users")
    try db.run(
      users.create { t in  // CREATE TABLE "users" (
        t.column(id, primaryKey: true)  //     "id" INTEGER PRIMARY KEY NOT NULL,
        t.column(email, unique: true)  //     "email" TEXT UNIQUE NOT NULL,
        t.column(name)  //     "name" TEXT
        t.column(balance, defaultValue: 0)
        t.column(verified, defaultValue: false)
      })  // )
    try db.run(users.create(ifNotExists: true) { t in t.column(id) })
    try db.run(users.insert(email <- "alice@mac.com", name <- "Alice"))
    try db.run(users.insert(or: .replace, email <- "alice@mac.com", name <- "Alice B."))
    do {
      let rowid = try db.run(users.insert(email <- "betty@mac.com"))
      #expect(rowid == 3)
    }
    do {
      let lastRowid = try db.run(users.insertMany([email <- "carl@mac.com"], [email <- "geoff@mac.com"]))
      #expect(lastRowid == 5)
    }
    do {
      try db.run(users.insert(email <- "dora@mac.com"))
      try db.run(users.insert(email <- "dora@mac.com"))
    } catch let Result.error(message, code, statement) where code == SQLITE_CONSTRAINT {
      #expect("\(message)" == "UNIQUE constraint failed: users.email")
      #expect(statement != nil)
    } catch let error {
      Issue.record(error)
    }
    for user in try db.prepare(users.limit(1)) {
      #expect(user[id] == 2 && user[email] == "alice@mac.com" && user[name] == "Alice B.")
    }
    for user in try db.prepare(users) {
      do {
        _ = try user.get(name)
      } catch {
        Issue.record(error)
      }
    }
    let query = try db.prepare(users)
    for user in query {
      #expect(user[id] > 0)
    }
    if let user = try db.pluck(users) { #expect(user[verified] == false) }
    let all = Array(try db.prepare(users))
    #expect(all.count == 5)
  }

  @Test func failableIterationExamplesWork() throws {
    let db = try database("alice", "betty")
    // option 1: convert results into an Array of rows
    let rowIterator = try db.prepareRowIterator(users)
    for user in try Array(rowIterator) {
      #expect(user[id] > 0 && !user[email].isEmpty)
    }

    /// option 2: transform results using `map()`
    let mapRowIterator = try db.prepareRowIterator(users)
    let userIds = try mapRowIterator.map { $0[id] }
    #expect(userIds == [1, 2])

    /// option 3: handle each row individually with `failableNext()`
    var count = 0
    do {
      while let row = try rowIterator.failableNext() {
        // Handle row
        count += Int(row[id])
      }
    } catch {
      // Handle error
      Issue.record(error)
    }
    #expect(count == 3)
  }

  @Test func changeExamplesWork() throws {
    let db = try database("alice")
    let alice = users.filter(id == 1)
    do {
      if try db.run(alice.update(email <- "alice@me.com")) > 0 {
        #expect(db.changes == 1)
      } else {
        Issue.record("alice not found")
      }
    } catch {
      Issue.record(error)
    }
    do {
      if try db.run(alice.delete()) > 0 {
        #expect(db.changes == 1)
      } else {
        Issue.record("alice not found")
      }
    } catch {
      Issue.record(error)
    }
  }

  @Test func schemaExamplesWork() throws {
    let db = try database("alice")
    let schema = db.schema
    let indexes = try schema.indexDefinitions("users")
    let columns = try schema.columnDefinitions("users")
    for index in indexes {
      print("\(index.name) columns:\(index.columns))")
    }
    #expect(
      columns.map { "\($0.name) pk:\($0.primaryKey != nil) nullable: \($0.nullable)" }.first
        == "id pk:true nullable: false")
    let schemaChanger = SchemaChanger(connection: db)
    try schemaChanger.alter(table: "users") { table in
      table.rename(column: "name", to: "new_name")
    }
    try schemaChanger.alter(table: "users") { table in
      table.drop(column: "balance")
    }
    try schemaChanger.rename(table: "users", to: "users_new")
    try schemaChanger.drop(table: "users_new", ifExists: false)
  }

  @Test func arbitrarySQLExamplesWork() throws {
    let db = try emptyUsers()
    let stmt = try db.prepare("INSERT INTO users (email) VALUES (?)")
    try stmt.run("alice@mac.com")
    #expect(db.changes == 1)
    try db.run("INSERT INTO users (email) VALUES (?)", "betty@mac.com")
    let count = try db.scalar("SELECT count(*) FROM users") as! Int64
    #expect(count == 2)
  }

  @Test func maintenanceExamplesWork() throws {
    let db = try Connection(folder.path("db.sqlite"))
    try db.run("CREATE TABLE t (a)")
    let target = try Connection(.inMemory)
    let backup = try db.backup(usingConnection: target)
    try backup.step()
    #if DEBUG
      db.trace { print($0) }
    #endif
    try db.vacuum()
    #expect(try target.scalar("SELECT count(*) FROM t") as? Int64 == 0)
  }
}
