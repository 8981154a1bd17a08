import Foundation
import Synchronization
import TestSupport
import Testing
import Tidemark

// The code of the articles in `Tidemark.docc`.

struct PlayerStore {
  let database: any DatabaseWriter

  func add(_ name: String) async throws {
    try await database.write { db in
      try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
    }
  }

  func names() async throws -> [String] {
    try await database.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
    }
  }
}

private func createPlayers(_ db: Database) throws {
  try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
}

@Suite(.untilItHangs) struct TestingArticleTests {
  @Test func storesWorkWithAnInMemoryDatabase() async throws {
    let store = PlayerStore(database: try DatabaseQueue())
    try await store.database.write(createPlayers)
    try await store.add("Grace")
    try await store.add("Ada")
    #expect(try await store.names() == ["Ada", "Grace"])
  }

  @Test func testsCanAwaitTheNextValue() async throws {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write(createPlayers)
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
    }
    var values = observation.values(in: dbQueue).makeAsyncIterator()
    #expect(try await values.next() == 0)
    try await dbQueue.write { db in try db.execute(sql: "INSERT INTO player (name) VALUES ('Ada')") }
    #expect(try await values.next() == 1)
  }

  @Test func testsCanSetTheTransactionDate() async throws {
    var configuration = Configuration()
    configuration.transactionClock = .custom { _ in Date(timeIntervalSince1970: 0) }
    let dbQueue = try DatabaseQueue(configuration: configuration)
    #expect(try await dbQueue.write { db in try db.transactionDate } == Date(timeIntervalSince1970: 0))
  }
}

@Suite(.untilItHangs) struct ServersArticleTests {
  @Test func poolsAreOpenedAndMigrated() async throws {
    let folder = try TemporaryFolder()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("players", migrate: createPlayers)

    func makeDatabase(path: String) throws -> DatabasePool {
      var configuration = Configuration()
      configuration.label = "jobs"
      configuration.maximumReaderCount = 8
      configuration.accessTimeLimit = .seconds(30)
      let dbPool = try DatabasePool(path: path, configuration: configuration)
      try migrator.migrate(dbPool)
      return dbPool
    }

    let dbPool = try makeDatabase(path: folder.path("jobs.sqlite"))
    #expect(try await dbPool.read { db in try db.tableExists("player") })
    try dbPool.close()
  }

  @Test func tracesLogEachStatement() async throws {
    let lines = Mutex<[String]>([])
    let logger: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
    var configuration = Configuration()
    configuration.label = "jobs"
    configuration.prepareDatabase { db in
      db.trace { event in logger("\(db.description): \(event)") }
    }
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try await dbQueue.write { db in try db.execute(sql: "SELECT ?", arguments: ["secret"]) }
    #expect(lines.withLock { $0 }.contains { $0.hasSuffix(": SELECT ?") })
  }
}
