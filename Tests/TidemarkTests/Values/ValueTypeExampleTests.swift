import Foundation
import Testing
import Tidemark

private enum Color: Int { case red, white, rose }
private enum Grape: String { case chardonnay, merlot, riesling }
extension Color: DatabaseValueConvertible {}
extension Grape: DatabaseValueConvertible {}

private struct RGB: Equatable {
  let red: Double
  let green: Double
  let blue: Double
}

extension RGB: DatabaseValueConvertible {
  var databaseValue: DatabaseValue {
    "\(red),\(green),\(blue)".databaseValue
  }

  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> RGB? {
    guard let string = String.fromDatabaseValue(dbValue) else {
      return nil
    }
    let components = string.split(separator: ",").compactMap { Double($0) }
    guard components.count == 3 else { return nil }
    return RGB(red: components[0], green: components[1], blue: components[2])
  }
}

/// The examples of the guide on value types.
@Suite struct ValueTypeExampleTests {
  private func withTable<T>(_ columns: String, _ body: (Database) throws -> T) throws -> T {
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE t (\(columns))")
      return try body(db)
    }
  }

  @Test func valuesRoundTripThroughArgumentsRowsAndFetches() throws {
    try withTable("url, verified") { db throws in
      let url = "https://example.org"
      let verified = true
      try db.execute(sql: "INSERT INTO t (url, verified) VALUES (?, ?)", arguments: [url, verified])
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM t")
      var seen = 0
      while let row = try rows.next() {
        let url: String = row["url"]
        let verified: Bool = row["verified"]
        #expect(url == "https://example.org")
        #expect(verified)
        seen += 1
      }
      #expect(seen == 1)
      #expect(try String.fetchAll(db, sql: "SELECT url FROM t") == [url])
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 1)
    }
  }

  @Test func booleansAreStoredAsIntegers() throws {
    try withTable("enabled") { db throws in
      try db.execute(sql: "INSERT INTO t (enabled) VALUES (?)", arguments: [true])
      #expect(try Bool.fetchOne(db, sql: "SELECT enabled FROM t") == true)
      #expect(try String.fetchOne(db, sql: "SELECT typeof(enabled) FROM t") == "integer")
      #expect(try Bool.fetchAll(db, sql: "SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT -5") == [false, true, true])
    }
  }

  @Test func integersOfAllSizesAreStored() throws {
    let score: Int = 1000
    let playerId: Int64 = 42
    let smallValue: UInt8 = 255
    try withTable("score, playerId, level") { db throws in
      try db.execute(
        sql: "INSERT INTO t (score, playerId, level) VALUES (?, ?, ?)",
        arguments: [score, playerId, smallValue])
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM t") == ["score": 1000, "playerId": 42, "level": 255])
    }
  }

  @Test func stringsAreStoredAsText() throws {
    try withTable("name") { db throws in
      let name = "Arthur"
      try db.execute(sql: "INSERT INTO t (name) VALUES (?)", arguments: [name])
      #expect(try String.fetchAll(db, sql: "SELECT name FROM t") == ["Arthur"])
      #expect(try String.fetchOne(db, sql: "SELECT typeof(name) FROM t") == "text")
    }
  }

  @Test func dataIsStoredAsBlobs() throws {
    let imageData = Data((0..<100).map { UInt8($0) })
    try withTable("image") { db throws in
      try db.execute(sql: "INSERT INTO t (image) VALUES (?)", arguments: [imageData])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT image FROM t"))
      let data: Data = row["image"]
      #expect(data == imageData)

      let rows = try Row.fetchCursor(db, sql: "SELECT image FROM t")
      while let row = try rows.next() {
        try row.withUnsafeData(name: "image") { (data: Data?) in
          #expect(data == imageData)
        }
      }
    }
  }

  @Test func timeIntervalsAreStored() throws {
    let timeInterval = TimeInterval(12345.5)
    try withTable("timestamp") { db throws in
      try db.execute(sql: "INSERT INTO t (timestamp) VALUES (?)", arguments: [timeInterval])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT timestamp FROM t"))
      let stored: TimeInterval = row["timestamp"]
      #expect(stored == timeInterval)
    }
  }

  @Test func enumsAreStoredAsRawValues() throws {
    try withTable("grape, color") { db throws in
      try db.execute(
        sql: "INSERT INTO t (grape, color) VALUES (?, ?)",
        arguments: [Grape.merlot, Color.red])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      let grape: Grape = row["grape"]
      let color: Color = row["color"]
      #expect(grape == .merlot)
      #expect(color == .red)
      #expect(row == ["grape": "merlot", "color": 0])
    }
  }

  @Test func unknownCasesAreHandledWithADatabaseValue() throws {
    func read(_ sql: String) throws -> String {
      let row = try firstRow(sql)
      let dbValue: DatabaseValue = row[0]
      if dbValue.isNull {
        return "null"
      } else if let grape = Grape.fromDatabaseValue(dbValue) {
        return "\(grape)"
      } else {
        return "unknown"
      }
    }
    #expect(try read("SELECT 'syrah'") == "unknown")
    #expect(try read("SELECT 'merlot'") == "merlot")
    #expect(try read("SELECT NULL") == "null")
  }

  @Test func unknownCasesTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try firstRow("SELECT 'syrah'")[0] as Grape
    }
    #expect(result.words.contains("could not decode Grape from database value \"syrah\""))
  }

  @Test func customTypesDefineTheirStorage() throws {
    let color = RGB(red: 0.5, green: 0, blue: 1)
    try withTable("color") { db throws in
      try db.execute(sql: "INSERT INTO t (color) VALUES (?)", arguments: [color])
      #expect(try RGB.fetchOne(db, sql: "SELECT color FROM t") == color)
      #expect(try String.fetchOne(db, sql: "SELECT color FROM t") == "0.5,0.0,1.0")
      #expect(try RGB.fetchAll(db, SQLRequest<RGB>("SELECT color FROM t WHERE color = \(color)")) == [color])
      #expect(throws: RowDecodingError.self) { try RGB.fetchAll(db, sql: "SELECT 'red'") }
    }
  }

  @Test func nilIsStoredAsNull() throws {
    try withTable("name, email") { db throws in
      try db.execute(
        sql: "INSERT INTO t (name, email) VALUES (?, ?)",
        arguments: ["Arthur", nil])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM t"))
      let name: String? = row["name"]
      let email: String? = row["email"]
      #expect(name == "Arthur")
      #expect(email == nil)
      #expect(try String.fetchOne(db, sql: "SELECT typeof(email) FROM t") == "null")
    }
  }
}
