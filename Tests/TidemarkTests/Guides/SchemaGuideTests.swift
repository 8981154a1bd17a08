import Testing
import Tidemark

/// The code of `Documentation/Schema.md`.
@Suite struct SchemaGuideTests {
  struct ViewKeys: DatabaseSchemaSource {
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
      view.name == "hero" ? ["id"] : nil
    }
  }

  private func inLeague(_ body: (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.schemaSource = ViewKeys()
    try inMemory(configuration) { db in
      try db.create(table: "team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique().collate(.nocase)
      }
      try db.create(table: "player", options: .strict) { t in
        t.primaryKey("id", .integer)
        t.belongsTo("team", onDelete: .cascade).notNull()
        t.column("name", .text).notNull().check(sql: "length(name) > 0")
        t.column("score", .integer).notNull().defaults(to: 0).indexed()
        t.column("bonus", .integer)
        t.column("total", .integer).generatedAs(sql: "score + ifnull(bonus, 0)")
        t.uniqueKey(["teamId", "name"])
      }
      try body(db)
    }
  }

  @Test func tablesExampleWorks() throws {
    try inLeague { db in
      try db.create(table: "membership") { t in
        t.primaryKey {
          t.belongsTo("player", onDelete: .cascade)
          t.belongsTo("team", onDelete: .cascade)
        }
        t.column("since", .date)
      }
      try db.execute(sql: "INSERT INTO team VALUES (1, 'Reds')")
      try db.execute(sql: "INSERT INTO player (teamId, name, bonus) VALUES (1, 'Ann', 5)")
      let total = try Int.fetchOne(db, sql: "SELECT total FROM player")
      #expect(total == 5)
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO player (teamId, name) VALUES (1, '')") }
    }
  }

  @Test func schemaChangesExampleWorks() throws {
    try inLeague { db in
      try db.alter(table: "player") { t in
        t.add(column: "nickname", .text)
        t.rename(column: "bonus", to: "extra")
      }
      try db.create(index: "playerByName", on: "player", columns: ["nickname"], condition: SQL("nickname IS NOT NULL"))
      try db.create(view: "hero", asLiteral: "SELECT * FROM player WHERE score > \(1000)")
      let names = try db.columns(in: "player").map(\.name)
      #expect(names == ["id", "teamId", "name", "score", "extra", "total", "nickname"])
      try #expect(db.primaryKey("hero").columns == ["id"])
      try #expect(db.viewExists("hero"))
    }
  }

  @Test func introspectionExampleWorks() throws {
    try inLeague { db in
      let columns = try db.columns(in: "player").map(\.name)
      let key = try db.primaryKey("player").columns
      let isUnique = try db.table("player", hasUniqueKey: ["name", "teamId"])
      let teams = try db.foreignKeys(on: "player").map(\.destinationTable)
      #expect(columns == ["id", "teamId", "name", "score", "bonus", "total"])
      #expect(key == ["id"])
      #expect(isUnique)
      #expect(teams == ["team"])
    }
  }

  @Test func migrationsExampleWorks() throws {
    let dbQueue = try DatabaseQueue()
    var migrator = DatabaseMigrator()

    migrator.registerMigration("createTeam") { db in
      try db.create(table: "team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
    }

    migrator.registerMigration("addCity") { db in
      try db.alter(table: "team") { t in
        t.add(column: "city", .text)
      }
    }

    try migrator.migrate(dbQueue)
    try dbQueue.read { try #expect($0.columns(in: "team").count == 3) }
  }

  @Test func mergedMigrationsExampleWorks() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("2026", merging: ["createTeam", "addCity"]) { db, applied in
      if !applied.contains("createTeam") {
        try db.create(table: "team") { t in
          t.autoIncrementedPrimaryKey("id")
          t.column("name", .text).notNull()
        }
      }
      if !applied.contains("addCity") {
        try db.alter(table: "team") { $0.add(column: "city", .text) }
      }
    }
    let dbQueue = try DatabaseQueue()
    try migrator.migrate(dbQueue)
    try dbQueue.read { try #expect($0.columns(in: "team").count == 3) }
  }
}
