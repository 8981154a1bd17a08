import Testing

import Tidemark
@testable import TidemarkEssentials

/// Counts the encodings of records.
private final class Counter {
  var count = 0
}

private struct Counted: MutablePersistableRecord {
  static let databaseTableName = "player"
  let counter: Counter
  var id: Int64?
  var name: String

  func encode(to container: inout PersistenceContainer) {
    counter.count += 1
    container["id"] = id
    container["name"] = name
  }
}

private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
  var id: Int64
  var name: String
}

private struct Named: Codable, FetchableRecord, PersistableRecord, Identifiable {
  static let databaseTableName = "named"
  var id: Int64
  var name: String
}

/// A key for the view `named`.
private struct NamedKey: DatabaseSchemaSource {
  func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
    view.name == "named" ? ["id"] : nil
  }
}

@MainActor private final class Note: @preconcurrency FetchableRecord, @preconcurrency PersistableRecord {
  static let databaseTableName = "player"
  let id: Int64
  var name: String

  init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  init(row: Row) throws {
    id = row["id"]
    name = row["name"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
  }
}

private func inPlayers<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    return try body(db)
  }
}

/// The statements of writing a record, and their number.
@Suite struct RecordWritingTests {
  @Test func savingAnExistingRowEncodesOnce() throws {
    let counter = Counter()
    try inPlayers { db in
      try db.execute(sql: "INSERT INTO player VALUES (1, 'a')")
      var record = Counted(counter: counter, id: 1, name: "b")
      try record.save(db)
    }
    #expect(counter.count == 1)
  }

  @Test func closuresAreNotCalledForMissingRows() throws {
    var fetched: [String] = []
    try inPlayers { db in
      let player = Player(id: 1, name: "a")
      let text = try player.saveAndFetch(db, selection: [Column("name")]) { statement in
        let text = try String.fetchOne(statement)
        fetched.append(text ?? "nothing")
        return text
      }
      #expect(text == "a")
    }
    #expect(fetched == ["a"])
  }

  @Test func updatingNoRowThrowsBeforeItsClosure() throws {
    try inPlayers { db in
      let text = errorText {
        try Player(id: 7, name: "a").updateAndFetch(db, selection: [Column("name")]) { statement in
          try String.fetchOne(statement).unsafelyUnwrapped
        }
      }
      #expect(text == "Key not found in table player: [id:7]")
    }
  }

  @Test func closuresThatFetchNothingStillUpdate() throws {
    try inPlayers { db in
      try Player(id: 1, name: "a").insert(db)
      try Player(id: 1, name: "b").updateAndFetch(db, selection: [Column("name")]) { _ in }
      #expect(try Player.fetchAll(db) == [Player(id: 1, name: "b")])
    }
  }

  @Test func fetchedUpdatesRunOnce() throws {
    try inPlayers { db in
      try db.execute(
        sql: """
          CREATE TABLE log (id); CREATE TRIGGER logged AFTER UPDATE ON player BEGIN INSERT INTO log VALUES (NEW.id); END
          """)
      try Player(id: 1, name: "a").insert(db)
      #expect(try Player(id: 1, name: "b").updateAndFetch(db) == Player(id: 1, name: "b"))
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM log") == 1)
    }
  }

  @Test func selectionsAreIndependentOfEarlierOnes() throws {
    try inPlayers { db in
      let selections: [[any SQLSelectable]] = [
        [Column("name")], [.allColumns], [Column("name").forKey("n"), Column("id")], [Column("name")],
      ]
      let texts = try selections.map { try Player(id: 1, name: "a").saveAndFetchRow(db, $0) }
      #expect(texts == ["[name:\"a\"]", "[id:1 name:\"a\"]", "[n:\"a\" id:1]", "[name:\"a\"]"])
    }
  }

