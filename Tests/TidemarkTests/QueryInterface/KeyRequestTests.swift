import Testing
import Tidemark

private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
  var id: Int64
  var name: String
}

/// A record type whose table and selection change.
private struct Changing: FetchableRecord, TableRecord {
  nonisolated(unsafe) static var table = "player"
  nonisolated(unsafe) static var columns: [String] = []
  static var databaseTableName: String { table }
  static var databaseSelection: [any SQLSelectable] { columns.isEmpty ? [.allColumns] : columns.map { Column($0) } }
  let columnNames: [String]

  init(row: Row) { columnNames = Array(row.columnNames) }
}

/// Records by primary key, whose SQL is cached.
@Suite struct KeyRequestTests {
  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (1, 'a')")
      try body(db)
    }
  }

  @Test func keyRequestsBuildTheSQLOfAFilter() throws {
    try inPlayers { db in
      let lines = try trace(db) {
        for key in [1, 2, 1] { _ = try Player.fetchOne(db, key: key) }
      }
      #expect(lines == [1, 2, 1].map { #"SELECT * FROM "player" WHERE "id" = \#($0)"# })
    }
  }

  @Test func changedPrimaryKeysAreDetected() throws {
    try inPlayers { db in
      _ = try Player.fetchOne(db, key: 1)
      try db.execute(
        sql: """
          DROP TABLE player; CREATE TABLE player (id INTEGER, name TEXT PRIMARY KEY); INSERT INTO player VALUES (7, '1');
          """)
      #expect(try Player.fetchOne(db, key: "1") == Player(id: 7, name: "1"))
    }
  }

  @Test func compositeKeysAreStillRefused() throws {
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE player (id INTEGER, name TEXT, PRIMARY KEY (id, name))")
      #expect(throws: DatabaseError.self) { try Player.fetchOne(db, key: 1) }
    }
  }

  @Test func tableAndSelectionCanChange() throws {
    try inPlayers { db throws in
      try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, city TEXT); INSERT INTO team VALUES (1, 'b')")
      defer { (Changing.table, Changing.columns) = ("player", []) }
      var found: [[String]?] = []
      for (table, columns) in [("player", []), ("team", []), ("team", ["city"]), ("team", []), ("player", ["name"])] {
        (Changing.table, Changing.columns) = (table, columns)
        found.append(try Changing.fetchOne(db, key: 1)?.columnNames)
      }
      #expect(found == [["id", "name"], ["id", "city"], ["city"], ["id", "city"], ["name"]])
    }
  }

  @Test func nullKeysMatchNothing() throws {
    try inPlayers { db throws in
      var found: [Player?] = []
      let lines = try trace(db) { found.append(try Player.fetchOne(db, key: nil as Int?)) }
      #expect(found == [nil])
      #expect(lines == [])
    }
  }
}
