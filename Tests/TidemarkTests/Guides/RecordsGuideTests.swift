import Foundation
import Testing
import Tidemark

/// The code of `Documentation/Records.md`.
@Suite struct RecordsGuideTests {
  struct Player: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int
    var friends: [String] = []

    mutating func didInsert(_ inserted: InsertionSuccess) {
      id = inserted.rowID
    }
  }

  struct Newcomer: Codable, MutablePersistableRecord {
    static let databaseTableName = "player"
    var name: String
  }

  struct Match: Codable, FetchableRecord, PersistableRecord {
    var playedAt: Date
    var rounds: [Int]

    static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      .timeIntervalSince1970
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      .timeIntervalSince1970
    }
  }

  struct Place: FetchableRecord, PersistableRecord {
    var name: String
    var latitude: Double
    var longitude: Double

    init(row: Row) throws {
      name = row["name"]
      latitude = row["lat"]
      longitude = row["lon"]
    }

    func encode(to container: inout PersistenceContainer) {
      container["name"] = name
      container["lat"] = latitude
      container["lon"] = longitude
    }
  }

  struct Ranking: Decodable, FetchableRecord {
    var player: Player
    var rank: Int
  }

  struct NotSecure: Error {
    var url: String
  }

  struct Link: Codable, PersistableRecord {
    var url: String

    func willSave(_ db: Database) throws {
      if !url.hasPrefix("https:") { throw NotSecure(url: url) }
    }
  }

  private func inClub(_ body: (Database) throws -> Void) throws {
    try DatabaseQueue().write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 7, friends TEXT DEFAULT '[]');
          CREATE TABLE "match" (played_at REAL, rounds TEXT);
          CREATE TABLE place (name TEXT PRIMARY KEY, lat REAL, lon REAL);
          CREATE TABLE link (url TEXT);
          """)
      try body(db)
    }
  }

  @Test func storingExampleWorks() throws {
    try inClub { db in
      var arthur = Player(id: nil, name: "Arthur", score: 100)
      try arthur.insert(db)
      arthur.score += 10
      try arthur.update(db)
      let players = try Player.fetchAll(db, sql: "SELECT * FROM player ORDER BY score DESC")
      #expect(players.map(\.score) == [110])

      try arthur.updateChanges(db) { $0.score = 0 }
      try arthur.update(db, columns: ["name"])
      try arthur.upsert(db)
      try arthur.delete(db)
      #expect(try Player.fetchAll(db, sql: "SELECT * FROM player").isEmpty)
    }
  }

  @Test func returnedRowsExampleWorks() throws {
    try inClub { db in
      let inserted = try Player(id: nil, name: "Barbara", score: 10).insertAndFetch(db)
      var newcomer = Newcomer(name: "Craig")
      let player = try newcomer.insertAndFetch(db, as: Player.self)
      let score = try newcomer.insertAndFetch(db, selection: [Column("score")]) { statement in
        try Int.fetchOne(statement)
      }
      #expect(inserted.id == 1)
      #expect(player.score == 7)
      #expect(score == 7)
    }
  }

  @Test func encodedColumnsExampleWorks() throws {
    try inClub { db in
      let match = Match(playedAt: Date(timeIntervalSince1970: 5), rounds: [1, 2])
      try match.insert(db)
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM \"match\"") == ["played_at": 5, "rounds": "[1,2]"])
      #expect(try Match.fetchOne(db, sql: "SELECT * FROM \"match\"")?.playedAt == match.playedAt)
      try Place(row: ["name": "Rome", "lat": 41.9, "lon": 12.5]).insert(db)
      #expect(try Place.fetchOne(db, sql: "SELECT * FROM place")?.longitude == 12.5)
    }
  }

  @Test func nestedRecordsExampleWorks() throws {
    try inClub { db in
      _ = try Player(id: nil, name: "Barbara", score: 10).inserted(db)
      let adapter = ScopeAdapter(["player": RangeRowAdapter(1..<5)])
      let sql = "SELECT rank() OVER (ORDER BY score DESC) AS rank, id, name, score, '[]' AS friends FROM player"
      let ranking = try Ranking.fetchOne(db, sql: sql, adapter: adapter)
      #expect(ranking?.player.name == "Barbara")
    }
  }

  @Test func callbacksExampleWorks() throws {
    try inClub { db in
      try Link(url: "https://example.com").insert(db)
      #expect(throws: NotSecure.self) { try Link(url: "http://example.com").insert(db) }
    }
  }

  @Test func comparisonExampleWorks() throws {
    try inClub { db in
      var player = try Player(id: nil, name: "Barbara", score: 10).inserted(db)
      let old = player
      player.score = 1000
      let changes = try player.databaseChanges(from: old)
      try player.updateChanges(db, from: old)
      #expect(changes == ["score": 10.databaseValue])
    }
  }
}
