import Testing
import Tidemark

private class Player: Record {
  var id: Int64?
  var name: String

  override class var databaseTableName: String { "player" }

  init(id: Int64? = nil, name: String) {
    self.id = id
    self.name = name
    super.init()
  }

  required init(row: Row) throws {
    id = row["id"]
    name = row["name"]
    try super.init(row: row)
  }

  override func encode(to container: inout PersistenceContainer) throws {
    container["id"] = id
    container["name"] = name
  }

  override func didInsert(_ inserted: InsertionSuccess) {
    super.didInsert(inserted)
    id = inserted.rowID
  }
}

private final class Champion: Player {
  var score = 0

  override class var databaseTableName: String { "champion" }
  override class var persistenceConflictPolicy: PersistenceConflictPolicy { .init(insert: .replace) }
  override class var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }

  override func encode(to container: inout PersistenceContainer) throws {
    try super.encode(to: &container)
    container["score"] = score
  }
}

private func inPlayers(_ body: (Database) throws -> Void) throws {
  try inMemory { db in
    try db.execute(
      sql: """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE champion (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        """)
    try body(db)
  }
}

/// The base class of records.
@Suite struct RecordClassTests {
  @Test func unsavedRecordsHaveChanges() throws {
    let player = Player(name: "a")
    #expect(player.hasDatabaseChanges)
    #expect(try player.databaseChanges == ["id": nil, "name": nil] as [String: DatabaseValue?])
  }

  @Test func columnsThatAnUpdateDoesNotStoreKeepTheirChanges() throws {
    try inPlayers { db in
      let champion = Champion(name: "a")
      champion.score = 1
      try champion.insert(db)
      champion.name = "b"
      champion.score = 2
      try champion.update(db, columns: ["NAME"])
      #expect(try champion.databaseChanges == ["score": 1.databaseValue])
      #expect(try champion.updateChanges(db))
      #expect(try Int.fetchOne(db, sql: "SELECT score FROM champion") == 2)
      #expect(!champion.hasDatabaseChanges)
      let unknown = Champion(id: champion.id, name: "c")
      try unknown.update(db, columns: ["name"])
      #expect(try unknown.databaseChanges == ["score": nil] as [String: DatabaseValue?])
    }
  }

  @Test func recordsTrackChangesSinceSaving() throws {
    try inPlayers { db in
      let player = Player(name: "a")
      try player.insert(db)
      #expect(player.id == 1)
      #expect(!player.hasDatabaseChanges)
      #expect(try !player.updateChanges(db))
      player.name = "b"
      #expect(try player.databaseChanges == ["name": "a".databaseValue])
      #expect(try player.updateChanges(db))
      #expect(!player.hasDatabaseChanges)
      player.name = "c"
      try player.update(db)
      #expect(!player.hasDatabaseChanges)
      player.name = "d"
      try player.save(db)
      #expect(!player.hasDatabaseChanges)
      #expect(try player.delete(db))
      #expect(player.hasDatabaseChanges)
      #expect(throws: RecordError.self) { try player.updateChanges(db) }
      try player.insert(db)
      #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "d")
    }
  }

  @Test func recordsTrackChangesSinceFetching() throws {
    try inPlayers { db in
      try Player(id: 1, name: "a").insert(db)
      try Player(id: 2, name: "b").insert(db)
      let players = try Player.fetchAll(db, sql: "SELECT * FROM player ORDER BY id")
      #expect(players.map(\.hasDatabaseChanges) == [false, false])
      players[0].name = "z"
      #expect(try players[0].databaseChanges == ["name": "a".databaseValue])
      #expect(!players[1].hasDatabaseChanges)
      let partial = try #require(try Player.fetchOne(db, sql: "SELECT 'a' AS name"))
      #expect(try partial.databaseChanges == ["id": nil] as [String: DatabaseValue?])
      let mapped = try #require(try Player.fetchOne(db, sql: "SELECT 1 AS ID, 'a' AS NAME"))
      #expect(!mapped.hasDatabaseChanges)
    }
  }

  @Test func recordsOfUnfetchedRowsHaveChanges() throws {
    try inPlayers { db throws in
      try Player(id: 1, name: "a").insert(db)
      for row in [["id": 1, "name": "b"], Row(["id": 1, "name": "b"] as [String: any DatabaseValueConvertible])] {
        let player = try Player(row: row)
        #expect(player.hasDatabaseChanges)
        #expect(try player.databaseChanges == ["id": nil, "name": nil] as [String: DatabaseValue?])
        #expect(try player.updateChanges(db))
      }
      #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "b")
    }
  }

