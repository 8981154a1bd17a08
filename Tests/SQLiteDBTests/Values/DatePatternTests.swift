import Foundation
import Testing

@testable import SQLiteDB

@Suite struct DatePatternTests {
  /// 2024-05-06 17:08:09.123 UTC, a Monday.
  private let date = Date(timeIntervalSince1970: 1_715_015_289.123)
  private let berlin = TimeZone(identifier: "Europe/Berlin")!

  @Test(
    arguments: [
      ("yyyy-MM-dd'T'HH:mm:ss.SSS", "2024-05-06T17:08:09.123"), ("d.M.yy h:m:s a", "6.5.24 5:8:9 PM"),
      ("EEEE, d MMMM y", "Monday, 6 May 2024"), ("E MMM dd hh:mm aa", "Mon May 06 05:08 PM"),
      ("HH.SSSSSS", "17.123000"), ("ss.S", "09.1"), ("''yyyyy'' 'o''clock'", "'02024' o'clock"),
      ("Z_X_XX_XXX_x_xx_xxx_ZZZZZ", "+0000_Z_Z_Z_+00_+0000_+00:00_Z"),
    ])
  func `dates are formatted in UTC`(format: String, text: String) throws {
    #expect(try #require(DatePattern(format)).string(from: date, in: .gmt) == text)
  }

  @Test func `dates are formatted in the time zone, with its offset in summer and winter`() throws {
    let pattern = try #require(DatePattern("yyyy-MM-dd HH:mmXXX"))
    #expect(pattern.string(from: date, in: berlin) == "2024-05-06 19:08+02:00")
    #expect(pattern.string(from: date + 200 * 86_400, in: berlin) == "2024-11-22 18:08+01:00")
    let newYork = try #require(TimeZone(identifier: "America/New_York"))
    #expect(pattern.string(from: date, in: newYork) == "2024-05-06 13:08-04:00")
  }

  @Test(
    arguments: [
      ("yyyy-MM-dd HH:mm:ss.SSS", "2024-05-06 17:08:09.123", 1_715_015_289.123),
      ("yyyyMMddHHmmss", "20240506170809", 1_715_015_289), ("M/d/yyyy h:mm a", "5/6/2024 5:08 PM", 1_715_015_280),
      ("EEE, dd MMM yyyy HH:mm Z", "Mon, 06 May 2024 19:08 +0200", 1_715_015_280),
      ("yyyy-MM-dd'T'HH:mmXXX", "2024-05-06T17:08Z", 1_715_015_280), ("HH:mm", "12:30", 946_729_800),
      ("yyyy", "2024", 1_704_067_200),
    ])
  func `texts are parsed in UTC`(format: String, text: String, seconds: Double) throws {
    let date = try #require(DatePattern(format)).date(from: text, in: .gmt)
    #expect(date == Date(timeIntervalSince1970: seconds))
  }

  @Test(
    arguments: [
      "yyyy-MM-dd G", "yyyy-'W'ww", "YYYY-MM-dd", "HH:mm zzz", "KK:mm", "QQQ yyyy", "MMMMMM", "ddd", "ZZZZ", "'open",
      "", "yyyy年", "HHH",
    ])
  func `other formats are left to the formatter`(format: String) {
    #expect(DatePattern(format) == nil)
  }

  @Test(
    arguments: [
      "yyyyMd", "yyyyh", "MMMMM d", "HH:mm a", "hh HH", "EEE HH:mm", "yyyy yyyy", "MMMyyyy", "ss'1'", "XHH", "HH'E'mm",
      "yyyyy-MM",
    ])
  func `formats whose fields cannot be told apart are formatted, but not parsed`(format: String) throws {
    let pattern = try #require(DatePattern(format))
    #expect(!pattern.canParse)
    #expect(pattern.string(from: date, in: .gmt) != nil)
  }

  @Test(
    arguments: [
      "2024-13-01 00:00", "2024-02-30 00:00", "2023-02-29 00:00", "2024-01-01 24:00", "2024-01-01 00:60",
      "2024-1-01 00:00", "2024-01-01 00:00 ", " 2024-01-01 00:00", "2024-01-01T00:00", "12024-01-01 00:00",
      "2024-01-01",
      "", "2024-00-10 00:00", "1582-10-14 00:00", "2024-01-01 00:0٣",
    ])
  func `unusual texts are left to the formatter`(text: String) throws {
    #expect(try #require(DatePattern("yyyy-MM-dd HH:mm")).date(from: text, in: .gmt) == nil)
  }

  @Test func `local times near a change of the offset are left to the formatter`() throws {
    let pattern = try #require(DatePattern("yyyy-MM-dd HH:mm"))
    #expect(pattern.date(from: "2024-03-31 02:30", in: berlin) == nil)
    #expect(pattern.date(from: "2024-10-27 02:30", in: berlin) == nil)
    #expect(pattern.date(from: "2024-10-30 02:30", in: berlin) == Date(timeIntervalSince1970: 1_730_251_800))
  }

  @Test func `incomplete days are left to the formatter in time zones whose offset changes`() throws {
    let pattern = try #require(DatePattern("M HH"))
    let lordHowe = try #require(TimeZone(identifier: "Australia/Lord_Howe"))
    #expect(pattern.date(from: "10 02", in: lordHowe) == nil)
    #expect(DateSamples.formatter("M HH", in: lordHowe).date(from: "10 02") == nil)
    let fixed = try #require(TimeZone(secondsFromGMT: 3600))
    #expect(pattern.date(from: "10 02", in: fixed) == Date(timeIntervalSince1970: 970_362_000))
  }

  @Test func `years before the Gregorian calendar and after 9999 are left to the formatter`() throws {
    let pattern = try #require(DatePattern("yyyy"))
    #expect(pattern.string(from: Date(timeIntervalSince1970: -12_219_292_801), in: .gmt) == nil)
    #expect(pattern.string(from: Date(timeIntervalSince1970: 253_402_300_800), in: .gmt) == nil)
    #expect(pattern.string(from: Date(timeIntervalSince1970: 253_402_300_799), in: .gmt) == "9999")
    #expect(pattern.string(from: Date(timeIntervalSince1970: .infinity), in: .gmt) == nil)
  }

  @Test func `a weekday that is not the date's is left to the formatter`() throws {
    let pattern = try #require(DatePattern("EEE d MMM yyyy"))
    #expect(pattern.date(from: "Mon 6 May 2024", in: .gmt) == Date(timeIntervalSince1970: 1_714_953_600))
    #expect(pattern.date(from: "Tue 6 May 2024", in: .gmt) == nil)
  }
}
