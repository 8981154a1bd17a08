import Foundation
import TestSupport
import Testing
import Tidemark

/// The code of `Documentation/LiveQueries.md`.
@Suite(.untilItHangs) struct LiveQueriesGuideTests {
  struct Player: Codable, Equatable, Identifiable, FetchableRecord, PersistableRecord {
    var id: Int
    var name: String
    var score: Int
  }

  private static func library(_ folder: TemporaryFolder) throws -> DatabasePool {
    let dbPool = try folder.pool()
    try dbPool.write { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
      try Player(id: 1, name: "Arthur", score: 10).insert(db)
      try Player(id: 2, name: "Barbara", score: 20).insert(db)
    }
    return dbPool
  }

  @Test func asyncLoopExampleWorks() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try Self.library(folder)
    let hasPrinted = Moment()
    let task = Task {
      func print(_ names: [String]) { hasPrinted.happen() }

      let observation = ValueObservation.tracking { db in
        try Player.order(Column("score").desc).limit(3).fetchAll(db)
      }

      for try await best in observation.values(in: dbPool) {
        print(best.map(\.name))
      }
    }
    await hasPrinted.reached()
    task.cancel()
    try await task.value
  }

  @Test func closuresAndSharingExampleWorks() throws {
    let folder = try TemporaryFolder()
    let dbPool = try Self.library(folder)
    let queue = DispatchQueue(label: "guide")
    let observation = ValueObservation.tracking { db in
      try Player.order(Column("score").desc).limit(3).fetchAll(db)
    }
    let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue)) { error in
      print("The observation has ended:", error)
    } onChange: { best in
      print(best.map(\.name))
    }
    let shared = observation.shared(in: dbPool, scheduling: .async(onQueue: queue))
    let first = shared.start(onError: { print($0) }, onChange: { print("first", $0) })
    let second = shared.start(onError: { print($0) }, onChange: { print("second", $0) })
    let patient = observation.retryingTransientErrors()
    let (deliveries, other) = patient.collect(in: dbPool)
    try deliveries.wait { $0.last?.map(\.name) == ["Barbara", "Arthur"] }
    let metrics = dbPool.observationMetrics
    print("\(metrics.observationCount) observations, \(metrics.fetchCount) fetches")
    print("99 % of values came within", metrics.deliveryTimes.quantile(0.99))
    for cancellable in [cancellable, first, second, other] { cancellable.cancel() }
    #expect(dbPool.observationMetrics.observationCount == 0)
  }

  @Test func combinedQueriesExampleWorks() throws {
    let folder = try TemporaryFolder()
    let dbPool = try Self.library(folder)
    let overview = ValueObservation.tracking { db in
      (count: try Player.fetchCount(db), best: try Player.order(Column("score").desc).fetchOne(db))
    }
    let (deliveries, cancellable) = overview.map { "\($0.count) \($0.best?.name ?? "")" }.collect(in: dbPool)
    try deliveries.wait(forLast: "2 Barbara")
    cancellable.cancel()
  }

  @Test func databaseVersionExampleWorks() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try Self.library(folder)
    let observation = ValueObservation.tracking { try Player.order(Column("score").desc).fetchAll($0) }
    let player = Player(id: 1, name: "Arthur", score: 30)
    func rankingWithOwnChange() async throws -> [Player]? {
      try await dbPool.write { try player.update($0) }
      let version = try await dbPool.databaseVersion()
      for try await ranking in observation.withDatabaseVersions().values(in: dbPool) where ranking.includes(version) {
        return ranking.value
      }
      return nil
    }
    #expect(try await rankingWithOwnChange()?.first == player)
  }

  @Test func requestDifferencesExampleWorks() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try Self.library(folder)
    let task = Task {
      var ranking: [Player] = []
      do {
        for try await difference in Player.order(Column("score").desc).differences().values(in: dbPool) {
          ranking.apply(difference)
        }
      } catch is DatabaseError {
        // The database was closed.
      }
      return ranking
    }
    try await waitUntil("the first fetch") { dbPool.observationMetrics.fetchCount > 0 }
    try await dbPool.write { try Player(id: 1, name: "Arthur", score: 30).update($0) }
    try await waitUntil("the second fetch") { dbPool.observationMetrics.fetchCount > 1 }
    try dbPool.close()
    #expect(try await task.value.map(\.score) == [30, 20])
  }

  @Test func valueDifferencesExampleWorks() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try Self.library(folder)
    let hasChanged = Moment()
    let task = Task {
      let observation = ValueObservation.tracking { db in
        if try Player.exists(db, key: 9) { throw Planned() }
        return try Player.order(Column("score").desc).fetchAll(db)
      }
      .handleEvents(didReceiveValue: { if $0.map(\.id) == [1, 2] { hasChanged.happen() } })

      var players: [Player] = []
      do {
        for try await difference in observation.differences().values(in: dbPool) {
          players.apply(difference)
        }
      } catch is Planned {}
      return players
    }
    let players = try await dbPool.read { try Player.order(Column("score").desc).fetchAll($0) }
    try await dbPool.write { db in
      try Player(id: 1, name: "Arthur", score: 30).update(db)
    }
    await hasChanged.reached()
    try await dbPool.write { try Player(id: 9, name: "", score: 0).insert($0) }
    #expect(try await task.value.map(\.score) == [30, 20])
    try await dbPool.write { _ = try Player.deleteOne($0, key: 9) }

    let newPlayers = try await dbPool.read { try Player.order(Column("score").desc).fetchAll($0) }
    let difference = newPlayers.keyedDifference(from: players)
    for update in difference.updates { print("at", update.offset, update.oldElement.score, update.element.score) }
    #expect(difference.updates.map(\.offset) == [0])
    #expect(difference.moves.count == 1)
  }
}
