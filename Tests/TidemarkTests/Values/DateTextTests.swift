import Testing

import Tidemark
@testable import TidemarkEssentials

@Suite struct DateTextTests {
  typealias Fields = (format: DatabaseDateComponents.Format, fields: [Int], zone: Int?)

  /// Year, month, day, hour, minute, second, millisecond.
  private static func fields(_ text: DateText) -> [Int] {
    [text.year, text.month, text.day, text.hour, text.minute, text.second, text.millisecond]
  }

  @Test(
    arguments: [
      ("2031-04-09", .YMD, [2031, 4, 9, 0, 0, 0, 0]),
      ("2031-04-09 07:05", .YMD_HM, [2031, 4, 9, 7, 5, 0, 0]),
      ("2031-04-09T07:05", .YMD_HM, [2031, 4, 9, 7, 5, 0, 0]),
      ("2031-04-09 07:05:03", .YMD_HMS, [2031, 4, 9, 7, 5, 3, 0]),
      ("2031-04-09T07:05:03", .YMD_HMS, [2031, 4, 9, 7, 5, 3, 0]),
      ("2031-04-09 07:05:03.046", .YMD_HMSS, [2031, 4, 9, 7, 5, 3, 46]),
      ("2031-04-09T07:05:03.046", .YMD_HMSS, [2031, 4, 9, 7, 5, 3, 46]),
      ("07:05", .HM, [0, 1, 1, 7, 5, 0, 0]),
      ("07:05:03", .HMS, [0, 1, 1, 7, 5, 3, 0]),
      ("07:05:03.046", .HMSS, [0, 1, 1, 7, 5, 3, 46]),
      ("0000-00-00 00:00:00.000", .YMD_HMSS, [0, 0, 0, 0, 0, 0, 0]),
      ("9999-99-99 99:99:99.999", .YMD_HMSS, [9999, 99, 99, 99, 99, 99, 999]),
      ("-0001-02-03", .YMD, [-1, 2, 3, 0, 0, 0, 0]),
      ("-4713-11-24 12:00:00", .YMD_HMS, [-4713, 11, 24, 12, 0, 0, 0]),
      ("-12000-01-02", .YMD, [-12000, 1, 2, 0, 0, 0, 0]),
      ("+10000-01-02T03:04", .YMD_HM, [10000, 1, 2, 3, 4, 0, 0]),
    ] as [(String, DatabaseDateComponents.Format, [Int])])
  func dateTextsAreRead(text: String, format: DatabaseDateComponents.Format, fields: [Int]) throws {
    let parsed = try #require(DateText(text))
    #expect(parsed.format == format)
    #expect(Self.fields(parsed) == fields)
    #expect(parsed.zone == nil)
  }

  @Test(arguments: [
    (".1", 100), (".12", 120), (".123", 123), (".1239", 123), (".123456", 123), (".999999999999999999999", 999),
    (".0", 0),
  ])
  func fractionsAreTruncatedToMilliseconds(fraction: String, millisecond: Int) throws {
    #expect(try #require(DateText("07:05:03" + fraction)).millisecond == millisecond)
    #expect(try #require(DateText("2031-04-09 07:05:03" + fraction + "Z")).millisecond == millisecond)
  }

  @Test(arguments: [
    "07:05", "07:05:03", "07:05:03.1", "2031-04-09 07:05", "2031-04-09T07:05:03", "2031-04-09 07:05:03.046",
  ])
  func timeZonesCanFollowATime(text: String) {
    #expect(DateText(text + "Z")?.zone == 0)
    #expect(DateText(text + "z")?.zone == 0)
    #expect(DateText(text + "+00:00")?.zone == 0)
    #expect(DateText(text + "+02:30")?.zone == 9000)
    #expect(DateText(text + "-02:30")?.zone == -9000)
    #expect(DateText(text + "-00:30")?.zone == -1800)
    #expect(DateText(text + "+18:00")?.zone == 64800)
  }

  @Test(arguments: [
    "", " ", "7:05", "2031-4-9", "2031-04-9", "2031-04-09 ", " 2031-04-09", "2031-04-09 07:05 ", "07:05 ", "07:05:03.",
    "07:05:", "07:", "07", "07:5", "07:05:3", "07:05:03.x", "07:05:03,046", "2031-04-09t07:05", "2031-04-09 07:05-0200",
    "2031-04-09 07:05+02", "2031-04-09 07:05+2:00", "2031-04-09Z", "2031-04-09+02:00", "2031-04-09 07:05 Z",
    "2031-04-09 07:05 +02:00", "2031-04-09 07:05ZZ", "2031-04-09 07:05Z ", "2031-04-09 07:05+18:01", "07:05-24:00",
    "20310409", "2031", "2031-04", "1000", "2460000.5", "now", "2031-04-09  07:05", "2031-04-09TT07:05",
    "2031-04-0907:05",
    "2031-04-09T", "2031/04/09", "2031-04-09\n", "2031-04-09\0", "x031-04-09", "203x-04-09", "2031-x4-09", "2031-04-x9",
    "2031-04-09 x7:05", "２０３１-04-09", "02031-04-09", "12031-04-09", "+2031-04-09", "+02031-04-09", "-02031-04-09",
    "-031-04-09", "+-2031-04-09", "--2031-04-09", "+1234567890-01-01", "+", "-", "-2031", "Mom’s birthday",
    "+9223372036854775808-01-01",
  ])
  func invalidTextsAreRefused(text: String) {
    #expect(DateText(text) == nil)
  }

