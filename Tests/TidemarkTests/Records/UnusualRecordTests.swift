import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Records of hostile programs.
@Suite struct UnusualRecordTests {
  /// A table and columns whose names contain quotes and SQL keywords.
  private struct Odd: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
    static let databaseTableName = #"a "table" of 'odd' [names]"#
    enum CodingKeys: String, CodingKey {
      case id = #"the "key""#
      case select
      case text = "it's; DROP TABLE x --"
    }
    var id: Int64?
    var select: Int
    var text: String?
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  private func createOdd(_ db: Database) throws {
    try db.create(table: Odd.databaseTableName) { t in
      t.autoIncrementedPrimaryKey(#"the "key""#)
      t.column("select", .integer).notNull().unique()
      t.column("it's; DROP TABLE x --", .text).defaults(to: #"it's "quoted""#).indexed()
    }
  }

  @Test func namesMayContainQuotes() throws {
    try inMemory { db in
      try createOdd(db)
      var odd = Odd(select: 1, text: "x")
      try odd.insert(db)
      odd.text = nil
      try odd.update(db)
      try odd.update(db, columns: ["select"])
      try odd.save(db)
      try odd.upsert(db)
      try #expect(odd.exists(db))
      try #expect(Odd.find(db, key: 1) == odd)
      try #expect(Odd.fetchOne(db, key: ["select": 1]) == odd)
      try #expect(Odd.fetchAll(db, keys: [1, 2]) == [odd])
      try #expect(Odd.filter(Column("it's; DROP TABLE x --") == nil).fetchAll(db) == [odd])
      let isChanged = try odd.updateChanges(db) { $0.text = "y" }
      #expect(isChanged)
      try #expect(Odd.updateAll(db, Column("it's; DROP TABLE x --").set(to: "z")) == 1)
      try #expect(Odd.order(Column(#"the "key""#).desc).withStableOrder().fetchOne(db)?.text == "z")
      try #expect(odd.delete(db))
      let message = #"Key not found in table a "table" of 'odd' [names]: [the "key":1]"#
      #expect(errorText { try odd.update(db) } == message)
      #expect(errorText { try Odd.find(db, key: 1) } == message)
      try #expect(db.columns(in: Odd.databaseTableName).map(\.name) == odd.encoded().map(\.0))
      try #expect(db.indexes(on: Odd.databaseTableName).count == 2)
      try db.rename(table: Odd.databaseTableName, to: #"b"b"#)
      try #expect(db.tableExists(#"B"B"#))
      try db.drop(table: #"b"b"#)
    }
  }

  @Test func renamedTablesAreMissingErrors() throws {
    try inMemory { db in
      try createOdd(db)
      var odd = Odd(select: 1)
      try odd.insert(db)
      try db.rename(table: Odd.databaseTableName, to: "elsewhere")
      let text = #"SQLite error 1: no such table: a "table" of 'odd' [names]"#
      #expect(errorText { try odd.update(db) } == text)
      #expect(errorText { try odd.delete(db) } == text)
      #expect(errorText { try odd.exists(db) } == text)
      #expect(errorText { try Odd.find(db, key: 1) } == text)
      try db.rename(table: "elsewhere", to: Odd.databaseTableName)
      try #expect(odd.exists(db))
    }
  }

  // MARK: - Keys

  private struct Stock: Codable, FetchableRecord, PersistableRecord, Equatable {
    var shop: String?
    var item: Int?
    var count = 0
  }

  @Test func tablesWithoutRowIDsSupportAllMethods() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE stock (count INTEGER, item INTEGER, shop TEXT COLLATE NOCASE, PRIMARY KEY (shop, item))
          WITHOUT ROWID
          """)
      var stock = Stock(shop: "a", item: 1, count: 1)
      try stock.insert(db)
      stock.count = 2
      try stock.update(db)
      try #expect(stock.updateAndFetch(db) == stock)
      try #expect(stock.saveAndFetch(db) == stock)
      try #expect(Stock(shop: "A", item: 1, count: 3).upsertAndFetch(db).count == 3)
      try #expect(Stock.fetchCount(db) == 1)
      try #expect(Stock.fetchOne(db, key: ["item": 1, "shop": "A"])?.count == 3)
      // The order of the columns of a key is not specified.
      let text = errorText { try Stock(shop: "b", item: nil).update(db) }
      let keys = [#"[shop:"b" item:NULL]"#, #"[item:NULL shop:"b"]"#]
      #expect(keys.map { "Key not found in table stock: \($0)" }.contains(text))
      try #expect(Stock.deleteOne(db, key: ["shop": "a", "item": 1]))
      try #expect(!stock.exists(db))
      let missing = errorText { try Stock(shop: nil, item: 1).insert(db) }
      #expect(missing.contains("NOT NULL constraint failed: stock.shop"))
    }
  }

  private struct Note: Codable, FetchableRecord, PersistableRecord, Equatable {
    static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
    var rowid: Int64?
    var text: String
  }

  @Test func hiddenRowIDsAreKeys() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE note (text TEXT)")
      try #expect(Note(text: "a").insertAndFetch(db) == Note(rowid: 1, text: "a"))
      try Note(rowid: 7, text: "b").insert(db)
      try Note(rowid: 7, text: "c").update(db)
      try #expect(Note.fetchOne(db, key: 7) == Note(rowid: 7, text: "c"))
      try #expect(Note.fetchAll(db, keys: [1, 7]).map(\.text) == ["a", "c"])
      try #expect(Note(rowid: 1, text: "").delete(db))
      #expect(errorText { try Note(rowid: 1, text: "").update(db) } == "Key not found in table note: [rowid:1]")
      #expect(errorText { try Note(text: "").update(db) } == "Key not found in table note: [rowid:NULL]")
    }
  }

  // MARK: - Conflicts and errors

  private struct Player: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)
    var id: Int64?
    var name: String
    var score: Int?
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  private let players = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER DEFAULT 5)
    """

  @Test func replacingRecordsRemoveOthers() throws {
    try inMemory { db in
      try db.execute(sql: players)
      var first = Player(name: "a", score: 1)
      try first.insert(db)
      var second = Player(name: "a", score: 2)
      try second.insert(db)
      // SQLite has chosen the row ID before it removes the other row.
      #expect(second.id == 2)
      try #expect(Player.fetchAll(db) == [second])
      var third = Player(name: "b")
      try third.insert(db)
      third.name = "a"
      try third.update(db)
      try #expect(Player.fetchAll(db) == [third])
    }
  }

  @Test func nilIsStoredInsteadOfTheDefault() throws {
    try inMemory { db in
      try db.execute(sql: players)
      var player = Player(name: "a")
      try player.insert(db)
      try #expect(Int.fetchOne(db, sql: "SELECT score FROM player") == nil)
      try #expect(Player(id: 9, name: "b").insertAndFetch(db).score == nil)
      struct Partial: Codable, MutablePersistableRecord {
        static let databaseTableName = "player"
        var name: String
      }
      var partial = Partial(name: "c")
      let inserted = try partial.insertAndFetch(db, as: Player.self)
      #expect(inserted == Player(id: 10, name: "c", score: 5))
    }
  }

  @Test func callbackErrorsLeaveTheConnectionUsable() throws {
    struct Strict: Codable, PersistableRecord {
      static let databaseTableName = "player"
      var id: Int64
      var name: String
      func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        _ = try insert()
        throw NoRow()
      }
      func willUpdate(_ db: Database, columns: Set<String>) throws { throw NoRow() }
    }
    try inMemory { db in
      try db.execute(sql: players)
      for _ in 1...2 {
        #expect(throws: NoRow.self) {
          try db.inTransaction {
            try Strict(id: 1, name: "a").insert(db)
            return .commit
          }
        }
        #expect(throws: NoRow.self) { try Strict(id: 1, name: "a").update(db) }
        #expect(throws: NoRow.self) { try Strict(id: 1, name: "a").insertAndFetch(db, as: Player.self) }
        try #expect(Player.fetchCount(db) == 1)
        try Player.deleteAll(db)
      }
    }
  }

  @Test func writesRolledBackInACallbackAreUndone() throws {
    struct Saved: Codable, PersistableRecord {
      static let databaseTableName = "player"
      var id: Int64
      var name: String
      func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        try db.inSavepoint {
          _ = try save()
          return .rollback
        }
      }
    }
    try inMemory { db in
      try db.execute(sql: players)
      try db.inTransaction {
        try Saved(id: 1, name: "a").insert(db)
        return .commit
      }
      try #expect(Player.fetchCount(db) == 0)
    }
  }

  @Test func upsertReturnsTheExistingRow() throws {
    try inMemory { db in
      try db.execute(sql: players)
      try db.execute(
        sql: """
          CREATE TRIGGER limited AFTER UPDATE ON player WHEN new.score > 100 BEGIN
            UPDATE player SET score = 100 WHERE id = new.id;
          END
          """)
      var player = Player(id: 3, name: "a", score: 1)
      try player.insert(db)
      var other = Player(name: "a", score: 50)
      let fetched = try other.upsertAndFetch(db, onConflict: ["name"]) { [Column("score") += $0[Column("score")]] }
      #expect(fetched == Player(id: 3, name: "a", score: 51))
      // The row of the record, although no row was inserted.
      #expect(other.id == 3)
      let text = errorText { try other.upsertAndFetch(db, onConflict: ["score"]) }
      #expect(text.contains("ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint"))
    }
  }

  // MARK: - Views and triggers

  @Test func viewsWithTriggersAreWritable() throws {
    struct Shown: Codable, FetchableRecord, PersistableRecord, Equatable {
      var id: Int64
      var name: String
    }
    struct Keys: DatabaseSchemaSource {
      func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
    }
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE base (id INTEGER PRIMARY KEY, name TEXT);
          CREATE VIEW shown AS SELECT * FROM base;
          CREATE TRIGGER si INSTEAD OF INSERT ON shown BEGIN INSERT INTO base VALUES (new.id, new.name); END;
          CREATE TRIGGER su INSTEAD OF UPDATE ON shown BEGIN UPDATE base SET name = new.name WHERE id = old.id; END;
          CREATE TRIGGER sd INSTEAD OF DELETE ON shown BEGIN DELETE FROM base WHERE id = old.id; END;
          """)
      try Shown(id: 1, name: "a").insert(db)
      let text = errorText { try Shown(id: 1, name: "b").update(db) }
      #expect(text == "SQLite error 1: database view shown has no primary key")
      try db.withSchemaSource(Keys()) {
        try Shown(id: 1, name: "b").update(db)
        try #expect(Shown.find(db, key: 1).name == "b")
        try #expect(Shown(id: 1, name: "b").exists(db))
        try Shown(id: 1, name: "b").delete(db)
      }
      try #expect(Shown.fetchCount(db) == 0)
    }
  }

  // MARK: - Changes of the schema by others

  @Test func externalTableChangesAreDetected() throws {
    let folder = try TemporaryFolder()
    let dbQueue = try DatabaseQueue(path: folder.path("shared.sqlite"))
    let other = try DatabaseQueue(path: folder.path("shared.sqlite"))
    try dbQueue.write { db in
      try db.execute(sql: players)
      var player = Player(id: 1, name: "a", score: 1)
      try player.insert(db)
    }
    try other.write { db in
      try db.execute(
        sql: """
          ALTER TABLE player RENAME COLUMN score TO points;
          ALTER TABLE player ADD COLUMN score TEXT DEFAULT '7';
          """)
    }
    try dbQueue.write { db in
      try #expect(Player.find(db, key: 1).score == 7)
      try #expect(Player(id: 1, name: "a", score: 2).updateAndFetch(db).score == 2)
      try #expect(db.columns(in: "player").map(\.name) == ["id", "name", "points", "score"])
    }
    try other.write { db in
      try db.execute(
        sql: """
          DROP TABLE player;
          CREATE TABLE player (name TEXT PRIMARY KEY, id INTEGER, score INTEGER) WITHOUT ROWID;
          INSERT INTO player VALUES ('a', 5, 1);
          """)
    }
    try dbQueue.write { db in
      try #expect(db.primaryKey("player").columns == ["name"])
      try Player(id: 6, name: "a", score: 3).update(db)
      try #expect(Player.fetchOne(db, key: "a") == Player(id: 6, name: "a", score: 3))
      try #expect(Player.fetchOne(db, key: 6) == nil)
    }
  }
}