  @Test func viewsWithKeysAndTriggersAreWritable() throws {
    var configuration = Configuration()
    configuration.schemaSource = NamedKey()
    try inMemory(configuration) { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
          CREATE VIEW named AS SELECT id, name FROM player;
          CREATE TRIGGER inserted INSTEAD OF INSERT ON named BEGIN INSERT INTO player VALUES (NEW.id, NEW.name); END;
          CREATE TRIGGER updated INSTEAD OF UPDATE ON named BEGIN
            UPDATE player SET name = NEW.name WHERE id = OLD.id;
          END;
          CREATE TRIGGER deleted INSTEAD OF DELETE ON named BEGIN DELETE FROM player WHERE id = OLD.id; END;
          """)
      try Named(id: 1, name: "a").insert(db)
      try Named(id: 1, name: "b").update(db)
      #expect(try Named.find(db, id: 1).name == "b")
      try Named(id: 1, name: "c").save(db)
      #expect(try Player.fetchAll(db) == [Player(id: 1, name: "c")])
      try Named(id: 1, name: "c").delete(db)
      #expect(try Named.fetchCount(db) == 0)
    }
  }

  /// SQLite counts no row of a view: its triggers' rows count.
  @Test func writesThroughAViewCountWhatItsTriggersDo() throws {
    var configuration = Configuration()
    configuration.schemaSource = NamedKey()
    try inMemory(configuration) { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
          CREATE VIEW named AS SELECT id, name FROM player;
          CREATE TRIGGER inserted INSTEAD OF INSERT ON named BEGIN INSERT INTO player VALUES (NEW.id, NEW.name); END;
          CREATE TRIGGER updated INSTEAD OF UPDATE ON named BEGIN
            UPDATE player SET name = NEW.name WHERE id = OLD.id;
          END;
          CREATE TRIGGER deleted INSTEAD OF DELETE ON named BEGIN DELETE FROM player WHERE id = OLD.id; END;
          INSERT INTO player VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
          """)
      #expect(try Named.filter(Column("id") < 4).updateAll(db, Column("name").set(to: "x")) == 3)
      #expect(try Named.filter(Column("id") > 9).updateAll(db, Column("name").set(to: "x")) == 0)
      #expect(try Table("named").filter(Column("id") == 4).updateAll(db, Column("name").set(to: "y")) == 1)
      try Named(id: 5, name: "z").update(db)
      #expect(throws: RecordError.self) { try Named(id: 9, name: "z").update(db) }
      #expect(try Named(id: 1, name: "").delete(db))
      #expect(try !Named(id: 1, name: "").delete(db))
      #expect(try Named.deleteOne(db, key: 2))
      #expect(try !Named.deleteOne(db, key: 2))
      #expect(try Named.deleteAll(db, keys: [3, 4, 9]) == 2)
      try Named(id: 6, name: "new").save(db)
      #expect(try Named.deleteAll(db) == 2)
    }
  }

  @Test @MainActor func mainActorRecordsAreStored() throws {
    try inPlayers { db in
      let note = Note(id: 1, name: "a")
      try note.insert(db)
      note.name = "b"
      try note.save(db)
      #expect(try Note.fetchOne(db, key: 1)?.name == "b")
    }
  }

  @Test func onlyASCIILettersIgnoreCase() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, É TEXT, é TEXT)")
      struct Accented: PersistableRecord {
        static let databaseTableName = "player"
        func encode(to container: inout PersistenceContainer) {
          container["ID"] = 1
          container["É"] = "upper"
          container["é"] = "lower"
        }
      }
      try Accented().insert(db)
      try Accented().update(db)
      let row = try #require(try Row.fetchOne(db, sql: "SELECT É AS a, é AS b FROM player"))
      #expect(row == ["a": "upper", "b": "lower"])
    }
  }

  @Test func containerValuesAreReadAsTypes() {
    var container = PersistenceContainer()
    container["id"] = 1
    container["name"] = nil
    let id: Int? = container["ID"]
    let name: String? = container["name"]
    #expect(id == 1)
    #expect(name == nil)
    #expect(container.count == 2)
  }
}

extension Player {
  fileprivate func saveAndFetchRow(_ db: Database, _ selection: [any SQLSelectable]) throws -> String? {
    try saveAndFetch(db, selection: selection) { try Row.fetchOne($0)?.description }
  }
}
