import SQLiteDB
import Testing

@Suite struct HookTests {
  struct Refusal: Error {}

  @Test func updateHookReportsChanges() throws {
    let db = try database("alice")
    var changes: [String] = []
    db.updateHook { operation, db, table, rowid in changes.append("\(operation) \(db).\(table) \(rowid)") }
    try db.run(users.insert(email <- "betty@mac.com"))
    try db.run(users.update(name <- "x"))
    try db.run(users.delete())
    #expect(
      changes == [
        "insert main.users 2", "update main.users 1", "update main.users 2", "delete main.users 1",
        "delete main.users 2",
      ])
    db.updateHook(nil)
    try db.run(users.insert(email <- "carl@mac.com"))
    #expect(changes.count == 5)
  }

  @Test func updateHookSkipsTablesWithoutRowIDs() throws {
    let db = try Connection()
    try db.run("CREATE TABLE w (k TEXT PRIMARY KEY) WITHOUT ROWID")
    var changes: [String] = []
    db.updateHook { operation, _, table, rowid in changes.append("\(operation) \(table) \(rowid)") }
    try db.run("INSERT INTO w VALUES ('a')")
    try db.run("DELETE FROM w")
    #expect(changes == ["insert w 0", "delete w 0"])
  }

  @Test func closedConnectionsAreReleasedByTheirHooks() throws {
    weak var leaked: Connection?
    do {
      let db = try emptyUsers()
      db.updateHook { _, _, _, _ in _ = db.changes }
      db.commitHook { _ = db.changes }
      db.rollbackHook { _ = db.changes }
      db.trace { _ in _ = db.changes }
      db.busyHandler { $0 < db.changes }
      db.createFunction("changes") { _ in db.changes }
      leaked = db
      #expect(try db.scalar("SELECT 1") as? Int64 == 1)
      try db.close()
    }
    #expect(leaked == nil)
  }

  @Test func commitHookRunsBeforeACommit() throws {
    let db = try emptyUsers()
    var events: [String] = []
    db.commitHook { events.append("commit") }
    db.rollbackHook { events.append("rollback") }
    try db.transaction { try db.run(users.insert(email <- "a")) }
    #expect(events == ["commit"])
    _ = failure {
      try db.transaction {
        try db.run(users.insert(email <- "b"))
        throw Refusal()
      }
    }
    #expect(events == ["commit", "rollback"])
    #expect(try db.scalar(users.count) == 1)
  }

  @Test func commitHookCanRefuseACommit() throws {
    let db = try emptyUsers()
    var rollbacks = 0
    db.commitHook { throw Refusal() }
    db.rollbackHook { rollbacks += 1 }
    #expect(throws: Refusal.self) { try db.transaction { try db.run(users.insert(email <- "a")) } }
    #expect(rollbacks == 1)
    db.commitHook(nil)
    #expect(try db.scalar(users.count) == 0)
    try db.run(users.insert(email <- "a"))
    #expect(try db.scalar(users.count) == 1)
  }

  @Test func `the commit hook is not called for a transaction that writes nothing`() throws {
    let db = try database("a")
    db.commitHook { throw Refusal() }
    #expect(try db.transaction { return try db.scalar(users.count) } == 1)
    try db.savepoint { _ = try db.pluck(users) }
    #expect(throws: Refusal.self) { try db.run(users.filter(id == 2).delete()) }
  }

  @Test func interruptStopsStatements() throws {
    let db = try database("a", "b", "c")
    db.createFunction("stop", argumentCount: 0) { [unowned db] _ in
      db.interrupt()
      return 1
    }
    #expect(failure { try db.scalar("SELECT sum(stop()) FROM users, users, users") }?.code == SQLITE_INTERRUPT)
    #expect(try db.scalar(users.count) == 3)
  }
}