  @Test func recordsOfCopiedRowsHaveNoChanges() throws {
    try inPlayers { db throws in
      try Player(id: 1, name: "a").insert(db)
      let sql = "SELECT * FROM player"
      let adapter = ScopeAdapter(["player": SuffixRowAdapter(fromIndex: 0)])
      let row = try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
      for row in [row, row.copy(), row.unscoped, try #require(row.scopes["player"])] {
        #expect(try !Player(row: row).hasDatabaseChanges)
      }
    }
  }

  @Test func subclassesHaveTheirOwnTable() throws {
    try inPlayers { db in
      let players: [Player] = [Player(id: 1, name: "a"), Champion(id: 1, name: "b")]
      for player in players { try player.insert(db) }
      try Champion(id: 1, name: "c").insert(db)
      #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == ["a"])
      #expect(try String.fetchAll(db, sql: "SELECT name FROM champion") == ["c"])
      let fetched = try Champion(id: 5, name: "d").insertAndFetch(db)
      #expect(fetched.name == "d")
      #expect(players[1].databaseEquals(players[1]))
    }
  }

  @Test func tableNamesFollowClassNames() {
    final class BlackPawn: Record {}
    #expect(BlackPawn.databaseTableName == "blackPawn")
    #expect(BlackPawn.databaseSelection.count == 1)
    #expect(BlackPawn.persistenceConflictPolicy.conflictResolutionForInsert == .abort)
  }

  @Test func unencodableRecordsHaveChanges() throws {
    final class Broken: Record {
      override func encode(to container: inout PersistenceContainer) throws { throw Planned() }
    }
    #expect(Broken().hasDatabaseChanges)
    #expect(throws: Planned.self) { try Broken().databaseChanges }
  }

  @Test func recordsAreMutable() throws {
    try inPlayers { db in
      var player = Player(name: "a")
      try player.insert(db)
      #expect(try player.updateChanges(db) { $0.name = "b" })
      #expect(try !player.updateChanges(db) { $0.name = "b" })
      #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "b")
    }
  }

  @Test func `constants are modified, and the changed columns of their rows updated`() throws {
    try inPlayers { db in
      let player = Player(name: "a")
      try player.insert(db)
      #expect(try player.updateChanges(db) { $0.name = "b" })
      #expect(try !player.updateChanges(db, onConflict: .ignore) { $0.name = "b" })
      #expect(try String.fetchOne(db, sql: "SELECT name FROM player") == "b")
      #expect(try player.databaseChanges(modify: { $0.name = "c" }) == ["name": "b".databaseValue])
      #expect(player.name == "c")
      #expect(throws: Planned.self) { try player.updateChanges(db) { _ in throw Planned() } }
    }
  }

  @Test func `constants are modified, and their rows fetched`() throws {
    try inPlayers { db in
      let player = Player(name: "a")
      try player.insert(db)
      let first = try player.updateChangesAndFetch(db) { $0.name = "b" }
      #expect(first?.name == "b")
      let unchanged = try player.updateChangesAndFetch(db) { $0.name = "b" }
      #expect(unchanged == nil)
      let second = try player.updateChangesAndFetch(db, as: Player.self) { $0.name = "c" }
      #expect(second?.name == "c")
      let name = try player.updateChangesAndFetch(db, selection: [Column("name")]) { statement in
        try String.fetchOne(statement)
      } modify: { player in
        player.name = "d"
      }
      #expect(name == "d")
      let id = try player.updateChangesAndFetch(db) { statement in
        try Int.fetchOne(statement)
      } select: { _ in
        [Column("id")]
      } modify: { player in
        player.name = "e"
      }
      #expect(id == 1)
      #expect(player.id == 1)
      let rows = try Row.fetchAll(db, sql: "SELECT id, name FROM player")
      #expect(rows == [["id": 1, "name": "e"]])
    }
  }

  @Test func `an object in a variable can be replaced`() throws {
    try inPlayers { db in
      var player = Player(id: 1, name: "a")
      try player.insert(db)
      #expect(try player.updateChanges(db) { $0 = Player(id: 1, name: "b") })
      #expect(player.name == "b")
      #expect(try player.databaseChanges { $0 = Player(id: 1, name: "c") } == ["name": "b".databaseValue])
      #expect(try String.fetchAll(db, sql: "SELECT name FROM player") == ["b"])
    }
  }
}
