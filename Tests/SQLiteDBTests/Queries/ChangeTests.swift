import SQLiteDB
import Testing

@Suite struct ChangeTests {
  let alice = users.filter(id == 1)

  @Test func updateBuildsSQLAndRuns() {
    #expect(sql(users.update(email <- "alice@me.com")) == "UPDATE \"users\" SET \"email\" = 'alice@me.com'")
    #expect(
      sql(alice.update(email <- "alice@me.com"))
        == "UPDATE \"users\" SET \"email\" = 'alice@me.com' WHERE (\"id\" = 1)")
    let counter = Table("counters").filter(id == 1), count = SQLExpression<Int>("count")
    #expect(sql(counter.update(count <- 0)) == "UPDATE \"counters\" SET \"count\" = 0 WHERE (\"id\" = 1)")
    #expect(sql(counter.update(count++)) == "UPDATE \"counters\" SET \"count\" = (\"count\" + 1) WHERE (\"id\" = 1)")
    #expect(
      sql(users.order(id).limit(1).update(name <- nil))
        == "UPDATE \"users\" SET \"name\" = NULL ORDER BY \"id\" LIMIT 1")
  }

  @Test func updateReturnsTheChangeCount() throws {
    let db = try database("alice", "betty")
    #expect(try db.run(alice.update(email <- "alice@me.com")) == 1)
    #expect(try db.run(users.filter(id == 9).update(email <- "x")) == 0)
    #expect(try db.run(users.update(name <- "x")) == 2)
  }

  @Test func deleteBuildsSQLAndRuns() throws {
    #expect(sql(users.delete()) == "DELETE FROM \"users\"")
    #expect(sql(alice.delete()) == "DELETE FROM \"users\" WHERE (\"id\" = 1)")
    let db = try database("alice", "betty", "carl")
    #expect(try db.run(alice.delete()) == 1)
    #expect(try db.run(alice.delete()) == 0)
    #expect(try db.run(users.order(id.desc).limit(1).delete()) == 1)
    #expect(try db.run(users.delete()) == 1)
  }

  @Test func aliasedTablesAreChanged() throws {
    let u = users.alias("u")
    #expect(
      sql(u.filter(u[id] == 1).update(name <- "x"))
        == "UPDATE \"users\" AS \"u\" SET \"name\" = 'x' WHERE (\"u\".\"id\" = 1)")
    #expect(sql(u.filter(u[id] == 1).delete()) == "DELETE FROM \"users\" AS \"u\" WHERE (\"u\".\"id\" = 1)")
    let db = try database("alice")
    #expect(try db.run(u.filter(u[id] == 1).update(name <- "x")) == 1)
    #expect(try db.run(u.filter(u[id] == 1).delete()) == 1)
  }

  @Test func orderedChangesAreLimited() throws {
    let db = try database("alice")
    #expect(sql(users.order(id).delete()) == "DELETE FROM \"users\"")
    #expect(try db.run(users.order(id).update(name <- "x")) == 1)
  }

  @Test func emptyUpdatesThrow() throws {
    let db = try database("alice")
    #expect(failure { try db.run(users.update()) }?.code == SQLITE_ERROR)
  }

  // MARK: Transactions

  @Test func transactionCommitsItsChanges() throws {
    let db = try database("alice", "betty")
    let betty = users.filter(id == 2)
    let trace = Trace(db)
    let amount = 100.0
    try db.transaction {
      try db.run(alice.update(balance -= amount))
      try db.run(betty.update(balance += amount))
    }
    #expect(
      trace.lines == [
        "BEGIN DEFERRED TRANSACTION",
        "UPDATE \"users\" SET \"balance\" = (\"balance\" - 100.0) WHERE (\"id\" = 1)",
        "UPDATE \"users\" SET \"balance\" = (\"balance\" + 100.0) WHERE (\"id\" = 2)",
        "COMMIT TRANSACTION",
      ])
    #expect(try db.prepare(users.order(id)).map { $0[balance] } == [-100, 100])
  }

  @Test func transactionModesBuildSQL() throws {
    let db = try emptyUsers()
    let trace = Trace(db)
    try db.transaction(.immediate) {}
    try db.transaction(.exclusive) {}
    #expect(
      trace.lines == [
        "BEGIN IMMEDIATE TRANSACTION", "COMMIT TRANSACTION", "BEGIN EXCLUSIVE TRANSACTION", "COMMIT TRANSACTION",
      ])
    #expect(try db.transaction { try db.run(users.insert(email <- "a")) } == 1)
    try db.transaction {
      let rowid = try db.run(users.insert(email <- "betty@icloud.com"))
      try db.run(users.insert(email <- "cathy@icloud.com", managerId <- rowid))
    }
    #expect(try db.scalar(users.count) == 3)
  }

  @Test func thrownErrorsRollBackTheTransaction() throws {
    let db = try emptyUsers()
    let trace = Trace(db)
    let error = failure {
      try db.transaction {
        try db.run(users.insert(email <- "a"))
        try db.run(users.insert(email <- "a"))
      }
    }
    #expect(error?.message == "UNIQUE constraint failed: users.email")
    #expect(trace.lines.last == "ROLLBACK TRANSACTION")
    #expect(try db.scalar(users.count) == 0)
    #expect(
      failure { try db.transaction { try db.transaction {} } }?.message
        == "cannot start a transaction within a transaction")
  }

  @Test func automaticRollbackIsReported() throws {
    let db = try database("alice")
    let error = failure { try db.transaction { try db.run(users.insert(or: .rollback, email <- "alice@mac.com")) } }
    #expect(error?.code == SQLITE_CONSTRAINT)
    try db.transaction { try db.run(users.insert(email <- "betty@mac.com")) }
    #expect(try db.scalar(users.count) == 2)
    #expect(failure { try db.savepoint { try db.run(users.insert(or: .rollback, id <- 1, email <- "x")) } }?.code == 19)
    try db.transaction {}
  }

  @Test func savepointKeepsItsChanges() throws {
    let db = try emptyUsers()
    let trace = Trace(db)
    try db.savepoint("1") {
      try db.savepoint("2") { try db.run("SELECT 1") }
    }
    #expect(
      trace.lines == [
        "SAVEPOINT '1'", "SAVEPOINT '2'", "SELECT 1", "RELEASE SAVEPOINT '2'", "RELEASE SAVEPOINT '1'",
      ])
  }

  @Test func thrownErrorsRollBackTheSavepoint() throws {
    let db = try database("alice")
    let trace = Trace(db)
    let error = failure { try db.savepoint("1") { try db.run(users.insert(email <- "alice@mac.com")) } }
    #expect(error?.code == SQLITE_CONSTRAINT)
    #expect(trace.lines.first == "SAVEPOINT '1'")
    #expect(Array(trace.lines.suffix(2)) == ["ROLLBACK TO SAVEPOINT '1'", "RELEASE '1'"])
    try db.transaction {
      _ = failure { try db.savepoint { try db.run(users.insert(id <- 1, email <- "x")) } }
      try db.run(users.insert(email <- "betty@mac.com"))
    }
    #expect(try db.scalar(users.count) == 2)
  }

  @Test func asynchronousTransactionsCommit() async throws {
    let db = try emptyUsers()
    let rowid = try await db.transaction { db in try db.run(users.insert(email <- "a")) }
    #expect(rowid == 1)
    await #expect(throws: Result.self) {
      try await db.transaction(.immediate) { db in
        try db.run(users.insert(email <- "b"))
        try db.run(users.insert(email <- "b"))
      }
    }
    #expect(try db.scalar(users.count) == 1)
  }

  @Test func transactionsCanBeControlledManually() throws {
    let db = try emptyUsers()
    try db.run("BEGIN")
    try db.run(users.insert(email <- "a"))
    try db.run("ROLLBACK")
    #expect(try db.scalar(users.count) == 0)
  }
}
