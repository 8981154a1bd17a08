import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

private func inTables<T>(_ body: (Database) throws -> T) throws -> T {
  try inMemory { db in
    try db.execute(
      sql: """
        CREATE TABLE rowid (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE code (code TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE pair (a INTEGER, b TEXT, name TEXT, PRIMARY KEY (b, a));
        CREATE TABLE bare (name TEXT);
        CREATE TABLE without (a INTEGER, b INTEGER, name TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE TABLE hidden (rowid TEXT, name TEXT);
        CREATE TABLE generated (id INTEGER PRIMARY KEY, name TEXT, twice TEXT AS (name || name));
        CREATE VIEW window AS SELECT id, name FROM rowid;
        CREATE TRIGGER window_i INSTEAD OF INSERT ON window
          BEGIN INSERT INTO rowid VALUES (new.id, new.name); END;
        CREATE TRIGGER window_u INSTEAD OF UPDATE ON window
          BEGIN UPDATE rowid SET name = new.name WHERE id = old.id; END;
        """)
    return try body(db)
  }
}

/// Records of all kinds of tables.
@Suite struct PrimaryKeyKindTests {
  @Test func rowIDsAreSetOnInsert() throws {
    struct Rowid: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
      var id: Int64?
      var name: String
      mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
        #expect(inserted.rowIDColumn == "id")
      }
    }
    try inTables { db in
      var record = Rowid(name: "a")
      try record.insert(db)
      #expect(record.id == 1)
      record.name = "b"
      try record.update(db)
      #expect(try Rowid.fetchAll(db, sql: "SELECT * FROM rowid") == [record])
      #expect(try record.exists(db))
      #expect(try record.delete(db))
      #expect(try !record.exists(db))
    }
  }

  @Test func textKeysHaveNoRowIDColumn() throws {
    struct Code: Codable, FetchableRecord, PersistableRecord, Equatable {
      var code: String
      var name: String?
      func didInsert(_ inserted: InsertionSuccess) {
        #expect(inserted.rowIDColumn == nil)
        #expect(inserted.persistenceContainer.map(\.0) == ["code", "name"])
      }
    }
    try inTables { db in
      try Code(code: "x", name: "a").insert(db)
      try Code(code: "x", name: "b").save(db)
      try Code(code: "y", name: "c").save(db)
      try Code(code: "y", name: "d").upsert(db)
      #expect(
        try Code.fetchAll(db, sql: "SELECT * FROM code ORDER BY code")
          == [Code(code: "x", name: "b"), Code(code: "y", name: "d")])
      #expect(message { try Code(code: "z").update(db) } == #"Key not found in table code: [code:"z"]"#)
    }
  }

  @Test func tablesWithoutPrimaryKeyUseTheHiddenRowID() throws {
    struct Bare: FetchableRecord, MutablePersistableRecord, Equatable {
      static let databaseTableName = "bare"
      var rowID: Int64?
      var name: String
      init(name: String) { self.name = name }
      init(row: Row) {
        rowID = row["ROWID"]
        name = row["name"]
      }
      func encode(to container: inout PersistenceContainer) {
        container["rowid"] = rowID
        container["name"] = name
      }
      mutating func didInsert(_ inserted: InsertionSuccess) {
        rowID = inserted.rowID
        #expect(inserted.rowIDColumn == nil)
      }
    }
    try inTables { db in
      var bare = Bare(name: "a")
      try bare.insert(db)
      #expect(bare.rowID == 1)
      bare.name = "b"
      try bare.update(db)
      #expect(try Bare.fetchAll(db, sql: "SELECT rowid, * FROM bare") == [bare])
      #expect(try bare.exists(db))
      try bare.upsert(db)
      #expect(try bare.delete(db))
    }
  }

  // The column hides the name of the row ID.
  @Test func columnsCanBeNamedRowID() throws {
    struct Hidden: Codable, PersistableRecord {
      var rowid: String
      var name: String
    }
    try inTables { db in
      try Hidden(rowid: "x", name: "a").insert(db)
      #expect(
        message { try Hidden(rowid: "x", name: "b").update(db) } == "Key not found in table hidden: [_rowid_:NULL]")
    }
  }

  @Test func tablesWithoutRowIDAreWritable() throws {
    struct Without: Codable, FetchableRecord, PersistableRecord, Equatable {
      var a: Int
      var b: Int
      var name: String?
    }
    try inTables { db in
      try Without(a: 1, b: 2).insert(db)
      try Without(a: 1, b: 2, name: "x").update(db)
      try Without(a: 1, b: 3, name: "y").save(db)
      try Without(a: 1, b: 3, name: "z").upsert(db)
      #expect(
        try Without.fetchAll(db, sql: "SELECT * FROM without")
          == [Without(a: 1, b: 2, name: "x"), Without(a: 1, b: 3, name: "z")])
      #expect(try Without(a: 1, b: 2).delete(db))
      #expect(try !Without(a: 1, b: 2).exists(db))
    }
  }

  @Test func compositeKeysCanContainNull() throws {
    struct Pair: Codable, FetchableRecord, PersistableRecord, Equatable {
      var a: Int?
      var b: String?
      var name: String
    }
    try inTables { db in
      try Pair(a: 1, b: nil, name: "x").insert(db)
      // In SQL, NULL equals nothing.
      #expect(try !Pair(a: 1, b: nil, name: "x").exists(db))
      #expect(message { try Pair(a: 1, b: nil, name: "y").update(db) } == "Key not found in table pair: [a:1 b:NULL]")
      try Pair(a: 1, b: "b", name: "z").save(db)
      try Pair(a: 1, b: "b", name: "zz").save(db)
      #expect(try String.fetchAll(db, sql: "SELECT name FROM pair ORDER BY name") == ["x", "zz"])
    }
  }

  @Test func viewsAreWrittenThroughTriggers() throws {
    struct Window: Codable, FetchableRecord, PersistableRecord {
      var id: Int64
      var name: String
    }
    try inTables { db in
      try Window(id: 7, name: "a").insert(db)
      #expect(try String.fetchOne(db, sql: "SELECT name FROM rowid WHERE id = 7") == "a")
      let text = "SQLite error 1: database view window has no primary key"
      #expect(message { try Window(id: 7, name: "b").update(db) } == text)
      #expect(message { try Window(id: 7, name: "b").delete(db) } == text)
      #expect(message { _ = try Window(id: 7, name: "b").exists(db) } == text)
      #expect(message { try Window(id: 7, name: "b").save(db) } == text)
    }
  }

  @Test func generatedColumnsAreNotWritten() throws {
    struct Generated: Codable, FetchableRecord, PersistableRecord {
      var id: Int64
      var name: String
      var twice: String?
      func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
      }
    }
    try inTables { db in
      let inserted = try Generated(id: 1, name: "a").insertAndFetch(db)
      #expect(inserted.twice == "aa")
      #expect(try Generated(id: 1, name: "b").updateAndFetch(db).twice == "bb")
    }
  }

  @Test func columnNamesIgnoreCase() throws {
    struct Rowid: PersistableRecord {
      var id: Int64
      func encode(to container: inout PersistenceContainer) {
        container["NAME"] = "n"
        container["ID"] = id
      }
    }
    try inTables { db in
      try Rowid(id: 3).insert(db)
      try Rowid(id: 3).update(db)
      #expect(try Rowid(id: 3).exists(db))
      try Rowid(id: 3).save(db)
      try Rowid(id: 3).upsert(db)
      #expect(try Rowid(id: 3).delete(db))
    }
  }

  // MARK: - What is wrong

  @Test func missingTablesThrow() throws {
    struct Nowhere: Codable, PersistableRecord { var id: Int64 }
    try inTables { db in
      let text = "SQLite error 1: no such table: nowhere"
      #expect(message { try Nowhere(id: 1).insert(db) } == text)
      #expect(message { try Nowhere(id: 1).update(db) } == text)
      #expect(message { try Nowhere(id: 1).save(db) } == text)
      #expect(message { try Nowhere(id: 1).upsert(db) } == text)
      #expect(message { try Nowhere(id: 1).delete(db) } == text)
      #expect(message { _ = try Nowhere(id: 1).exists(db) } == text)
    }
  }

  @Test func unknownColumnsThrowOnInsert() throws {
    struct Code: Codable, PersistableRecord {
      var code: String
      var other: Int
    }
    try inTables { db in
      #expect(
        message { try Code(code: "x", other: 1).insert(db) } == """
          SQLite error 1: table code has no column named other - while executing \
          `INSERT INTO "code" ("code", "other") VALUES (?,?)`
          """)
      try db.execute(sql: "INSERT INTO code VALUES ('x', 'a')")
      try Code(code: "x", other: 1).update(db)
    }
  }

  @Test func encodingErrorsWriteNothing() throws {
    struct Code: PersistableRecord {
      func encode(to container: inout PersistenceContainer) throws {
        container["code"] = "x"
        throw Planned()
      }
    }
    try inTables { db in
      #expect(throws: Planned.self) { try Code().insert(db) }
      #expect(throws: Planned.self) { try Code().save(db) }
      #expect(throws: Planned.self) { try Code().delete(db) }
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM code")
      #expect(count == 0)
    }
  }

  @Test func conflictPoliciesApply() throws {
    struct Rowid: Codable, FetchableRecord, PersistableRecord, Equatable {
      var id: Int64
      var name: String
    }
    try inTables { db in
      try Rowid(id: 1, name: "a").insert(db)
      try Rowid(id: 2, name: "b").insert(db)
      #expect(
        message { try Rowid(id: 3, name: "a").insert(db) } == """
          SQLite error 19: UNIQUE constraint failed: rowid.name - while executing \
          `INSERT INTO "rowid" ("id", "name") VALUES (?,?)`
          """)
      try Rowid(id: 3, name: "a").insert(db, onConflict: .ignore)
      #expect(
        message { _ = try Rowid(id: 3, name: "a").insertAndFetch(db, onConflict: .ignore) }
          == "Key not found in table rowid: [id:3]")
      #expect(
        message { try Rowid(id: 2, name: "a").update(db, onConflict: .ignore) }
          == "Key not found in table rowid: [id:2]")
      try Rowid(id: 3, name: "a").insert(db, onConflict: .replace)
      #expect(try Rowid.fetchAll(db, sql: "SELECT * FROM rowid") == [Rowid(id: 2, name: "b"), Rowid(id: 3, name: "a")])
    }
  }

  @Test func emptyRecordsTrap() async {
    struct Code: PersistableRecord {
      func encode(to container: inout PersistenceContainer) {}
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inTables { try Code().insert($0) }
    }
    #expect(result.words.contains("Code: invalid empty persistence container"))
  }

  @Test func emptySelectionsTrap() async {
    struct Code: Codable, PersistableRecord { var code = "x" }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inTables { _ = try Code().insertAndFetch($0, selection: []) { try Row.fetchOne($0) } }
    }
    #expect(result.words.contains("The selection must not be empty"))
  }

  // MARK: - The schema changes

  @Test func changedTablesAreWrittenByTheirNewSchema() throws {
    struct Code: Codable, FetchableRecord, PersistableRecord, Equatable {
      var code: String
      var name: String?
      var score: Int?
      func encode(to container: inout PersistenceContainer) {
        container["code"] = code
        container["name"] = name
        if let score { container["score"] = score }
      }
    }
    try inTables { db in
      try Code(code: "x", name: "a").insert(db)
      try db.execute(sql: "ALTER TABLE code ADD COLUMN score INTEGER")
      try Code(code: "x", name: "b", score: 1).update(db)
      try Code(code: "y", score: 2).insert(db)
      try Code(code: "x", name: "c").update(db)
      #expect(
        try Code.fetchAll(db, sql: "SELECT * FROM code")
          == [Code(code: "x", name: "c", score: 1), Code(code: "y", score: 2)])
      try db.execute(sql: "DROP TABLE code; CREATE TABLE code (id INTEGER PRIMARY KEY, name, code, score)")
      try Code(code: "z").insert(db)
      #expect(message { try Code(code: "z").update(db) } == "Key not found in table code: [id:NULL]")
    }
  }

  @Test func tableNamesCanChange() throws {
    struct Anywhere: Codable, PersistableRecord {
      nonisolated(unsafe) static var table = "code"
      static var databaseTableName: String { table }
      var name: String
    }
    try inTables { db in
      try Anywhere(name: "a").insert(db)
      Anywhere.table = "bare"
      try Anywhere(name: "b").insert(db)
      #expect(try String.fetchAll(db, sql: "SELECT name FROM bare") == ["b"])
    }
  }

  // MARK: - What the program fetches of a write

  @Test func unfetchedColumnsAreWritten() throws {
    struct Rowid: Codable, PersistableRecord, FetchableRecord {
      var id: Int64?
      var name: String
      func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
      }
    }
    try inTables { db in
      let all: [any SQLSelectable] = [.allColumns]
      #expect(try Rowid(name: "a").insertAndFetch(db, selection: all) { _ in 7 } == 7)
      #expect(try Rowid(name: "b").insertAndFetch(db, selection: all) { try Row.fetchAll($0).count } == 1)
      // The cursor has rows left when the closure ends.
      let cursor = try Rowid(name: "c").insertAndFetch(db, selection: all) { statement in
        let cursor = try Row.fetchCursor(statement)
        _ = try cursor.next()
        return cursor
      }
      // Another record of the same statement, before the closure fetches.
      try Rowid(name: "d").insertAndFetch(db, selection: all) { statement in
        _ = try Rowid(name: "e").insertAndFetch(db)
        #expect(try Rowid.fetchOne(statement)?.name == "d")
      }
      #expect(throws: Planned.self) { try Rowid(name: "f").insertAndFetch(db, selection: all) { _ in throw Planned() } }
      _ = try Rowid(name: "g").insertAndFetch(db)
      #expect(try String.fetchAll(db, sql: "SELECT name FROM rowid ORDER BY id") == ["a", "b", "c", "e", "d", "g"])
      withExtendedLifetime(cursor) {}
    }
  }
}
