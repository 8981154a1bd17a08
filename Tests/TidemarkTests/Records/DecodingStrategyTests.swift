import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Strategies for decoding dates, data, and the keys of columns.
@Suite struct DecodingStrategyTests {
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

  @Test func dateStrategiesApply() throws {
    let sql = """
      SELECT 10.5 AS reference, 10.5 AS seconds, 10500 AS milliseconds, '2001-09-09T01:46:40Z' AS iso,
      '1970/01/02' AS formatted, 1 AS custom, '1970-01-01 00:00:01' AS plain
      """
    for dated in [try fetchRecord(Dated.self, sql), try Dated(row: firstRow(sql))] {
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
    ("2020-02-29T12:00:00Z", 1_582_977_600), ("2016-12-31T23:59:60Z", 1_483_228_800),
    ("2020-02-29T12:00:00-02:00", 1_582_984_800), ("1969-12-31T23:59:59Z", -1),
  ])
  func iso8601DatesAreRead(text: String, seconds: Int) throws {
    let dated = try fetchRecord(Dated.self, "SELECT '\(text)' AS iso")
    #expect(dated.iso == Date(timeIntervalSince1970: Double(seconds)))
  }

  @Test(arguments: [
    "SELECT 'x' AS iso", "SELECT 5 AS iso", "SELECT '2001-09-09 01:46:40' AS iso", "SELECT 'x' AS formatted",
    "SELECT 2 AS custom", "SELECT 'x' AS plain",
    // Foundation reads these as later dates.
    "SELECT '2020-02-30T00:00:00Z' AS iso", "SELECT '2021-02-29T00:00:00+02:00' AS iso",
    "SELECT '2020-4-31T00:00:00Z' AS iso", "SELECT '2020-01-01T24:00:00Z' AS iso",
    "SELECT '2020-01-01T23:60:00Z' AS iso", "SELECT '2020-01-01T23:59:61Z' AS iso",
  ])
  func invalidDatesAreRefused(sql: String) throws {
    let text = errorText { try fetchRecord(Dated.self, sql) }
    #expect(text.hasPrefix("could not decode Date from database value"))
    #expect(text.contains("column: \"\(try #require(sql.split(separator: " ").last))\""))
  }

  @Test func dataStrategiesApply() throws {
    struct Player: Decodable, FetchableRecord {
      var blob: Data
      var custom: Data
      static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        column == "custom" ? .custom { $0.isNull ? nil : Data("c".utf8) } : .deferredToData
      }
    }
    let player = try fetchRecord(Player.self, "SELECT x'01' AS blob, 5 AS custom")
    #expect(player.blob == Data([1]))
    #expect(player.custom == Data("c".utf8))
    #expect(throws: RowDecodingError.self) { try Player(row: ["blob": Data(), "custom": nil]) }
  }

  @Test(arguments: [
    ("created_at", "createdAt"), ("id", "id"), ("_my_id_", "_myId_"), ("ID", "ID"), ("__", "__"), ("", ""),
    ("a__b", "aB"), ("player_URL", "playerUrl"),
  ])
  func snakeCaseColumnsDecodeCamelCaseKeys(column: String, key: String) {
    #expect(column.convertedFromSnakeCase == key)
  }

  @Test func columnStrategiesApply() throws {
    struct Snake: Decodable, FetchableRecord {
      var createdAt: Date
      var jsonData: [Int]
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .convertFromSnakeCase }
      static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        column == "created_at" ? .timeIntervalSinceReferenceDate : .deferredToDate
      }
    }
    let snake = try fetchRecord(Snake.self, "SELECT 5 AS created_at, '[1]' AS json_data")
    #expect(snake.createdAt == Date(timeIntervalSinceReferenceDate: 5))
    #expect(snake.jsonData == [1])
    struct Custom: Decodable, FetchableRecord {
      var id: Int
      enum CodingKeys: String, CodingKey { case id }
      static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .custom { CodingKeys(stringValue: String($0.dropFirst())) ?? CodingKeys.id }
      }
    }
    #expect(try fetchRecord(Custom.self, "SELECT 1 AS _id").id == 1)
  }

  // It was read as a number, or as a text, on the way.
  @Test(arguments: ["reference", "seconds", "milliseconds", "iso", "formatted", "plain"])
  func theErrorNamesTheTypeOfTheProperty(column: String) throws {
    let row = try firstRow("SELECT x'00ff' AS \(column)")
    #expect(
      errorText { try Dated(row: row) }
        == "could not decode Date from database value Data(2 bytes) - column: \"\(column)\", column index: 0, row: \(row)"
    )
  }

  @Test func errorsOfInvalidJSONNameThePropertyType() throws {
    struct Team: Decodable, FetchableRecord { var names: [String] }
    #expect(
      errorText { try Team(row: firstRow("SELECT 5 AS names")) }
        == #"could not decode Array<String> from database value 5 - column: "names", column index: 0, row: [names:5]"#)
  }

  @Test func anErrorThroughAnAdapterHasItsRowAndItsIndex() throws {
    struct Item: Decodable, FetchableRecord { var id: UUID }
    struct Plain: FetchableRecord {
      var id: UUID
      init(row: Row) throws { id = try row.decode(forColumn: "id") }
    }
    let sql = "SELECT 1 AS a, 2 AS b, 'x' AS id"
    let adapter = SuffixRowAdapter(fromIndex: 1)
    let found = #"could not decode UUID from database value "x" - column: "id", column index: 1, row: [b:2 id:"x"]"#
    try inMemory { db throws in
      #expect(errorText { try Item.fetchAll(db, sql: sql, adapter: adapter) }.hasPrefix(found))
      #expect(errorText { try Plain.fetchAll(db, sql: sql, adapter: adapter) }.hasPrefix(found))
      #expect(errorText { try Item(row: Row.fetchAll(db, sql: sql, adapter: adapter)[0]) } == found)
      #expect(
        errorText { try UUID.fetchAll(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 2)) }.hasPrefix(
          #"could not decode UUID from database value "x" - column: "id", column index: 0, row: [id:"x"]"#))
      let scope = ScopeAdapter(["item": SuffixRowAdapter(fromIndex: 1)])
      let row = try #require(try Row.fetchOne(db, sql: sql, adapter: scope))
      #expect(errorText { try row.decode(Item.self, forKey: "item") } == found)
    }
  }

  @Test func aTextThatIsRefusedThroughAnAdapterHasTheIndexOfTheAdapter() throws {
    var configuration = Configuration()
    configuration.invalidTextPolicy = .refuse
    try inMemory(configuration) { db throws in
      let sql = "SELECT 1 AS a, 2 AS b, CAST(x'ff' AS TEXT) AS c"
      #expect(
        errorText { try Row.fetchAll(db, sql: sql, adapter: SuffixRowAdapter(fromIndex: 1)) }.contains(
          "column: \"c\", column index: 1, row: [b:2 c:\"\u{FFFD}\"]"))
    }
  }
}
