import Foundation
import Testing

@testable import Tidemark

private enum Grape: String, Codable { case chardonnay, merlot }
private struct Point: Codable, Equatable { var x: Int; var y: Int? }

private struct Author: Decodable, FetchableRecord, Hashable {
  var id: Int64
  var name: String?
}

/// A record whose own `init(row:)` shows that it was asked.
private struct Label: Decodable, FetchableRecord, Equatable {
  var name: String
  init(row: Row) throws { name = "row " + (try row.decode(forColumn: "name") as String) }
  init(from decoder: any Decoder) throws { fatalError("init(row:) is to be asked") }
}

/// Both from a running statement and from a copy.
private func decode<Record: FetchableRecord>(
  _ type: Record.Type, _ sql: String, adapter: (any RowAdapter)? = nil
) throws -> Record {
  let live = try inMemory { try Record.fetchOne($0, sql: sql, adapter: adapter) }
  return try #require(live)
}

/// Records that decode themselves.
@Suite struct DecodableRecordTests {
  @Test func valuesAreReadFromTheirColumns() throws {
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

  @Test func aMissingColumnIsNilForAnOptional() throws {
    struct Player: Decodable, FetchableRecord, Equatable {
      var id: Int
      var name: String?
      var date: Date?
      var point: Point?
      var points: [Point]?
      var author: Author?
    }
    #expect(try decode(Player.self, "SELECT 1 AS id") == Player(id: 1))
    #expect(
      try decode(
        Player.self, "SELECT 1 AS id, NULL AS name, NULL AS date, NULL AS point, NULL AS points, NULL AS author")
        == Player(id: 1))
  }

  @Test func caseDoesNotCountAndTheLeftmostColumnIsMeant() throws {
    struct Player: Decodable, FetchableRecord { var firstName: String }
    #expect(try decode(Player.self, "SELECT 'a' AS FIRSTNAME, 'b' AS firstName").firstName == "a")
  }

