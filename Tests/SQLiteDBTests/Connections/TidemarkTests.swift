import SQLiteDB
import TestSupport
import Testing

@Suite(.untilItHangs) struct ConnectionsOverTidemarkTests {
  private func pool(_ folder: Folder) throws -> DatabasePool {
    let pool = try DatabasePool(path: folder.path("db.sqlite"))
    let db = Connection(pool)
    try db.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT)")
    try db.run(users.insertMany([email <- "a"], [email <- "b"]))
    return pool
  }

  @Test func connectionsWrapTidemarkDatabases() throws {
    let folder = try Folder()
    let pool = try pool(folder)
    let rows = try pool.read { db in try db.prepare(users.filter(id == 1)) }
    #expect(rows.map { $0[email] } == ["a"])
    #expect(try pool.read { try $0.scalar(users.count) } == 2)
    #expect(try pool.read { try $0.pluck(users.order(id.desc)) }?[id] == 2)
    #expect(try pool.write { try $0.run(users.insert(email <- "c")) } == 3)
    #expect(try pool.write { try $0.run(users.filter(id == 3).delete()) } == 1)
    let queue = try DatabaseQueue()
    let db = Connection(queue)
    try db.run(users.create { $0.column(id, primaryKey: true) })
    try db.run(users.insert(id <- 1))
    #expect(try queue.read { try $0.prepare(users).map { $0[id] } } == [1])
  }

  @Test func queriesAreFetchRequests() throws {
    let folder = try Folder()
    let pool = try pool(folder)
    try pool.read { db in
      let query = users.filter(email == "b")
      #expect(try query.fetchAll(db).map { $0[id] } == [2])
      #expect(try users.order(id).fetchOne(db)?[id] == 1)
      #expect(try users.fetchCount(db) == 2)
      let cursor = try users.fetchCursor(db)
      #expect(try cursor.next()?[email] == "a")
      let region = try users.filter(id == 1).databaseRegion(db).debugDescription
      #expect(region == "users(email,id,name) where id = 1")
    }
  }

  @Test func queriesAreObserved() async throws {
    let folder = try Folder()
    let pool = try pool(folder)
    let db = Connection(pool)
    var seen: [[String]] = []
    for await rows in db.observe(users.filter(id <= 2).order(id)) {
      seen.append(rows.map { $0[email] })
      switch seen.count {
      case 1:
        try db.run(users.insert(email <- "c"))
        try db.run(users.filter(id == 1).update(email <- "x"))
      case 2: try await pool.write { db in _ = try db.run(users.filter(id == 2).update(email <- "y")) }
      default: break
      }
      if seen.count == 3 { break }
    }
    #expect(seen == [["a", "b"], ["x", "b"], ["x", "y"]])
  }

  @Test func observationErrorsAreResults() async throws {
    let folder = try Folder()
    let db = Connection(try pool(folder))
    let (errors, continuation) = AsyncStream.makeStream(of: (any Error).self)
    for await _ in db.observe(Table("nowhere"), onError: { continuation.yield($0) }) {}
    var iterator = errors.makeAsyncIterator()
    let error = try #require(await iterator.next() as? Result)
    #expect(error.description == "no such table: nowhere (code: 1)")
  }

  @Test func valueObservationFetchesQueries() async throws {
    let folder = try Folder()
    let pool = try pool(folder)
    let observation = ValueObservation.tracking { db in try db.prepare(users.filter(id == 1)).map { $0[email] } }
    var seen: [[String]] = []
    for try await emails in observation.values(in: pool) {
      seen.append(emails)
      if seen.count == 2 { break }
      _ = try await pool.write { db in try db.run(users.filter(id == 1).update(email <- "x")) }
    }
    #expect(seen == [["a"], ["x"]])
  }

  @Test func failedObservationsReportTheErrorAndEnd() async throws {
    let db = try Connection()
    let (errors, continuation) = AsyncStream.makeStream(of: String.self)
    var values = 0
    for await _ in db.observe(users, onError: { continuation.yield("\($0)") }) { values += 1 }
    continuation.finish()
    #expect(values == 0)
    #expect(await errors.contains { $0.contains("no such table: users") })
  }

  @Test func nestedAccessesAreReentrant() throws {
    let queue = try DatabaseQueue()
    let db = Connection(queue)
    try queue.write { _ in
      try db.run(users.create { $0.column(id, primaryKey: true) })
      try db.run(users.insert(id <- 1))
    }
    #expect(try db.scalar(users.count) == 1)
  }
}
