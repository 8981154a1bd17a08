import Testing
import Tidemark

private enum Color: String, DatabaseValueConvertible { case red, white }

private struct Wine: FetchableRecord, Hashable {
  var name: String
  var color: Color
  init(row: Row) throws {
    name = row["name"]
    color = row["color"]
  }
}

/// The examples of the guide on fetch queries. (Those on methods of cursors are in the tests of cursors.)
@Suite struct FetchQueryExampleTests {
  private func cellar() throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE wine (id INTEGER PRIMARY KEY, name TEXT, color TEXT, url TEXT);
          INSERT INTO wine VALUES (1, 'Chablis', 'white', 'https://a.org'), (2, 'Cahors', 'red', 'https://b.org')
          """)
    }
    return dbQueue
  }

  @Test func rowsAreRawResultsOfQueries() throws {
    let dbQueue = try cellar()
    try dbQueue.read { db throws in
      if let row = try Row.fetchOne(db, sql: "SELECT * FROM wine WHERE id = ?", arguments: [1]) {
        let name: String = row["name"]
        let color: Color = row["color"]
        #expect(name == "Chablis")
        #expect(color == .white)
      } else {
        Issue.record("no row")
      }
    }
  }

  @Test func valuesAreStoredInColumns() throws {
    let dbQueue = try cellar()
    try dbQueue.read { db throws in
      let urls = try String.fetchCursor(db, sql: "SELECT url FROM wine")
      var seen: [String] = []
      while let url = try urls.next() { seen.append(url) }
      #expect(seen == ["https://a.org", "https://b.org"])
    }
  }

  @Test func recordsInitializeFromRows() throws {
    let dbQueue = try cellar()
    let wines = try dbQueue.read { db throws in
      try Wine.fetchAll(db, sql: "SELECT * FROM wine")
    }
    #expect(wines.map(\.name) == ["Chablis", "Cahors"])
  }

  @Test func rowsHaveFourFetchMethods() throws {
    let dbQueue = try cellar()
    try dbQueue.read { db throws in
      let sql = "SELECT * FROM wine WHERE id > ?"
      #expect(try Row.fetchCursor(db, sql: sql, arguments: [0]).next()?.count == 4)
      #expect(try Row.fetchAll(db, sql: sql, arguments: [0]).count == 2)
      #expect(try Row.fetchSet(db, sql: sql, arguments: [0]).count == 2)
      #expect(try Row.fetchOne(db, sql: sql, arguments: [0])?.count == 4)

      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM wine")
      var wines: [String] = []
      while let row = try rows.next() {
        let name: String = row["name"]
        let color: Color = row["color"]
        wines.append("\(name) \(color)")
      }
      #expect(wines == ["Chablis white", "Cahors red"])
    }
    let rows = try dbQueue.read { db throws in
      try Row.fetchAll(db, sql: "SELECT * FROM wine")
    }
    #expect(rows.count == 2)
  }

  @Test func otherTypesHaveFourFetchMethods() throws {
    let dbQueue = try cellar()
    try dbQueue.read { db throws in
      let wines = try Wine.fetchAll(db, sql: "SELECT * FROM wine")
      let set = try Wine.fetchSet(db, sql: "SELECT * FROM wine")
      let names = try String.fetchSet(db, sql: "SELECT name FROM wine")
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM wine")
      #expect(Set(wines) == set)
      #expect(names == ["Chablis", "Cahors"])
      #expect(count == 2)
      let cursor = try Wine.fetchCursor(db, sql: "SELECT * FROM wine")
      var seen: [Wine] = []
      while let wine = try cursor.next() { seen.append(wine) }
      #expect(seen == wines)
    }
  }

  @Test func argumentsArePositionalOrNamed() throws {
    let dbQueue = try cellar()
    try dbQueue.read { db throws in
      let positional = try Row.fetchAll(
        db,
        sql: "SELECT * FROM wine WHERE name = ?",
        arguments: ["Cahors"])
      let named = try Row.fetchAll(
        db,
        sql: "SELECT * FROM wine WHERE name = :name",
        arguments: ["name": "Cahors"])
      #expect(positional == named)
      #expect(named.count == 1)
    }
  }
}
