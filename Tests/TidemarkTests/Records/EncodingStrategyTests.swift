import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Strategies for encoding dates, data, UUIDs, and the keys of columns.
@Suite struct EncodingStrategyTests {
  private struct Dated<Strategy: DateStrategy>: Encodable, EncodableRecord {
    var date: Date
    var optional: Date? = nil
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { Strategy.strategy }
  }

  private protocol DateStrategy { static var strategy: DatabaseDateEncodingStrategy { get } }
  private enum Deferred: DateStrategy { static var strategy: DatabaseDateEncodingStrategy { .deferredToDate } }
  private enum Reference: DateStrategy {
    static var strategy: DatabaseDateEncodingStrategy { .timeIntervalSinceReferenceDate }
  }
  private enum Interval: DateStrategy { static var strategy: DatabaseDateEncodingStrategy { .timeIntervalSince1970 } }
  private enum Seconds: DateStrategy { static var strategy: DatabaseDateEncodingStrategy { .secondsSince1970 } }
  private enum Milliseconds: DateStrategy {
    static var strategy: DatabaseDateEncodingStrategy { .millisecondsSince1970 }
  }
  private enum ISO: DateStrategy { static var strategy: DatabaseDateEncodingStrategy { .iso8601 } }
  private enum Formatted: DateStrategy {
    static var strategy: DatabaseDateEncodingStrategy {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(secondsFromGMT: 0)
      formatter.dateFormat = "yyyy/MM/dd"
      return .formatted(formatter)
    }
  }
  private enum Custom: DateStrategy {
    static var strategy: DatabaseDateEncodingStrategy {
      .custom { $0.timeIntervalSince1970 < 0 ? nil : "after" }
    }
  }

  private func stored<Strategy: DateStrategy>(_: Strategy.Type, _ seconds: Double) throws -> String {
    try columns(of: Dated<Strategy>(date: Date(timeIntervalSince1970: seconds)))
  }

  @Test func dateEncodingStrategiesApply() throws {
    #expect(try stored(Deferred.self, 1_000_000_000.5) == #"date="2001-09-09 01:46:40.500" optional=NULL"#)
    #expect(try stored(Interval.self, 1_000_000_000.5) == "date=1000000000.5 optional=NULL")
    #expect(try stored(Reference.self, 1_000_000_000.5) == "date=21692800.5 optional=NULL")
    #expect(try stored(Seconds.self, 1_000_000_000.5) == "date=1000000000 optional=NULL")
    #expect(try stored(Seconds.self, 1.56789) == "date=1 optional=NULL")
    #expect(try stored(Milliseconds.self, 1_000_000_000.5) == "date=1000000000500 optional=NULL")
    #expect(try stored(Milliseconds.self, 1.56789) == "date=1567 optional=NULL")
    #expect(try stored(ISO.self, 1_000_000_000.5) == #"date="2001-09-09T01:46:40Z" optional=NULL"#)
    #expect(try stored(ISO.self, 1.56789) == #"date="1970-01-01T00:00:01Z" optional=NULL"#)
    #expect(try stored(Formatted.self, 0) == #"date="1970/01/01" optional=NULL"#)
    #expect(try stored(Custom.self, 0) == #"date="after" optional=NULL"#)
    #expect(try stored(Custom.self, -1) == "date=NULL optional=NULL")
  }

  @Test func distantDatesAreRefusedAsIntegers() {
    #expect(throws: EncodingError.self) { try stored(Seconds.self, 1e300) }
    #expect(throws: EncodingError.self) { try stored(Milliseconds.self, .infinity) }
  }

  @Test func dataEncodingStrategiesApply() throws {
    struct Player: Encodable, EncodableRecord {
      var blob: Data
      var text: Data
      var custom: Data
      static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        switch column {
        case "text": .text
        case "custom": .custom { $0.isEmpty ? nil : $0.count }
        default: .deferredToData
        }
      }
    }
    let foo = Data("foo".utf8)
    #expect(
      try columns(of: Player(blob: foo, text: foo, custom: foo)) == #"blob=Data(3 bytes) text="foo" custom=3"#)
    #expect(
      try columns(of: Player(blob: Data(), text: Data(), custom: Data())) == #"blob=Data(0 bytes) text="" custom=NULL"#)
    #expect(
      errorText { try columns(of: Player(blob: foo, text: Data([0xff]), custom: foo)) }
        .contains("Non-UTF8 data can't be encoded as text in the database"))
  }

  @Test func uuidEncodingStrategiesApply() throws {
    struct Player: Encodable, EncodableRecord {
      var blob: UUID
      var upper: UUID
      var lower: UUID
      static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        switch column {
        case "upper": .uppercaseString
        case "lower": .lowercaseString
        default: .deferredToUUID
        }
      }
    }
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(
      try columns(of: Player(blob: uuid, upper: uuid, lower: uuid)) == """
        blob=Data(16 bytes) upper="E621E1F8-C36C-495A-93FC-0C247A3E6E5F" lower="e621e1f8-c36c-495a-93fc-0c247a3e6e5f"
        """)
  }

  @Test(arguments: [
    ("createdAt", "created_at"), ("myData", "my_data"), ("uniqueID", "unique_id"), ("myURLProperty", "my_url_property"),
    ("id", "id"), ("", ""), ("_id", "_id"), ("userID2", "user_id2"), ("aB", "a_b"), ("éÀç", "é_àç"),
  ])
  func camelCaseKeysEncodeAsSnakeCase(key: String, column: String) {
    #expect(key.convertedToSnakeCase == column)
  }

  @Test func columnEncodingStrategiesApply() throws {
    struct Snake: Encodable, EncodableRecord {
      var createdAt = Date(timeIntervalSince1970: 0)
      var jsonData = [1]
      var isNil: Int?
      static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
      static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        column == "created_at" ? .secondsSince1970 : .deferredToDate
      }
      static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        if column == "jsonData" { encoder.outputFormatting = .prettyPrinted }
        return encoder
      }
    }
    #expect(try columns(of: Snake()) == #"created_at=0 json_data="[\n  1\n]" is_nil=NULL"#)
    struct Custom: Encodable, EncodableRecord {
      var id = 1
      static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .custom { "_\($0.stringValue)" } }
    }
    #expect(try columns(of: Custom()) == "_id=1")
  }
}
