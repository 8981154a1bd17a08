import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

private enum Grape: String, Codable { case chardonnay, merlot }
private struct Point: Codable, Equatable { var x: Int; var y: Int? }

private struct Author: Decodable, FetchableRecord, Hashable {
  var id: Int64
  var name: String?
}

/// Records with a custom `Decodable` implementation.
@Suite struct DecodableRecordTests {
  @Test func valuesAreDecodedFromTheirColumns() throws {
    struct Everything: Codable, FetchableRecord, EncodableRecord, Equatable {
      var bool = true
      var int = 1
      var int8: Int8 = -8
      var uint64: UInt64 = 64
      var float: Float = 0.5
      var double = 1.5
      var string = "s"
      var date = Date(timeIntervalSince1970: 0.5)
      var data = Data([1, 2])
      var uuid = UUID()
      var url = URL(string: "https://a.b/c")
      var grape = Grape.merlot
      var array = ["a"]
      var dictionary = ["a": 1]
      var point = Point(x: 1)
      var optionalPoint: Point? = Point(x: 1, y: 2)
      var nilPoint: Point?
      var nilInt: Int?
      var nilDate: Date?
      var optionalDate: Date? = Date(timeIntervalSince1970: 1)
      var dates = [Date(timeIntervalSince1970: 0.5)]
      var optionals: [Int?] = [1, nil]
      var big: Int128 = 170_141_183_460_469_231_731_687_303_715_884_105_727
    }
    let everything = Everything()
    let row = Row(try everything.databaseDictionary)
    #expect(try Everything(row: row) == everything)
    #expect(try FetchableRecordDecoder().decode(Everything.self, from: row) == everything)
    let live = try inMemory { db in
      let names = row.columnNames.map(\.quotedDatabaseIdentifier)
      let sql = "SELECT \(names.map { "? AS \($0)" }.joined(separator: ", "))"
      return try Everything.fetchAll(db, sql: sql, arguments: StatementArguments(row.databaseValues))
    }
    #expect(live == [everything])
  }

