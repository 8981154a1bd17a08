import Foundation
import TestSupport
import Testing
import Tidemark

/// The code of `Documentation/ChangeFeed.md`.
@Suite(.untilItHangs) struct ChangeFeedGuideTests {
  struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int64
    var score: Int
  }

  private func makePool(_ folder: TemporaryFolder) throws -> DatabasePool {
    let path = folder.path("db")
    var config = Configuration()
    config.changeFeed = ChangeFeedConfiguration()
    let dbPool = try DatabasePool(path: path, configuration: config)
    try dbPool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER);
          CREATE TABLE word (player INTEGER PRIMARY KEY, text TEXT);
          INSERT INTO player VALUES (1, 10);
          """)
    }
    return dbPool
  }

  @Test func `the content is read with its token, and then followed`() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try makePool(folder)
    @Sendable func apply(_ changes: TransactionChanges, to players: inout [Player]) throws {
      for change in try changes.changes(of: Player.self) {
        if let old = change.oldRecord { players.removeAll { $0.id == old.id } }
        if let new = change.newRecord { players.append(new) }
      }
    }
    var (players, token) = try await dbPool.read { db in
      try (Player.fetchAll(db), db.changeToken())
    }
    let task = Task { [dbPool, players, token] in
      var (players, token) = (players, token)
      // Ends the loop.
      func update(_ players: inout [Player], _ changes: TransactionChanges) throws {
        try apply(changes, to: &players)
        withUnsafeCurrentTask { $0?.cancel() }
      }
      for try await entry in try await dbPool.changes(after: token, in: Table("player")) {
        try update(&players, entry.changes)
        token = entry.token
      }
      return (players, token)
    }
    try await dbPool.write { try $0.execute(sql: "UPDATE player SET score = 20") }
    (players, token) = try await task.value
    #expect(players == [Player(id: 1, score: 20)])
    let positionPath = folder.path("position")
    try token.description.write(toFile: positionPath, atomically: true, encoding: .utf8)
    #expect(ChangeToken(try String(contentsOfFile: positionPath, encoding: .utf8)) == token)
  }

  @Test func `a consumer keeps an index, exactly once`() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try makePool(folder)
    @Sendable func buildIndex(_ db: Database) throws {
      try db.execute(sql: "INSERT INTO word SELECT id, 'score ' || score FROM player")
    }
    @Sendable func updateIndex(_ db: Database, _ changes: TransactionChanges) throws {
      for change in try changes.changes(of: Player.self) {
        guard let new = change.newRecord else { continue }
        try db.execute(sql: "REPLACE INTO word VALUES (?, ?)", arguments: [new.id, "score \(new.score)"])
      }
    }
    try await dbPool.write { db in
      try buildIndex(db)
      try db.acknowledge(db.changeToken(), by: "index")
    }
    try await dbPool.write { try $0.execute(sql: "INSERT INTO player VALUES (2, 7)") }
    let task = Task {
      for try await entry in try await dbPool.changes(for: "index", in: Table("player")) {
        try await dbPool.write { db in
          try updateIndex(db, entry.changes)
          try db.acknowledge(entry.token, by: "index")
        }
      }
    }
    for try await words in ValueObservation.tracking({ try String.fetchAll($0, sql: "SELECT text FROM word") })
      .values(in: dbPool) where words.count == 2
    { break }
    task.cancel()
    do { try await task.value } catch is CancellationError {}
    let words = try await dbPool.read { try String.fetchAll($0, sql: "SELECT text FROM word ORDER BY player") }
    #expect(words == ["score 10", "score 7"])
  }
}
