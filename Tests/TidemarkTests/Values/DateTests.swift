import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

@Suite struct DateTests {
  static let date = Date(timeIntervalSince1970: 1_933_484_703.046)

  @Test func datesAreStoredAsUTCText() throws {
    #expect(try stored(Self.date) == "'2031-04-09 07:05:03.046'")
    #expect(Self.date.databaseValue == "2031-04-09 07:05:03.046".databaseValue)
  }

  @Test func datesAreRoundedToMilliseconds() throws {
    #expect(try stored(Date(timeIntervalSince1970: 1_700_000_000.1239)) == "'2023-11-14 22:13:20.124'")
    #expect(try stored(Date(timeIntervalSince1970: 1_700_000_000.1234)) == "'2023-11-14 22:13:20.123'")
    #expect(try stored(Date(timeIntervalSince1970: 1_700_000_000.9996)) == "'2023-11-14 22:13:21.000'")
    #expect(try stored(Date(timeIntervalSince1970: -0.0004)) == "'1970-01-01 00:00:00.000'")
    #expect(try stored(Date(timeIntervalSince1970: -0.0006)) == "'1969-12-31 23:59:59.999'")
    #expect(try stored(Date(timeIntervalSinceReferenceDate: -1e-20)) == "'2001-01-01 00:00:00.000'")
  }