  @Test func missingColumnsAreNilForOptionals() throws {
    struct Player: Decodable, FetchableRecord, Equatable {
      var id: Int
      var name: String?
      var date: Date?
      var point: Point?
      var points: [Point]?
      var author: Author?
    }
    #expect(try fetchRecord(Player.self, "SELECT 1 AS id") == Player(id: 1))
    #expect(
      try fetchRecord(
        Player.self, "SELECT 1 AS id, NULL AS name, NULL AS date, NULL AS point, NULL AS points, NULL AS author")
        == Player(id: 1))
  }

  @Test func columnLookupIgnoresCaseAndPrefersTheLeftmost() throws {
    struct Player: Decodable, FetchableRecord { var firstName: String }
    #expect(try fetchRecord(Player.self, "SELECT 'a' AS FIRSTNAME, 'b' AS firstName").firstName == "a")
  }

  @Test func optionalsCanBeDecodedManually() throws {
    struct Player: Decodable, FetchableRecord {
      var texts: [String]
      enum Key: String, CodingKey { case date, none, point, missing, missingPoint, int }
      static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        texts = [
          "\(try container.decode(Date?.self, forKey: .date)?.timeIntervalSince1970 ?? -1)",
          "\(try container.decode(Date?.self, forKey: .none) as Any)",
          "\(try container.decode(Point?.self, forKey: .point)?.x ?? -1)",
          "\(try container.decode(Int?.self, forKey: .missing) as Any)",
          "\(try container.decode(Point?.self, forKey: .missingPoint) as Any)",
          "\(try container.decode(Int?.self, forKey: .int) as Any)",
          "\(container.contains(.missing)) \(container.contains(.none)) \(try container.decodeNil(forKey: .none))",
          "\(container.allKeys.map(\.rawValue))",
        ]
      }
    }
    let player = try fetchRecord(
      Player.self, #"SELECT 5 AS date, NULL AS none, '{"x":7}' AS point, 3 AS int, 1 AS other"#)
    #expect(
      player.texts == [
        "5.0", "nil", "7", "nil", "nil", "Optional(3)", "false true true", #"["date", "none", "point", "int"]"#,
      ])
  }

  // MARK: - Errors

  private struct Strict: Decodable, FetchableRecord {
    var id: Int
    var n: String
  }

  @Test func undecodableValuesAreDescribed() throws {
    #expect(errorText { try Strict(row: ["id": 1]) } == #"column not found: "n" - row: [id:1]"#)
    #expect(
      errorText { try Strict(row: ["id": 1, "n": nil]) } == """
        could not decode String from database value NULL - column: "n", column index: 1, row: [id:1 n:NULL]
        """)
    #expect(
      errorText {
        try inMemory { try Strict.fetchAll($0, sql: "SELECT 1 AS id, NULL AS n WHERE ?", arguments: [1]) }
      } == """
        could not decode String from database value NULL - column: "n", column index: 1, row: [id:1 n:NULL], \
        sql: `SELECT 1 AS id, NULL AS n WHERE ?`, arguments: [1]
        """)
    #expect(throws: RowDecodingError.self) { try Strict(row: ["id": "abc", "n": ""]) }
  }

  @Test func unknownCasesAreDescribed() throws {
    struct Wine: Decodable, FetchableRecord { var kind: Grape }
    let text = errorText { try Wine(row: ["kind": "zzz"]) }
    #expect(text.contains("Cannot initialize Grape from invalid String value zzz"))
    #expect(text.contains("kind"))
    #expect(errorText { try Wine(row: ["id": 1]) } == #"column not found: "kind" - row: [id:1]"#)
    #expect(throws: RowDecodingError.self) { try Wine(row: ["kind": nil]) }
  }

  @Test func invalidJSONIsDescribed() throws {
    struct Player: Decodable, FetchableRecord { var points: [Point] }
    struct Map: Decodable, FetchableRecord { var map: [String: Int] }
    let corrupted = #expect(throws: DecodingError.self) { try Player(row: ["points": "{"]) }
    let null = #expect(throws: DecodingError.self) { try Player(row: ["points": nil]) }
    let absent = #expect(throws: DecodingError.self) { try Player(row: ["id": 1]) }
    let absentMap = #expect(throws: DecodingError.self) { try Map(row: ["id": 1]) }
    #expect("\(try #require(corrupted))".hasPrefix("DecodingError.dataCorrupted"))
    #expect("\(try #require(null))".contains("Missing Data"))
    #expect("\(try #require(absent))".contains("No available prefetched rows"))
    #expect("\(try #require(absentMap))".hasPrefix("DecodingError.keyNotFound"))
  }

  @Test func recordsWithoutKeysAreRefused() {
    struct Unkeyed: Decodable, FetchableRecord {
      init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
    }
    struct Single: Decodable, FetchableRecord {
      init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Int.self) }
    }
    struct Big: Decodable, FetchableRecord {
      init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Int128.self) }
    }
    let row: Row = ["id": 1]
    #expect(errorText { try Unkeyed(row: row) }.contains("unkeyed decoding from database row is not supported"))
    #expect(errorText { try Single(row: row) }.contains("single value decoding from database row is not supported"))
    #expect(errorText { try Big(row: row) }.contains("single value decoding from database row is not supported"))
  }

  @Test func userInfoReachesAllDecoders() throws {
    struct Marked: Decodable {
      var mark: String?
      init(from decoder: any Decoder) throws {
        _ = try decoder.unkeyedContainer()
        mark = decoder.userInfo[DecodableRecordTests.mark] as? String
      }
    }
    struct Player: Decodable, FetchableRecord {
      var own: String?
      var nested: Marked
      enum Key: String, CodingKey { case nested }
      static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [DecodableRecordTests.mark: "yes"] }
      init(from decoder: any Decoder) throws {
        own = decoder.userInfo[DecodableRecordTests.mark] as? String
        nested = try decoder.container(keyedBy: Key.self).decode(Marked.self, forKey: .nested)
      }
    }
    let player = try fetchRecord(Player.self, "SELECT '[]' AS nested")
    #expect(player.own == "yes")
    #expect(player.nested.mark == "yes")
  }

  static let mark = CodingUserInfoKey(rawValue: "mark").unsafelyUnwrapped

  // A cursor caches the decoder of a record type: another type in the same row must not use it.
  @Test func severalTypesDecodeTheSameRow() throws {
    struct Text: Decodable, FetchableRecord { var value: String }
    struct Number: Decodable, FetchableRecord { var value: Int }
    struct Optional: Decodable, FetchableRecord { var value: Date? }
    struct Snake: Decodable, FetchableRecord {
      var value: Int
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .custom { _ in CodingKeys.value } }
    }
    try inMemory { db in
      let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS value UNION ALL SELECT 2")
      var texts: [String] = []
      while let row = try rows.next() {
        texts.append(try Text(row: row).value)
        texts.append("\(try Number(row: row).value)")
        texts.append("\(try Optional(row: row).value?.timeIntervalSince1970 ?? 0)")
        texts.append("\(try Snake(row: row).value)")
      }
      #expect(texts == ["1", "1", "1.0", "1", "2", "2", "2.0", "2"])
    }
  }

  // MARK: - Other ways to decode

  private class Base: Decodable, FetchableRecord {
    var id: Int
    required init(from decoder: any Decoder) throws {
      id = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .id)
    }
    required init(row: Row) throws { id = try row.decode(forColumn: "id") }
    enum Key: String, CodingKey { case id, name, base }
  }

  private final class Derived: Base {
    var name: String
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      name = try container.decode(String.self, forKey: .name)
      try super.init(from: container.superDecoder())
    }
    required init(row: Row) throws {
      name = try row.decode(forColumn: "name")
      try super.init(row: row)
    }
  }

  @Test func subclassesDecodeTheirSuperclass() throws {
    let row: Row = ["id": 1, "name": "n"]
    let derived = try FetchableRecordDecoder().decode(Derived.self, from: row)
    #expect(derived.id == 1)
    #expect(derived.name == "n")
    #expect(try fetchRecord(Derived.self, "SELECT 2 AS id, 'm' AS name").id == 2)
  }

  @Test func recordsCanDecodeAsAnotherType() throws {
    struct Outer: Decodable, FetchableRecord {
      var inner: Author
      init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode(Author.self) }
    }
    #expect(try fetchRecord(Outer.self, "SELECT 1 AS id, 'n' AS name").inner == Author(id: 1, name: "n"))
  }

  @Test func nestedContainersAreDecodedFromJSONAndScopes() throws {
    struct Nested: Decodable, FetchableRecord {
      var x: Int
      var first: String
      var name: String
      enum Key: String, CodingKey { case point, list, author, x, name }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        x = try container.nestedContainer(keyedBy: Key.self, forKey: .point).decode(Int.self, forKey: .x)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        first = try list.decode(String.self)
        name = try container.nestedContainer(keyedBy: Key.self, forKey: .author).decode(String.self, forKey: .name)
      }
    }
    let sql = #"SELECT '{"x":3}' AS point, '["a","b"]' AS list, 'Frank' AS name"#
    let nested = try fetchRecord(
      Nested.self, sql, adapter: ScopeAdapter(base: RangeRowAdapter(0..<2), scopes: ["author": RangeRowAdapter(2..<3)]))
    #expect(nested.x == 3)
    #expect(nested.first == "a")
    #expect(nested.name == "Frank")
  }
}
