import Testing
import Tidemark

private struct Player: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
  enum Columns {
    static let name = Column(CodingKeys.name)
    static let score = Column(CodingKeys.score)
  }
  var id: Int64?
  var name: String
  var score: Int
  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Constant: Codable, FetchableRecord, PersistableRecord, Equatable {
  typealias Columns = Player.Columns
  static let databaseTableName = "player"
  var id: Int64
  var name: String
  var score: Int
}

private let name = Column("name")
private let score = Column("score")
private let insertion = #"INSERT INTO "player" ("id", "name", "score") VALUES (?,?,?)"#

/// Returns the SQL that a closure executes. The table contains a player.
@discardableResult
private func trace(_ body: (Database) throws -> Void) throws -> [String] {
  let recorder = TraceRecorder()
  return try recorder.makeQueue().inDatabase { db in
    try db.execute(
      sql: """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
        INSERT INTO player VALUES (1, 'Arthur', 10);
        """)
    recorder.clear()
    try body(db)
    return recorder.lines
  }
}

/// Writes that fetch their row, or keep it.
@Suite struct RecordReturningTests {
  @Test func `closures select the values to fetch of a saved record`() throws {
    let executed = try trace { db in
      var player = Player(id: nil, name: "Barbara", score: 20)
      let inserted = try player.saveAndFetch(db) {
        try Int.fetchOne($0)
      } select: {
        [$0.score + 1]
      }
      #expect(inserted == 21)
      #expect(player.id == 2)
      let updated = try Constant(id: 1, name: "Craig", score: 30).saveAndFetch(db, onConflict: .ignore) {
        try Row.fetchOne($0)
      } select: {
        [$0.name, $0.score]
      }
      #expect(updated == ["name": "Craig", "score": 30])
    }
    #expect(
      executed == [
        #"\#(insertion) RETURNING "score" + ?"#,
        #"UPDATE OR IGNORE "player" SET "name"=?, "score"=? WHERE "id"=? RETURNING "name", "score""#,
      ])
  }

  @Test func `closures select the values to fetch of an updated record`() throws {
    let executed = try trace { db in
      let player = Player(id: 1, name: "Barbara", score: 20)
      let all = try player.updateAndFetch(db) {
        try Int.fetchOne($0)
      } select: {
        [$0.score]
      }
      #expect(all == 20)
      let byName = try player.updateAndFetch(db, onConflict: .ignore, columns: ["name"]) {
        try Int.fetchOne($0)
      } select: {
        [$0.score]
      }
      #expect(byName == 20)
      let byColumn = try player.updateAndFetch(db, columns: [score]) {
        try Int.fetchOne($0)
      } select: {
        [$0.score]
      }
      #expect(byColumn == 20)
      let columns: [any ColumnExpression] = [score]
      let byColumns = try player.updateAndFetch(db, columns: columns) {
        try Int.fetchOne($0)
      } select: {
        [$0.score]
      }
      #expect(byColumns == 20)
    }
    #expect(
      executed == [
        #"UPDATE "player" SET "name"=?, "score"=? WHERE "id"=? RETURNING "score""#,
        #"UPDATE OR IGNORE "player" SET "name"=? WHERE "id"=? RETURNING "score""#,
        #"UPDATE "player" SET "score"=? WHERE "id"=? RETURNING "score""#,
        #"UPDATE "player" SET "score"=? WHERE "id"=? RETURNING "score""#,
      ])
  }

  @Test func `closures select the values to fetch of changed columns`() throws {
    let executed = try trace { db in
      var player = try #require(try Player.fetchOne(db, key: 1))
      func fetch(_ newScore: Int) throws -> String?? {
        try player.updateChangesAndFetch(db) {
          try String.fetchOne($0)
        } select: {
          [$0.name]
        } modify: {
          $0.score = newScore
        }
      }
      #expect(try fetch(10) == nil)
      #expect(try fetch(20) == "Arthur")
    }
    #expect(executed.dropFirst() == [#"UPDATE "player" SET "score"=? WHERE "id"=? RETURNING "name""#])
  }

  @Test func `an upserted copy has the key of its row`() throws {
    try trace { db throws in
      #expect(try Player(id: nil, name: "Arthur", score: 20).upserted(db) == Player(id: 1, name: "Arthur", score: 20))
      #expect(try Player(id: nil, name: "Barbara", score: 5).upserted(db).id == 2)
      #expect(try Constant(id: 1, name: "Craig", score: 3).upserted(db) == Constant(id: 1, name: "Craig", score: 3))
      #expect(try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY id") == [3, 5])
    }
  }

  @Test func `an upsert can update the specified columns only`() throws {
    let executed = try trace { db in
      let constant = Constant(id: 1, name: "Barbara", score: 7)
      let added = try constant.upsertAndFetch(db, onConflict: ["id"], updating: .noColumnUnlessSpecified) { excluded in
        [score.set(to: score + excluded[score])]
      }
      #expect(added == Constant(id: 1, name: "Arthur", score: 17))
      let all = try constant.upsertAndFetch(db, onConflict: ["id"], updating: .allColumns) { _ in [score += 1] }
      #expect(all == Constant(id: 1, name: "Barbara", score: 18))
    }
    #expect(
      executed == [
        #"\#(insertion) ON CONFLICT("id") DO UPDATE SET "score" = "score" + "excluded"."score" RETURNING *, "rowid""#,
        #"\#(insertion) ON CONFLICT("id") DO UPDATE SET "score" = "score" + ?, "name" = "excluded"."name" "#
          + #"RETURNING *, "rowid""#,
      ])
  }

  @Test func `an upsert that updates nothing returns the existing row`() throws {
    let executed = try trace { db in
      var player = Player(id: nil, name: "Arthur", score: 99)
      let kept = try player.upsertAndFetch(db, onConflict: ["name"], updating: .noColumnUnlessSpecified)
      #expect(kept == Player(id: 1, name: "Arthur", score: 10))
      #expect(player.id == 1)
      // The clause of the other strategy is another one.
      #expect(try player.upsertAndFetch(db, onConflict: ["name"]) == Player(id: 1, name: "Arthur", score: 99))
      let inserted = try Constant(id: 2, name: "Barbara", score: 5)
        .upsertAndFetch(db, as: Player.self, updating: .noColumnUnlessSpecified)
      #expect(inserted == Player(id: 2, name: "Barbara", score: 5))
    }
    #expect(
      executed == [
        #"\#(insertion) ON CONFLICT("name") DO UPDATE SET "id" = "id" RETURNING *, "rowid""#,
        #"\#(insertion) ON CONFLICT("name") DO UPDATE SET "score" = "excluded"."score" RETURNING *, "rowid""#,
        #"\#(insertion) ON CONFLICT DO UPDATE SET "id" = "id" RETURNING *, "rowid""#,
      ])
  }
}
