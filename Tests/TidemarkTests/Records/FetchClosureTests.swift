import Testing
import Tidemark

/// A record that encodes its columns in one of two orders.
private struct Item: FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var name: String
  var hasNote = false

  init(id: Int64? = nil, name: String, hasNote: Bool = false) {
    self.id = id
    self.name = name
    self.hasNote = hasNote
  }

  init(row: Row) throws {
    id = row["id"]
    name = row["name"]
  }

  func encode(to container: inout PersistenceContainer) {
    if hasNote { container["note"] = "\(name)'s note" }
    container["name"] = name
    container["id"] = id
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The closures that fetch the written row may do anything else with the connection.
@Suite struct FetchClosureTests {
  private let id = Column("id")

  private func withItems(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, note TEXT, name TEXT UNIQUE)")
      try body(db)
    }
  }

  private func names(_ db: Database) throws -> [String] {
    try String.fetchAll(db, sql: "SELECT id || name || ifnull(note, '') FROM item ORDER BY id")
  }

  @Test func `a record keeps its row ID if the closure inserts another record`() throws {
    try withItems { db in
      var item = Item(name: "a", hasNote: true)
      let fetched = try item.insertAndFetch(db, selection: [id]) { statement in
        let fetched = try Int64.fetchOne(statement)
        var other = Item(id: 7, name: "b")
        try other.insert(db)
        #expect(other.id == 7)
        return fetched
      }
      #expect(fetched == 1)
      #expect(item.id == 1)
      try #expect(names(db) == ["1aa's note", "7b"])
    }
  }

  @Test func `an inserted row is that of the record even if a row was inserted before it is fetched`() throws {
    try withItems { db in
      var item = Item(name: "a")
      try item.insertAndFetch(db, selection: [id]) { statement in
        var other = Item(id: 7, name: "b", hasNote: true)
        try other.insert(db)
        try #expect(Int64.fetchAll(statement) == [8])
      }
      #expect(item.id == 8)
    }
  }

  @Test func `a row is updated even if the closure executes a statement that changes nothing`() throws {
    try withItems { db in
      var item = Item(id: 1, name: "a")
      try item.insert(db)
      item.name = "b"
      func fetch(_ statement: Statement) throws -> String? {
        let name = try String.fetchOne(statement)
        try db.execute(sql: "DELETE FROM item WHERE 0")
        return name
      }
      try #expect(item.updateAndFetch(db, selection: [Column("name")], fetch: fetch) == "b")
      item.name = "c"
      try #expect(item.saveAndFetch(db, selection: [Column("name")], fetch: fetch) == "c")
      try #expect(names(db) == ["1c"])
    }
  }

  @Test func `a record is inserted even if the closure does not iterate its cursor`() throws {
    try withItems { db in
      var item = Item(name: "a")
      try item.insertAndFetch(db, selection: [id]) { _ = try Int64.fetchCursor($0) }
      #expect(item.id == 1)
      try #expect(names(db) == ["1a"])
    }
  }

  @Test func `a failed insertion throws even if the closure ignores its error`() throws {
    try withItems { db in
      var item = Item(id: 5, name: "a")
      try item.insert(db)
      var copy = Item(name: "a")
      #expect(throws: DatabaseError.self) {
        // The error is ignored on purpose.
        try copy.insertAndFetch(db, selection: [id]) { try? Int64.fetchOne($0) }
      }
      #expect(copy.id == nil)
      try #expect(names(db) == ["5a"])
    }
  }
}
