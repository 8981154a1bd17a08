import Testing
import Tidemark

/// The columns of statements that were compiled before the schema has changed.
@Suite struct StatementColumnsTests {
  struct Player: TableRecord, FetchableRecord {
    var id: Int64
    init(row: Row) throws { id = row["id"] }
  }

  /// Whose connection changes the schema.
  enum Changer: CaseIterable {
    case same, other
  }

  /// Runs a closure before and after a change of the table, on a connection that has statements of before.
  private func columns(
    changedBy changer: Changer, _ change: String, _ body: (Database) throws -> [String]
  ) throws -> [[String]] {
    let folder = try TemporaryFolder()
    return try withExtendedLifetime(folder) {
      let path = folder.path("players.sqlite")
      let dbQueue = try DatabaseQueue(path: path)
      try dbQueue.write { db in
        try db.execute(
          sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (1, 'a')")
      }
      let before = try dbQueue.read(body)
      switch changer {
      case .same: try dbQueue.write { try $0.execute(sql: change) }
      case .other: try DatabaseQueue(path: path).write { try $0.execute(sql: change) }
      }
      return [before, try dbQueue.read(body)]
    }
  }

  private let adding = "ALTER TABLE player ADD COLUMN score INTEGER"

  @Test(arguments: Changer.allCases)
  func cachedStatementsReportCurrentColumns(changer: Changer) throws {
    let found = try columns(changedBy: changer, adding) { db in
      try db.cachedStatement(sql: "SELECT * FROM player").columnNames
    }
    #expect(found == [["id", "name"], ["id", "name", "score"]])
  }

  @Test(arguments: Changer.allCases)
  func columnsAreFoundByTheirCurrentNames(changer: Changer) throws {
    let found = try columns(changedBy: changer, "ALTER TABLE player RENAME COLUMN name TO title") { db in
      let statement = try db.cachedStatement(sql: "SELECT * FROM player")
      return statement.columnNames + ["\(statement.columnCount)", "\(statement.index(ofColumn: "title") ?? -1)"]
    }
    #expect(found == [["id", "name", "2", "-1"], ["id", "title", "2", "1"]])
  }

  @Test(arguments: Changer.allCases)
  func cursorsReportCurrentColumnsBeforeTheirFirstStep(changer: Changer) throws {
    let found = try columns(changedBy: changer, adding) { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
      return cursor.columnNames + ["\(cursor.columnCount)"]
    }
    #expect(found == [["id", "name", "2"], ["id", "name", "score", "3"]])
  }

  @Test(arguments: Changer.allCases)
  func aCursorHasTheColumnsOfItsRows(changer: Changer) throws {
    let found = try columns(changedBy: changer, adding) { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
      let names = try cursor.next().map { Array($0.columnNames) } ?? []
      #expect(cursor.columnNames == names)
      return names
    }
    #expect(found == [["id", "name"], ["id", "name", "score"]])
  }

  @Test(arguments: Changer.allCases)
  func numberOfSelectedColumnsIsCurrent(changer: Changer) throws {
    let found = try columns(changedBy: changer, adding) { db in ["\(try Player.numberOfSelectedColumns(db))"] }
    #expect(found == [["2"], ["3"]])
  }

  @Test(arguments: Changer.allCases)
  func splitAdaptersFollowTheSchema(changer: Changer) throws {
    let found = try columns(changedBy: changer, adding) { db in
      let count = try Player.numberOfSelectedColumns(db)
      let adapters = splittingRowAdapters(columnCounts: [count, count])
      let adapter = ScopeAdapter(["left": adapters[0], "right": adapters[1]])
      let row = try Row.fetchOne(db, sql: "SELECT a.*, b.* FROM player a, player b", adapter: adapter)
      return ["left", "right"].map { name in row?.scopes[name].map { "\($0)" } ?? "none" }
    }
    #expect(
      found == [
        [#"[id:1 name:"a"]"#, #"[id:1 name:"a"]"#],
        [#"[id:1 name:"a" score:NULL]"#, #"[id:1 name:"a" score:NULL]"#],
      ])
  }

  @Test func steppedStatementsKeepTheColumnsOfTheirRows() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE player (id, name); INSERT INTO player VALUES (1, 'a'), (2, 'b')")
      let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
      _ = try cursor.next()
      try db.execute(sql: "CREATE TABLE team (id)")
      #expect(cursor.columnNames == ["id", "name"])
      let second = try cursor.next()
      #expect(second == ["id": 2, "name": "b"])
    }
  }

  @Test func statementsOfDroppedTablesKeepTheirColumns() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE player (id, name)")
      let statement = try db.makeStatement(sql: "SELECT * FROM player")
      try db.execute(sql: "DROP TABLE player")
      #expect(statement.columnNames == ["id", "name"])
      #expect(errorText { try Row.fetchAll(statement) }.contains("no such table: player"))
    }
  }
}
