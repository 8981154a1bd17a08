import Foundation
import Testing
import Tidemark

@Suite struct DatabaseDateComponentsTests {
  typealias Format = DatabaseDateComponents.Format

  static let components = DateComponents(
    year: 2031, month: 4, day: 9, hour: 7, minute: 5, second: 3, nanosecond: 45_678_000)

  static let texts: [(Format, String)] = [
    (.YMD, "2031-04-09"), (.YMD_HM, "2031-04-09 07:05"), (.YMD_HMS, "2031-04-09 07:05:03"),
    (.YMD_HMSS, "2031-04-09 07:05:03.046"), (.HM, "07:05"), (.HMS, "07:05:03"), (.HMSS, "07:05:03.046"),
  ]

  @Test(arguments: texts) func componentsAreWritten(format: Format, text: String) throws {
    #expect(DatabaseDateComponents(Self.components, format: format).databaseValue == text.databaseValue)
  }

  @Test(arguments: texts) func componentsAreRead(format: Format, text: String) throws {
    for value in [
      try strictly(DatabaseDateComponents.self, "'\(text)'"), try fast(DatabaseDateComponents.self, "'\(text)'"),
    ] {
      let value = try #require(value)
      #expect(value.format == format)
      let hasDate = format.rawValue.hasPrefix("yyyy")
      #expect(value.dateComponents.year == (hasDate ? 2031 : nil))
      #expect(value.dateComponents.month == (hasDate ? 4 : nil))
      #expect(value.dateComponents.day == (hasDate ? 9 : nil))
      #expect(value.dateComponents.hour == (format.rawValue.contains("HH") ? 7 : nil))
      #expect(value.dateComponents.minute == (format.rawValue.contains("mm") ? 5 : nil))
      #expect(value.dateComponents.second == (format.rawValue.contains("ss") ? 3 : nil))
      #expect(value.dateComponents.nanosecond == (format.rawValue.contains("SSS") ? 46_000_000 : nil))
      #expect(value.dateComponents.timeZone == nil)
      #expect(value.databaseValue == text.databaseValue)
    }
  }

  @Test(
    arguments: [
      (.YMD, "0000-01-01"), (.YMD_HM, "0000-01-01 00:00"), (.YMD_HMS, "0000-01-01 00:00:00"),
      (.YMD_HMSS, "0000-01-01 00:00:00.000"), (.HM, "00:00"), (.HMS, "00:00:00"), (.HMSS, "00:00:00.000"),
    ] as [(Format, String)])
  func missingComponentsHaveDefaults(format: Format, text: String) {
    #expect(DatabaseDateComponents(DateComponents(), format: format).databaseValue == text.databaseValue)
  }

  @Test(
    arguments: [
      (9999, "9999-01-01"), (10_000, nil), (.max - 1, nil), (-4713, "-4713-01-01"), (-4714, nil), (.min, nil),
    ] as [(Int, String?)])
  func yearsThatSQLiteDoesNotReadAreNull(year: Int, text: String?) throws {
    let components = DatabaseDateComponents(DateComponents(year: year), format: .YMD)
    #expect(components.databaseValue == text?.databaseValue ?? .null)
    #expect(try inMemory { try String.fetchOne($0, sql: "SELECT ?", arguments: [components]) } == text)
    let time = DatabaseDateComponents(DateComponents(year: year, hour: 7), format: .HM)
    #expect(time.databaseValue == "07:00".databaseValue)
  }

  @Test(arguments: [("07:05Z", 0), ("07:05:03+02:30", 9000), ("2031-04-09 07:05-01:00", -3600)])
  func timeZonesAreRead(text: String, seconds: Int) throws {
    let value = try #require(DatabaseDateComponents.fromDatabaseValue(text.databaseValue))
    #expect(value.dateComponents.timeZone?.secondsFromGMT() == seconds)
  }

  @Test func fractionsAreReadAsWholeMilliseconds() throws {
    func nanosecond(_ text: String) -> Int? {
      DatabaseDateComponents.fromDatabaseValue(text.databaseValue)?.dateComponents.nanosecond
    }
    #expect(nanosecond("07:05:03.123456") == 123_000_000)
    #expect(nanosecond("07:05:03.1") == 100_000_000)
  }

  @Test func nanosecondsAreNeverRoundedUpToTheNextSecond() {
    let components = DateComponents(second: 59, nanosecond: 999_999_999)
    #expect(DatabaseDateComponents(components, format: .HMSS).databaseValue == "00:00:59.999".databaseValue)
  }

  @Test func componentsOutOfRangeAreWrittenInFull() {
    let components = DateComponents(year: 2031, month: .min, day: 123, nanosecond: .min)
    #expect(
      DatabaseDateComponents(components, format: .YMD_HMSS).databaseValue
        == "2031--9223372036854775808-123 00:00:00.000".databaseValue)
  }

  @Test(arguments: [
    "7:05", "2031-4-9", "2031-04-09 ", "07:05:03.", "2031-04-09Z", "20310409", "now", "", "2031-13-01", "2031-02-29",
    "0000-00-00", "24:00", "25:00", "23:60", "23:59:60",
  ])
  func invalidDatesAreRefused(text: String) throws {
    #expect(try strictly(DatabaseDateComponents.self, "'\(text)'") == nil)
    #expect(try fast(DatabaseDateComponents.self, "'\(text)'") == nil)
  }

  @Test func copiesReadOnlyText() throws {
    #expect(try strictly(DatabaseDateComponents.self, "x'30373a3035'") == nil)
    #expect(try fast(DatabaseDateComponents.self, "x'30373a3035'")?.format == .HM)
    #expect(try strictly(DatabaseDateComponents.self, "1000") == nil)
    #expect(try strictly(DatabaseDateComponents.self, "1.5") == nil)
    #expect(try strictly(DatabaseDateComponents.self, "NULL") == nil)
  }

  @Test(arguments: texts) func codedFormIsTheSameText(format: Format, text: String) throws {
    let json = try JSONEncoder().encode([DatabaseDateComponents(Self.components, format: format)])
    #expect(String(decoding: json, as: UTF8.self) == "[\"\(text)\"]")
    let decoded = try JSONDecoder().decode([DatabaseDateComponents].self, from: json)[0]
    #expect(decoded.format == format)
    #expect(decoded.databaseValue == text.databaseValue)
  }

  @Test func invalidCodedDatesThrow() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([DatabaseDateComponents].self, from: Data("[\"now\"]".utf8))
    }
  }
}
