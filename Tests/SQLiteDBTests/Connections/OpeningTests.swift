import Foundation
import SQLiteDB
import Testing

@Suite struct OpeningTests {
  let folder: Folder

  init() throws { folder = try Folder() }

  @Test func openingCreatesTheFile() throws {
    let path = folder.path("db.sqlite3")
    let db = try Connection(path)
    try db.run("CREATE TABLE t (a)")
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(db.description == path)
  }

  @Test func openingInAMissingFolderThrows() {
    #expect(throws: Result.self) { try Connection(folder.path("none/db.sqlite3")) }
    do {
      _ = try Connection(folder.path("none/db.sqlite3"))
    } catch {
      #expect("\(error)" == "unable to open database file (code: 14)")
    }
  }

  @Test func openingCanCreateTheFolder() throws {
    let url = folder.url.appendingPathComponent("support")
    // create parent directory if it doesn’t exist
    try FileManager.default.createDirectory(atPath: url.path, withIntermediateDirectories: true, attributes: nil)
    let db = try Connection(url.appendingPathComponent("db.sqlite3").path)
    #expect(try db.scalar("SELECT 1") as? Int64 == 1)
  }

  @Test func readOnlyConnectionsRefuseWrites() throws {
    let path = folder.path("db.sqlite3")
    try Connection(path).run("CREATE TABLE t (a)")
    let db = try Connection(path, readonly: true)
    #expect(db.readonly)
    #expect(try db.scalar("SELECT count(*) FROM t") as? Int64 == 0)
    let error = failure { try db.run("INSERT INTO t VALUES (1)") }
    #expect(error?.code == SQLITE_READONLY)
    #expect(error?.message == "attempt to write a readonly database")
    do {
      try db.execute("INSERT INTO t VALUES (1)")
    } catch {
      #expect("\(error)" == "attempt to write a readonly database (code: 8)")
    }
    do {
      try db.run(Table("t").insert(id <- 1))
    } catch {
      #expect("\(error)" == "table t has no column named id (code: 1)")
    }
    do {
      try db.run(Table("t").delete())
    } catch {
      #expect("\(error)" == #"attempt to write a readonly database (DELETE FROM "t") (code: 8)"#)
    }
  }

  @Test func inMemoryDatabasesArePrivate() throws {
    for db in [try Connection(), try Connection(.inMemory), try Connection(.temporary)] {
      #expect(db.description == "")
      #expect(!db.readonly)
      try db.run("CREATE TABLE t (a)")
    }
  }

