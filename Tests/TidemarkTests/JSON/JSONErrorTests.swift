import Foundation
import Testing

@testable import TidemarkEssentials
import Tidemark

private let info = JSONColumn("info")
private let tags = JSONColumn("tags")

/// Errors of JSON, and SQLite libraries without JSON features.
@Suite struct JSONErrorTests {
  // swift-format-ignore
  @Test(arguments: [
    (Place.filter(id: 2).select(tags["x"]),
     #"SQLite error 1: malformed JSON - while executing `SELECT "tags" ->> ? FROM "pl" WHERE "id" = ?`"#),
    (Place.select(Database.jsonExtract(info, atPath: "nopath")),
     #"SQLite error 1: JSON path error near 'nopath' - while executing `SELECT JSON_EXTRACT("info", ?) FROM "pl"`"#),
    (Place.select(Database.jsonArray([Data([1])])),
     #"SQLite error 1: JSON cannot hold BLOB values - while executing `SELECT JSON_ARRAY(?) FROM "pl"`"#),
    (Place.select(Database.json("{a:1")),
     #"SQLite error 1: malformed JSON - while executing `SELECT JSON(?) FROM "pl"`"#),
  ])
  func `errors of SQLite`(request: QueryInterfaceRequest<Place>, text: String) throws {
    try inPlaces { db in
      #expect(message { _ = try Row.fetchAll(db, request) } == text)
    }
  }

  @Test func `NULL documents yield NULL`() throws {
    try inPlaces { db in
      let request = Place.filter(id: 2).select(
        info["city"], info.jsonRepresentation(atPath: "city"), Database.json(info), Database.jsonType(info),
        Database.jsonArrayLength(info), Database.jsonSet(info, ["$.a": 1]))
      try #expect(Row.fetchOne(db, request).map { $0.databaseValues.allSatisfy(\.isNull) } == true)
    }
  }

  @Test func `operators require SQLite 3.38`() throws {
    try inMemory { db in
      func sql(_ version: CInt) throws -> String {
        var printer = SQLPrinter(db)
        printer.libraryVersion = version
        try printer.print((info["city"] == "Rome").sqlExpression)
        return printer.sql
      }
      try #expect(sql(3_038_000) == #"("info" ->> ?) = ?"#)
      #expect(
        message { _ = try sql(3_037_002) } == """
          SQLite error 1: the JSON operators -> and ->> require SQLite 3.38 or later, but the linked library is SQLite \
          3.37.2
          """)
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    ("no such function: jsonb", "SELECT jsonb('1')",
     "no such function: jsonb: jsonb() requires SQLite 3.45 or later, but the linked library is SQLite 3.37.2"),
    ("no such function: JSONB_SET", "",
     "no such function: JSONB_SET: jsonb_set() requires SQLite 3.45 or later, but the linked library is SQLite 3.37.2"),
    ("no such function: JSON_ARRAY", "",
     "no such function: JSON_ARRAY: json_array() requires SQLite 3.38 or later, but the linked library is SQLite 3.37.2"),
    ("no such function: json_pretty", "",
     "no such function: json_pretty: json_pretty() requires SQLite 3.46 or later, but the linked library is SQLite 3.37.2"),
    ("no such function: concat", "",
     "no such function: concat: concat() requires SQLite 3.44 or later, but the linked library is SQLite 3.37.2"),
    ("near \">\": syntax error", "SELECT info ->> 'city' FROM pl",
     """
     near ">": syntax error: the JSON operators -> and ->> require SQLite 3.38 or later, but the linked library is SQLite \
     3.37.2
     """),
    ("near \">\": syntax error", "SELECT 1 = > 2", "near \">\": syntax error"),
    ("no such function: slug", "", "no such function: slug"),
    ("no such function: jsonbase", "", "no such function: jsonbase"),
  ])
  func `errors of older libraries name the required version`(message: String, sql: String, explained: String) {
    let error = DatabaseError(message: message, sql: sql)
    #expect(error.explainingMissingFeature(in: 3_037_002).message == explained)
    #expect(error.explainingMissingFeature(in: 3_060_000).message == message)
  }

  @Test(.enabled(if: SQLiteLibrary.versionNumber < 3_045_000, "The linked SQLite has JSONB"))
  func `a missing function of raw SQL names the required version`() throws {
    try inMemory { db in
      let text = message { try db.execute(sql: "SELECT jsonb('1')") }
      #expect(
        text == """
          SQLite error 1: no such function: jsonb: jsonb() requires SQLite 3.45 or later, but the linked library is \
          SQLite \(SQLiteLibrary.version) - while executing `SELECT jsonb('1')`
          """)
    }
  }
}