  @Test(arguments: [
    1_933_484_703.046, 0, -1, -0.001, 951_782_400, -62_167_219_200, -62_167_219_200.001, 253_402_300_799.999,
    253_402_300_800,
    .nan, .infinity, -.infinity, 1e15, -1e15, 1e300, .greatestFiniteMagnitude, 1e-300,
  ])
  func boundDatesEqualTheirDatabaseValue(seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(try bound(date) == stored(date))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 0x1p53])
  func invalidDatesAreStoredAsNull(seconds: Double) {
    #expect(Date(timeIntervalSinceReferenceDate: seconds).databaseValue.isNull)
  }

  @Test func extremeDatesRoundTrip() throws {
    for date in [
      Date.distantPast, .distantFuture, Date(millisecondsSince1970: 253_402_300_799_999),
      Date(millisecondsSince1970: -210_866_760_000_000),
    ] {
      #expect(try roundTrip(date) == (date, date))
    }
  }

  // SQLite's functions read no text of such a date.
  @Test(arguments: [253_402_300_800_000, 9_999_999_999_999_000, -210_866_760_000_001, -9_999_999_999_999_000])
  func aDateOutsideOfTheYearsOfSQLiteIsNull(milliseconds: Int) throws {
    let date = Date(millisecondsSince1970: milliseconds)
    #expect(date.databaseValue.isNull)
    #expect(try bound(date) == "NULL")
    struct Event: Encodable, EncodableRecord { var date: Date }
    #expect(errorText { try columns(of: Event(date: date)) }.contains("SQLite cannot store the date as text"))
  }

  @Test func theFirstAndLastDatesAreReadBySQLite() throws {
    try DatabaseQueue().read { db throws in
      for (milliseconds, text) in [
        (253_402_300_799_999, "9999-12-31 23:59:59"), (-210_866_760_000_000, "-4713-11-24 12:00:00"),
      ] {
        let date = Date(millisecondsSince1970: milliseconds)
        #expect(try String.fetchOne(db, sql: "SELECT datetime(?)", arguments: [date]) == text)
      }
    }
  }

  @Test(
    arguments: [
      ("'2031-04-09'", 1_933_459_200), ("'2031-04-09 07:05'", 1_933_484_700), ("'2031-04-09T07:05:03'", 1_933_484_703),
      ("'2031-04-09 07:05:03.75'", 1_933_484_703.75), ("'2031-04-09 07:05Z'", 1_933_484_700),
      ("'2031-04-09 07:05+02:00'", 1_933_477_500), ("'2031-04-09 07:05:03.5-01:30'", 1_933_490_103.5),
      ("'2032-02-29'", 1_961_625_600), ("'2000-02-29 23:59:59'", 951_868_799), ("'0000-01-01'", -62_167_219_200),
      ("0", 0), ("1700000000", 1_700_000_000),
      ("-1", -1), ("1.5", 1.5), ("-0.25", -0.25), ("9223372036854775807", 0x1p63),
    ] as [(String, Double)])
  func datesInTextAreRead(expression: String, seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(try strictly(Date.self, expression) == date)
    #expect(try fast(Date.self, expression) == date)
  }

  @Test(arguments: [
    "'1000'", "'07:05'", "'07:05:03'", "'07:05:03.046'", "'not a date'", "''", "'2031-04-09 '",
    "x'323033312d30342d3039'", "x''",
    "9e999", "-9e999", "'now'", "'2460000.5'", "'2031-04-09' || char(0)",
    "'2031-13-01'", "'2031-00-01'", "'2031-04-00'", "'2031-04-31'", "'2031-06-31'", "'2031-09-31'", "'2031-11-31'",
    "'2031-01-32'", "'2031-02-29'", "'2100-02-29'", "'2020-02-30'", "'0000-00-00'", "'2031-13-40'", "'9999-99-99'",
    "'2031-04-09 24:00'", "'2031-04-09 25:00'", "'2031-04-09 23:60'", "'2031-04-09T23:59:60'",
    "'0000-00-00 00:00:00.000'", "'2031-02-29 07:05:03.046'", "'2031-04-09 24:00:00.000'", "'2031-04-09 07:60:00.000'",
    "'2031-04-09 07:05:60.000'", "'2031-04-09 07:05+02:60'", "'+10000-02-30'",
  ])
  func invalidDatesAreRefused(expression: String) throws {
    #expect(try strictly(Date.self, expression) == nil)
    #expect(try fast(Date.self, expression) == nil)
    #expect(throws: RowDecodingError.self) {
      try DatabaseQueue().read { db in _ = try Date.fetchAll(db, sql: "SELECT \(expression)") }
    }
  }

  @Test func nullIsNoDate() throws {
    #expect(try strictly(Date.self, "NULL") == nil)
    #expect(try DatabaseQueue().read { try Date?.fetchAll($0, sql: "SELECT NULL") } == [nil])
  }

  @Test func datesAreReadFromUTF16() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.writeWithoutTransaction { db in
      try db.execute(
        sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(d); INSERT INTO t VALUES ('2031-04-09 07:05:03.5')")
      #expect(try Date.fetchOne(db, sql: "SELECT d FROM t") == Date(timeIntervalSince1970: 1_933_484_703.5))
    }
  }

  @Test func datesWrittenBySQLiteAreRead() throws {
    var random = ValueRandom()
    try DatabaseQueue().read { db in
      for _ in 0..<1000 {
        let seconds = Int.random(in: -62_167_219_200...253_402_300_799, using: &random)
        let row = try Row.fetchOne(
          db,
          sql: """
            SELECT datetime(:s, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%S', :s, 'unixepoch'),
              strftime('%Y-%m-%d %H:%M:%fZ', :s, 'unixepoch'), strftime('%Y-%m-%d %H:%M:%S-02:00', :s - 7200, 'unixepoch')
            """, arguments: ["s": seconds])!
        let date = Date(timeIntervalSince1970: Double(seconds))
        for index in 0..<4 { #expect(Date.fromDatabaseValue(row[index]) == date) }
      }
    }
  }

  @Test func datesBeforeYearZeroWrittenBySQLiteAreRead() throws {
    var random = ValueRandom()
    try DatabaseQueue().read { db in
      for _ in 0..<1000 {
        let seconds = Int.random(in: -210_866_760_000 ... -62_167_219_201, using: &random)
        let text = try String.fetchOne(db, sql: "SELECT datetime(?, 'unixepoch')", arguments: [seconds])
        let date = Date(timeIntervalSince1970: Double(seconds))
        #expect(Date.fromDatabaseValue(text.databaseValue) == date)
      }
    }
  }

  @Test func sqliteReadsWrittenDates() throws {
    var random = ValueRandom()
    try DatabaseQueue().read { db in
      for _ in 0..<1000 {
        let milliseconds = Int.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
        let date = Date(millisecondsSince1970: milliseconds)
        let row = try Row.fetchOne(
          db, sql: "SELECT strftime('%s', :d), strftime('%f', :d), strftime('%Y-%m-%d %H:%M:%f', :d)",
          arguments: ["d": date])!
        #expect(row[0] == String(milliseconds.dividedDown(by: 1000).quotient))
        #expect((row[1] as String).suffix(3) == "\(1000 + milliseconds.dividedDown(by: 1000).remainder)".suffix(3))
        #expect(row[2] == date.databaseValue)
      }
    }
  }

  @Test func textFieldsMatchFoundationsCalendar() throws {
    var random = ValueRandom()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for _ in 0..<2000 {
      let date = Date(
        timeIntervalSinceReferenceDate: Double.random(in: -13_197_600_000...252_423_993_599, using: &random))
      let c = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .nanosecond], from: date)
      let text = try #require(DateText(String.fromDatabaseValue(date.databaseValue)!))
      let milliseconds = Double(c.nanosecond!) / 1e6
      // The rounding may lead to the next second.
      guard milliseconds < 999.5 else { continue }
      #expect([text.year, text.month, text.day] == [c.year, c.month, c.day])
      #expect([text.hour, text.minute, text.second] == [c.hour, c.minute, c.second])
      #expect(text.millisecond == Int(milliseconds.rounded()))
    }
  }

  @Test func everyMillisecondOfADateRoundTrips() {
    var random = ValueRandom()
    for _ in 0..<300 {
      let second = Int.random(in: -62_135_596_800...253_402_300_799, using: &random)
      for millisecond in 0..<1000 {
        // Foundation counts from 2001.
        let interval = Double((second - 978_307_200) * 1000 + millisecond) / 1000
        let date = Date(timeIntervalSinceReferenceDate: interval)
        if Date.fromDatabaseValue(date.databaseValue) != date { Issue.record("\(second).\(millisecond)") }
      }
    }
  }

  @Test func textsAreReadAsTheNearestDate() throws {
    let text = "2023-11-14 22:13:20.124"
    let date = Date(timeIntervalSinceReferenceDate: 721_692_800.124)
    #expect(try strictly(Date.self, "'\(text)'") == date)
    #expect(try fast(Date.self, "'\(text)'") == date)
    #expect(try fast(Date.self, "'\(text)Z'") == date)
    #expect(try roundTrip(date) == (date, date))
  }

  @Test func julianDaysAreDates() throws {
    #expect(Date(julianDay: 2_440_587.5) == Date(timeIntervalSince1970: 0))
    #expect(Date(julianDay: 0) == Date(timeIntervalSince1970: -210_866_760_000))
    let expected = try strictly(Date.self, "strftime('%Y-%m-%d %H:%M:%f', 2456293.520833)")
    #expect(Date(julianDay: 2_456_293.520833) == expected)
  }

  @Test(arguments: [-1, -0.000001, 5_373_484.5, 1e300, .infinity, -.infinity, .nan])
  func julianDaysOutOfRangeAreNoDates(julianDay: Double) {
    #expect(Date(julianDay: julianDay) == nil)
  }
}