  @Test func optionalsMayBeDecodedByHand() throws {
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
    let player = try decode(Player.self, #"SELECT 5 AS date, NULL AS none, '{"x":7}' AS point, 3 AS int, 1 AS other"#)
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

  @Test func whatCannotBeDecodedIsSaid() throws {
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

  @Test func anUnknownCaseIsSaid() throws {
    struct Wine: Decodable, FetchableRecord { var kind: Grape }
    let text = errorText { try Wine(row: ["kind": "zzz"]) }
    #expect(text.contains("Cannot initialize Grape from invalid String value zzz"))
    #expect(text.contains("kind"))
    #expect(errorText { try Wine(row: ["id": 1]) } == #"column not found: "kind" - row: [id:1]"#)
    #expect(throws: RowDecodingError.self) { try Wine(row: ["kind": nil]) }
  }

  @Test func jsonThatIsWrongMissingOrNullIsSaid() throws {
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

  @Test func aRecordWithoutKeysIsRefused() {
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

  // MARK: - Strategies

  private struct Dated: Decodable, FetchableRecord {
    var reference: Date?
    var seconds: Date?
    var milliseconds: Date?
    var iso: Date?
    var formatted: Date?
    var custom: Date?
    var plain: Date?

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      switch column {
      case "reference": return .timeIntervalSinceReferenceDate
      case "seconds": return .timeIntervalSince1970
      case "milliseconds": return .millisecondsSince1970
      case "iso": return .iso8601
      case "formatted":
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy/MM/dd"
        return .formatted(formatter)
      case "custom": return .custom { $0 == 1.databaseValue ? Date(timeIntervalSince1970: 77) : nil }
      default: return .deferredToDate
      }
    }
  }

  @Test func datesAreReadAsTheStrategySays() throws {
    let sql = """
      SELECT 10.5 AS reference, 10.5 AS seconds, 10500 AS milliseconds, '2001-09-09T01:46:40Z' AS iso,
      '1970/01/02' AS formatted, 1 AS custom, '1970-01-01 00:00:01' AS plain
      """
    for dated in [try decode(Dated.self, sql), try Dated(row: firstRow(sql))] {
      #expect(dated.reference == Date(timeIntervalSinceReferenceDate: 10.5))
      #expect(dated.seconds == Date(timeIntervalSince1970: 10.5))
      #expect(dated.milliseconds == Date(timeIntervalSince1970: 10.5))
      #expect(dated.iso == Date(timeIntervalSince1970: 1_000_000_000))
      #expect(dated.formatted == Date(timeIntervalSince1970: 86_400))
      #expect(dated.custom == Date(timeIntervalSince1970: 77))
      #expect(dated.plain == Date(timeIntervalSince1970: 1))
    }
  }

  @Test(arguments: [
    "SELECT 'x' AS iso", "SELECT 5 AS iso", "SELECT '2001-09-09 01:46:40' AS iso", "SELECT 'x' AS formatted",
    "SELECT 2 AS custom", "SELECT 'x' AS plain",
  ])
  func whatIsNoDateIsRefused(sql: String) throws {
    let text = errorText { try decode(Dated.self, sql) }
    #expect(text.hasPrefix("could not decode Date from database value"))
    #expect(text.contains("column: \"\(try #require(sql.split(separator: " ").last))\""))
  }

  @Test func dataIsReadAsTheStrategySays() throws {
    struct Player: Decodable, FetchableRecord {
      var blob: Data
      var custom: Data
      static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        column == "custom" ? .custom { $0.isNull ? nil : Data("c".utf8) } : .deferredToData
      }
    }
    let player = try decode(Player.self, "SELECT x'01' AS blob, 5 AS custom")
    #expect(player.blob == Data([1]))
    #expect(player.custom == Data("c".utf8))
    #expect(throws: RowDecodingError.self) { try Player(row: ["blob": Data(), "custom": nil]) }
  }

  @Test(arguments: [
    ("created_at", "createdAt"), ("id", "id"), ("_my_id_", "_myId_"), ("ID", "ID"), ("__", "__"), ("", ""),
    ("a__b", "aB"), ("player_URL", "playerUrl"),
  ])
  func aColumnInCamelCase(column: String, key: String) {
    #expect(column.convertedFromSnakeCase == key)
  }

  @Test func columnsBecomeKeysAsTheStrategySays() throws {
    struct Snake: Decodable, FetchableRecord {
      var createdAt: Date
      var jsonData: [Int]
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
      static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        column == "created_at" ? .timeIntervalSinceReferenceDate : .deferredToDate
      }
    }
    let snake = try decode(Snake.self, "SELECT 5 AS created_at, '[1]' AS json_data")
    #expect(snake.createdAt == Date(timeIntervalSinceReferenceDate: 5))
    #expect(snake.jsonData == [1])
    struct Custom: Decodable, FetchableRecord {
      var id: Int
      enum CodingKeys: String, CodingKey { case id }
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .custom { CodingKeys(stringValue: String($0.dropFirst())) ?? CodingKeys.id }
      }
    }
    #expect(try decode(Custom.self, "SELECT 1 AS _id").id == 1)
  }

  @Test func userInfoReachesTheDecodersOfTheRecordAndOfItsJSON() throws {
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
    let player = try decode(Player.self, "SELECT '[]' AS nested")
    #expect(player.own == "yes")
    #expect(player.nested.mark == "yes")
  }

  static let mark = CodingUserInfoKey(rawValue: "mark").unsafelyUnwrapped

  // A cursor keeps what it learned of a record for the next one: another type through the same window must not take it.
  @Test func severalTypesAreReadThroughTheSameWindow() throws {
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

  // MARK: - Rows inside rows

  private static let joined = "SELECT 1 AS id, 'Dune' AS title, 7 AS id, 'Frank' AS name, NULL AS id, NULL AS name"
  private static let adapter = ScopeAdapter(
    base: RangeRowAdapter(0..<2),
    scopes: [
      "author": ScopeAdapter(base: RangeRowAdapter(2..<4), scopes: ["deep": RangeRowAdapter(2..<4)]),
      "nobody": RangeRowAdapter(4..<6),
    ])

  @Test func scopesBecomeRecords() throws {
    struct Book: Decodable, FetchableRecord {
      var title: String
      var author: Author
      var deep: Author?
      var nobody: Author?
      var missing: Author?
    }
    let book = try decode(Book.self, Self.joined, adapter: Self.adapter)
    #expect(book.author == Author(id: 7, name: "Frank"))
    #expect(book.deep == Author(id: 7, name: "Frank"))
    #expect(book.nobody == nil)
    #expect(book.missing == nil)
  }

  @Test func aRecordInsideIsMadeByItsOwnInitializer() throws {
    struct Book: Decodable, FetchableRecord {
      var author: Label
      var nobody: Label?
      var labels: [Label]?
    }
    let book = try decode(Book.self, Self.joined, adapter: Self.adapter)
    #expect(book.author.name == "row Frank")
    #expect(book.nobody == nil)
    let row = try firstRow(Self.joined, adapter: Self.adapter)
    row.prefetched = ["labels": [["name": "a"], ["name": "b"]]]
    #expect(try Book(row: row).labels?.map(\.name) == ["row a", "row b"])
  }

  @Test func aScopeOfNullsIsRefusedWhereARecordIsNeeded() throws {
    struct Book: Decodable, FetchableRecord { var nobody: Author }
    #expect(
      errorText { try Book(row: firstRow(Self.joined, adapter: Self.adapter)) }
        == #"scope "nobody" only contains null values - row: [id:1 title:"Dune"]"#)
  }

  @Test func aStructureWithoutScopeIsReadFromTheRowItself() throws {
    struct Book: Decodable, FetchableRecord {
      struct Base: Decodable { var id: Int; var title: String }
      var base: Base
      var record: Author
    }
    let book = try decode(Book.self, "SELECT 1 AS id, 'Dune' AS title, 'n' AS name")
    #expect(book.base.title == "Dune")
    #expect(book.record == Author(id: 1, name: "n"))
  }

  @Test func rowsLoadedAlongBecomeCollections() throws {
    struct Book: Decodable, FetchableRecord {
      struct Plain: Decodable, Hashable { var name: String }
      var authors: [Author]
      var set: Set<Author>
      var plains: [Plain]
      var optional: [Author]?
      var none: [Author]?
    }
    let row = try firstRow("SELECT 1 AS id")
    let authors: [Row] = [["id": 1, "name": "a"], ["id": 2, "name": "b"], ["id": 1, "name": "a"]]
    row.prefetched = ["authors": authors, "set": authors, "plains": authors, "optional": []]
    let book = try Book(row: row)
    #expect(book.authors.map(\.id) == [1, 2, 1])
    #expect(book.set.count == 2)
    #expect(book.plains.map(\.name) == ["a", "b", "a"])
    #expect(book.optional == [])
    #expect(book.none == nil)
    row.prefetched = ["authors": authors]
    #expect(errorText { try Book(row: row) }.contains(#"Available keys for prefetched rows: ["authors"]"#))
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

  @Test func classesDecodeThemselvesAlongWithTheirSuperclasses() throws {
    let row: Row = ["id": 1, "name": "n"]
    let derived = try FetchableRecordDecoder().decode(Derived.self, from: row)
    #expect(derived.id == 1)
    #expect(derived.name == "n")
    #expect(try decode(Derived.self, "SELECT 2 AS id, 'm' AS name").id == 2)
  }

  @Test func aRecordMayDecodeItselfAsAnother() throws {
    struct Outer: Decodable, FetchableRecord {
      var inner: Author
      init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode(Author.self) }
    }
    #expect(try decode(Outer.self, "SELECT 1 AS id, 'n' AS name").inner == Author(id: 1, name: "n"))
  }

  @Test func containersInsideAreReadFromJSONAndScopes() throws {
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
    let nested = try decode(
      Nested.self, sql, adapter: ScopeAdapter(base: RangeRowAdapter(0..<2), scopes: ["author": RangeRowAdapter(2..<3)]))
    #expect(nested.x == 3)
    #expect(nested.first == "a")
    #expect(nested.name == "Frank")
  }
}