  @Test func locationsHaveDescriptions() {
    #expect(Connection.Location.uri("foo").description == "foo")
    #expect(
      Connection.Location.uri("foo", parameters: [.mode(.readOnly), .cache(.private)]).description
        == "file:foo?mode=ro&cache=private")
    #expect(
      Connection.Location.uri(
        "foo",
        parameters: [
          .cache(.shared), .immutable(true), .modeOf("bar"), .mode(.readWriteCreate), .nolock(true),
          .powersafeOverwrite(false), .vfs("unix"),
        ]
      ).description == "file:foo?cache=shared&immutable=1&modeOf=bar&mode=rwc&nolock=1&psow=0&vfs=unix")
    // For Swift, the question mark and the accent are one character.
    #expect(
      Connection.Location.uri("a?\u{301}", parameters: [.nolock(true)]).description == "file:a%3f\u{301}?nolock=1")
    #expect(
      Connection.Location.uri("file:a?cache=private#b", parameters: [.mode(.readOnly)]).description
        == "file:a?cache=private&mode=ro")
    #expect(
      Connection.Location.uri("a", parameters: [.vfs("x&mode=ro"), .modeOf("50%#")]).description
        == "file:a?vfs=x%26mode=ro&modeOf=50%25%23")
    #expect(Connection.Location.inMemory.description == ":memory:")
    #expect(Connection.Location.temporary.description == "")
  }

  @Test func uriParametersAreEncoded() throws {
    let path = folder.path("file.sqlite")
    _ = try Connection(.uri(path, parameters: [.cache(.private), .noLock(true)]))
    let db = try Connection(.uri(path, parameters: [.nolock(true), .mode(.readWrite)]))
    #expect(db.description == path)
  }

  @Test func questionMarksInPathsAreEscaped() throws {
    let path = folder.path("what? 100%#.sqlite")
    try Connection(path).run("CREATE TABLE t (a)")
    let db = try Connection(.uri(path, parameters: [.mode(.readOnly)]))
    #expect(db.readonly)
    #expect(try db.scalar("SELECT count(*) FROM t") as? Int64 == 0)
  }

  @Test func `parameters are added to those of a URI`() throws {
    let path = folder.path("db.sqlite3")
    try Connection(path).run("CREATE TABLE t (a)")
    let db = try Connection(.uri("file:\(path)?cache=private", parameters: [.mode(.readOnly)]))
    #expect(db.readonly)
    #expect(try db.scalar("SELECT count(*) FROM t") as? Int64 == 0)
  }

  @Test func uriFilenamesAreOpened() throws {
    let path = folder.path("db.sqlite3")
    try Connection(path).run("CREATE TABLE t (a)")
    #expect(try Connection("file:\(path)?mode=ro").readonly)
  }

  @Test func busyTimeoutWaitsForTheLock() async throws {
    let db = try emptyUsers()
    let counts = await withTaskGroup(of: Int?.self, returning: [Int].self) { group in
      for number in 0..<8 {
        group.addTask {
          // An error becomes a missing count, which the assertion detects.
          try? db.transaction {
            let before = try db.scalar(users.count)
            try db.run(users.insert(email <- "\(number)"))
            return try db.scalar(users.count) - before
          }
        }
      }
      return await group.reduce(into: []) { counts, count in if let count { counts.append(count) } }
    }
    #expect(counts == Array(repeating: 1, count: 8))
  }

  @Test func connectionsWorkOnDispatchQueues() throws {
    let db = try emptyUsers()
    try db.transaction {
      try DispatchQueue(label: "test").sync { _ = try db.run(users.insert(email <- "a")) }
    }
    #expect(try db.scalar(users.count) == 1)
  }

  @Test func busyHandlerIsCalled() throws {
    let path = folder.path("db.sqlite3")
    let db = try Connection(path)
    try db.run("CREATE TABLE t (a)")
    let other = try Connection(path)
    #expect(other.busyTimeout == 0)
    try db.transaction(.exclusive) {
      let error = failure { try other.run("INSERT INTO t VALUES (1)") }
      #expect(error?.code == SQLITE_BUSY)
      #expect(error?.message == "database is locked")
      var calls: [Int] = []
      other.busyHandler { tries in
        calls.append(tries)
        return tries < 3
      }
      #expect(failure { try other.run("INSERT INTO t VALUES (1)") }?.code == SQLITE_BUSY)
      #expect(calls == [0, 1, 2, 3])
      other.busyTimeout = 0.01
      #expect(failure { try other.run("INSERT INTO t VALUES (1)") }?.code == SQLITE_BUSY)
      #expect(calls.count == 4)
      #expect(other.busyTimeout == 0.01)
      other.busyHandler(nil)
      #expect(failure { try other.run("INSERT INTO t VALUES (1)") }?.code == SQLITE_BUSY)
    }
  }

  @Test func statementsReportALockOnTheSchema() throws {
    let path = folder.path("db.sqlite3")
    let (db, other) = (try Connection(path), try Connection(path))
    try db.run("CREATE TABLE t (a)")
    try db.run("BEGIN EXCLUSIVE")
    #expect(failure { try other.run("INSERT INTO t VALUES (1)") }?.message == "database is locked")
    var calls: [Int] = []
    other.busyHandler { tries in
      calls.append(tries)
      return tries < 3
    }
    #expect(failure { try other.run(Table("t").insert()) }?.message == "database is locked")
    #expect(calls == [0, 1, 2, 3])
    try db.run("COMMIT")
    try other.run("INSERT INTO t VALUES (1)")
    #expect(failure { try other.run("INSERT INTO u VALUES (1)") }?.message == "no such table: u")
  }

  @Test func closingReleasesOpenStatements() throws {
    let db = try database("alice", "betty")
    let idle = try db.prepare("SELECT email FROM users")
    let stepped = try db.prepare("SELECT email FROM users")
    #expect(try stepped.step())
    let rows = try db.prepareRowIterator(users)
    #expect(try rows.failableNext()?[email] == "alice@mac.com")
    try db.close()
    #expect(failure { try idle.run() }?.message == "Connection is closed")
    #expect(failure { try stepped.step() }?.message == "Connection is closed")
    #expect(failure { try rows.failableNext() }?.message == "Connection is closed")
    #expect(idle.description == "SELECT email FROM users")
    #expect(idle.columnNames == [])
    #expect(idle.bind(1).columnCount == 0)
    try db.close()
  }

  @Test func connectionsAreNotClosedWhileTheyAreUsed() throws {
    let db = try Connection()
    let refusal = "cannot close the database in a transaction, a function or a hook of it (code: 21)"
    try db.transaction {
      let error = #expect(throws: Result.self) { try db.close() }
      #expect(error?.description == refusal)
    }
    db.createFunction("closing", argumentCount: 0) { _ in
      let error = #expect(throws: Result.self) { try db.close() }
      #expect(error?.description == refusal)
      return 1
    }
    #expect(try db.scalar("SELECT closing()") as? Int64 == 1)
    try db.close()
  }

  @Test func closedConnectionsThrow() throws {
    let db = try emptyUsers()
    try db.close()
    #expect(failure { try db.run("SELECT 1") }?.code == SQLITE_MISUSE)
  }
}
