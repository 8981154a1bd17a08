import Foundation
import SQLiteDB
import Testing

@Suite struct PragmaTests {
  @Test func userVersionIsReadAndWritten() throws {
    let db = try Connection()
    if db.userVersion == 0 {
      // handle first migration
      db.userVersion = 1
    }
    if db.userVersion == 1 {
      // handle second migration
      db.userVersion = 2
    }
    #expect(db.userVersion == 2)
    db.userVersion = nil
    #expect(db.userVersion == 2)
  }

  @Test func pragmaSettingsAreReadAndWritten() throws {
    let db = try Connection()
    #expect(!db.foreignKeys)
    db.foreignKeys = true
    #expect(db.foreignKeys)
    #expect(!db.deferForeignKeys)
    try db.transaction {
      db.deferForeignKeys = true
      #expect(db.deferForeignKeys)
    }
    #expect(db.sqliteVersion >= SQLiteVersion(major: 3, minor: 24))
    #expect(SQLiteVersion(major: 3, minor: 40, point: 1).description == "SQLite version 3.40.1")
    #expect(SQLiteVersion(major: 3, minor: 9) < SQLiteVersion(major: 3, minor: 40))
  }

  @Test func integrityChecksReportErrors() throws {
    let db = try Connection()
    try db.execute(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY);
      CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a);
      INSERT INTO b VALUES (7, 1)
      """)
    let errors = try db.foreignKeyCheck()
    #expect(errors.map(\.description) == ["b [7] => a"])
    #expect(errors[0].rowId == 7)
    #expect(try db.foreignKeyCheck(table: "a").isEmpty)
    #expect(try db.integrityCheck().isEmpty)
    #expect(try db.integrityCheck(table: "a").isEmpty)
  }

  @Test func databasesAreAttachedAndDetached() throws {
    let folder = try Folder()
    let path = folder.path("external.sqlite")
    let external = try Connection(path)
    try external.execute("CREATE TABLE 'table' (id INTEGER PRIMARY KEY); INSERT INTO 'table' VALUES (1)")
    let db = try Connection()
    let trace = Trace(db)
    try db.attach(.uri(path, parameters: [.mode(.readOnly)]), as: "external")
    #expect(trace.lines == ["ATTACH DATABASE 'file:\(path)?mode=ro' AS 'external'"])
    let table = Table("table", database: "external")
    #expect(sql(table.count) == "SELECT count(*) FROM \"external\".\"table\"")
    let count = try db.scalar(table.count)
    #expect(count == 1)
    #expect(failure { try db.run(table.insert(id <- 2)) }?.code == SQLITE_READONLY)
    try db.detach("external")
    #expect(trace.lines.last == "DETACH DATABASE 'external'")
    let error = failure { try db.detach("no-exist") }
    #expect(error?.message == "no such database: no-exist")
    #expect(error?.code == SQLITE_ERROR)
    try db.attach(.inMemory, as: "memory")
    try db.run(Table("t", database: "memory").create { $0.column(id) })
    try db.detach("memory")
  }

  @Test func `all columns of a table in an attached database are selected`() throws {
    let db = try database("a")
    try db.attach(.inMemory, as: "external")
    try db.execute("CREATE TABLE external.posts (id INTEGER, title TEXT); INSERT INTO external.posts VALUES (1, 'x')")
    let posts = Table("posts", database: "external")
    let joined = users.join(posts, on: posts[id] == users[id]).select(users[email], posts[*])
    #expect(sql(posts.select(posts[*])) == "SELECT \"posts\".* FROM \"external\".\"posts\"")
    #expect(try db.pluck(posts.select(posts[*]))?.get(posts[title]) == "x")
    let row = try #require(try db.pluck(joined))
    #expect(row[posts[title]] == "x")
    #expect(row[users[email]] == "a@mac.com")
  }

  @Test func backupCopiesTheDatabase() throws {
    let folder = try Folder()
    let db = try Connection(folder.path("db.sqlite"))
    try db.run(users.create { $0.column(id, primaryKey: true) })
    try db.run(users.insert(id <- 5))
    let target = try Connection(.inMemory)
    let backup = try db.backup(usingConnection: target)
    try backup.step()
    #expect(backup.remainingPages == 0)
    #expect(backup.pageCount > 0)
    try backup.step()
    backup.finish()
    try backup.step()
    #expect(try target.pluck(users)?[id] == 5)
  }

  @Test func backupRunsInSteps() throws {
    let db = try Connection(), target = try Connection()
    try db.execute("CREATE TABLE users (id INTEGER PRIMARY KEY); CREATE TABLE other (a)")
    let backup = try Backup(sourceConnection: db, targetConnection: target)
    try backup.step(pagesToCopy: .limited(number: 1))
    #expect(backup.remainingPages == backup.pageCount - 1)
    backup.finish()
    #expect(failure { try target.scalar(users.count) } != nil)
    try db.attach(.inMemory, as: "copy")
    try db.backup(databaseName: .main, usingConnection: target, andDatabaseName: .main).step()
    #expect(try target.scalar(users.count) == 0)
    #expect(failure { try db.backup(databaseName: .attached(name: "none"), usingConnection: target) } != nil)
  }

  @Test func traceReportsStatements() throws {
    let db = try database("alice")
    var lines: [String] = []
    db.trace { lines.append($0) }
    _ = try db.pluck(users.filter(email == "it's"))
    db.trace(nil)
    _ = try db.pluck(users)
    #expect(lines == ["SELECT * FROM \"users\" WHERE (\"email\" = 'it''s') LIMIT 1"])
  }

  @Test func vacuumRunsOutsideTransactions() throws {
    let folder = try Folder()
    let path = folder.path("db.sqlite")
    let db = try Connection(path)
    try db.run("CREATE TABLE t (a)")
    try db.run("INSERT INTO t VALUES (randomblob(100000))")
    try db.run("DELETE FROM t")
    let size = { try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 }
    let before = try size()
    try db.vacuum()
    #expect(try size() < before)
  }
}