  @Test func prefixesDoNotCrashTheReader() {
    let text = "+10000-12-31T23:59:59.999+18:00"
    for length in 0...text.count { _ = DateText(String(text.prefix(length))) }
    for length in 0...text.count { _ = DateText(String(text.suffix(length))) }
  }

  /// All texts that differ from a stored date in one byte.
  @Test func bothParsersAgree() {
    let stored = Array("2031-04-09 07:05:03.046".utf8)
    for index in stored.indices {
      for byte in UInt8.min...UInt8.max {
        var text = stored
        text[index] = byte
        text.withUnsafeBufferPointer { bytes in
          if let date = DateText(stored: bytes) { #expect(date == DateText(utf8: bytes)) }
        }
      }
    }
    stored.withUnsafeBufferPointer { #expect(DateText(stored: $0)?.millisecondsSince1970 == 1_933_484_703_046) }
  }

  @Test func damagedTextsAreReadOrRefused() {
    var random = ValueRandom()
    let characters = Array("0123456789-+:.TZ z\u{0}é".utf8)
    for _ in 0..<20_000 {
      var bytes = Array("2031-04-09 07:05:03.046+02:00".utf8.prefix(Int.random(in: 0...29, using: &random)))
      for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = characters.randomElement(using: &random)!
      }
      let parsed = bytes.withUnsafeBufferPointer { DateText(utf8: $0) }
      // A parsed date is printed the same again, except for the separator, the zone and the fraction.
      if let parsed, bytes.count == 19 || bytes.count == 10 {
        #expect(parsed.text == String(decoding: bytes, as: UTF8.self).replacing("T", with: " "))
      }
    }
  }

  @Test(arguments: [
    (0, "1970-01-01 00:00:00.000"), (-1, "1969-12-31 23:59:59.999"), (951_782_400_000, "2000-02-29 00:00:00.000"),
    (-2_203_891_200_001, "1900-02-28 23:59:59.999"), (4_107_542_400_000, "2100-03-01 00:00:00.000"),
    (253_402_300_799_999, "9999-12-31 23:59:59.999"), (253_402_300_800_000, "+10000-01-01 00:00:00.000"),
    (-62_167_219_200_000, "0000-01-01 00:00:00.000"), (-62_167_219_200_001, "-0001-12-31 23:59:59.999"),
    (-377_705_116_800_001, "-10000-12-31 23:59:59.999"), (-210_866_760_000_000, "-4713-11-24 12:00:00.000"),
  ])
  func millisecondsAreWritten(milliseconds: Int, text: String) {
    #expect(DateText.text(millisecondsSince1970: milliseconds) == text)
    #expect(DateText(text)?.millisecondsSince1970 == milliseconds)
  }

  @Test func everyMillisecondRoundTrips() {
    var random = ValueRandom()
    for _ in 0..<100_000 {
      let milliseconds = Int.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
      let text = DateText.text(millisecondsSince1970: milliseconds)
      if text.utf8.count != 23 || DateText(text)?.millisecondsSince1970 != milliseconds {
        Issue.record("\(milliseconds): \(text)")
      }
    }
  }

  @Test func distantMillisecondsRoundTrip() {
    var random = ValueRandom()
    for _ in 0..<10_000 {
      let milliseconds = Int.random(in: -4_500_000_000_000_000_000...4_500_000_000_000_000_000, using: &random)
      let text = DateText.text(millisecondsSince1970: milliseconds)
      if DateText(text)?.millisecondsSince1970 != milliseconds { Issue.record("\(milliseconds): \(text)") }
    }
  }

  @Test func fastAndGeneralParsersAgreeOnStoredDates() {
    let form = "2031-04-09 07:05:03.046"
    var unlike: [String] = []
    func compare(_ bytes: [UInt8], isOfTheForm: Bool) {
      let (stored, general) = bytes.withUnsafeBufferPointer { (DateText(stored: $0), DateText(utf8: $0)) }
      if stored != (isOfTheForm ? general : nil) { unlike.append("\(bytes)") }
    }
    for (place, character) in form.utf8.enumerated() {
      let isDigit = character >= UInt8(ascii: "0") && character <= UInt8(ascii: "9")
      for byte in UInt8.min...UInt8.max {
        var bytes = Array(form.utf8)
        bytes[place] = byte
        let isSameKind = isDigit ? byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") : byte == character
        compare(bytes, isOfTheForm: isSameKind)
        // An adjacent byte must not compensate for it.
        for neighbour in [place - 1, place + 1] where neighbour < form.utf8.count && neighbour >= 0 {
          for other: UInt8 in [0x00, 0x2f, 0x3a, 0x7f, 0xff] where !isSameKind {
            var both = bytes
            both[neighbour] = other
            compare(both, isOfTheForm: false)
          }
        }
      }
    }
    for length in 0..<30 {
      compare(Array((form + "0000000").utf8.prefix(length)), isOfTheForm: length == form.utf8.count)
    }
    #expect(unlike.isEmpty)
    let numbers = "9876-54-32 10:98:76.543".withUTF8Bytes { DateText(stored: $0) }
    #expect(numbers.map(Self.fields) == [9876, 54, 32, 10, 98, 76, 543])
  }
}
