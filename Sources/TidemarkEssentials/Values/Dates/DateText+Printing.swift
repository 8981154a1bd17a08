// Writing date texts.

extension DateText {
  /// Creates the date that is `millisecondsSince1970` milliseconds after 1970-01-01 00:00:00 UTC.
  init(millisecondsSince1970: Int) {
    self.init(format: .YMD_HMSS)
    let (days, timeOfDay) = millisecondsSince1970.dividedDown(by: 86_400_000)
    let civilDay = CivilDay(daysSince1970: days)
    year = civilDay.year
    month = civilDay.month
    day = civilDay.day
    hour = timeOfDay / 3_600_000
    minute = timeOfDay / 60_000 % 60
    second = timeOfDay / 1000 % 60
    millisecond = timeOfDay % 1000
  }

  /// The stored text.
  ///
  /// A field that exceeds its width is written completely. The text is then not decoded as a date.
  var text: String {
    var text = ""
    if format.hasDate {
      if year < 0 {
        text += "-"
      } else if year > 9999 {
        text += "+"
      }
      text += "\(digits: year.magnitude, width: 4)-\(digits: month, width: 2)-\(digits: day, width: 2)"
    }
    if format.hasDate && format.hasTime { text += " " }
    if format.hasTime { text += "\(digits: hour, width: 2):\(digits: minute, width: 2)" }
    if format.hasSecond { text += ":\(digits: second, width: 2)" }
    if format.hasMillisecond { text += ".\(digits: millisecond, width: 3)" }
    return text
  }

  /// Returns `YYYY-MM-DD HH:MM:SS.SSS` in UTC.
  static func text(millisecondsSince1970: Int) -> String {
    guard let moment = Moment(millisecondsSince1970: millisecondsSince1970) else {
      return DateText(millisecondsSince1970: millisecondsSince1970).text
    }
    return String(unsafeUninitializedCapacity: Moment.textLength) { buffer in
      // The buffer has the requested capacity, so its address is not nil.
      moment.write(to: buffer.baseAddress.unsafelyUnwrapped)
      return Moment.textLength
    }
  }
}

/// A time in the years 0000–9999, with a text of fixed length: the fast path from a `Date` to the stored bytes.
struct Moment {
  private let day: CivilDay
  private let millisecondOfDay: UInt32

  static let textLength = 23

  /// Fails outside of the years 0000–9999.
  @inline(__always)
  init?(millisecondsSince1970: Int) {
    let (days, millisecondOfDay) = millisecondsSince1970.dividedDown(by: 86_400_000)
    day = CivilDay(daysSince1970: days)
    self.millisecondOfDay = UInt32(truncatingIfNeeded: millisecondOfDay)
    guard 0...9999 ~= day.year else { return nil }
  }

  /// Writes `YYYY-MM-DD HH:MM:SS.SSS`.
  @inline(__always)
  func write(to bytes: UnsafeMutablePointer<UInt8>) {
    let (seconds, millisecond) = millisecondOfDay.quotientAndRemainder(dividingBy: 1000)
    let (minutes, second) = seconds.quotientAndRemainder(dividingBy: 60)
    let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
    let (century, year) = UInt32(truncatingIfNeeded: day.year).quotientAndRemainder(dividingBy: 100)
    let (hundredths, thousandths) = millisecond.quotientAndRemainder(dividingBy: 10)
    bytes.writeTwoDigits(century, at: 0)
    bytes.writeTwoDigits(year, at: 2)
    bytes[4] = UInt8(ascii: "-")
    bytes.writeTwoDigits(UInt32(truncatingIfNeeded: day.month), at: 5)
    bytes[7] = UInt8(ascii: "-")
    bytes.writeTwoDigits(UInt32(truncatingIfNeeded: day.day), at: 8)
    bytes[10] = UInt8(ascii: " ")
    bytes.writeTwoDigits(hour, at: 11)
    bytes[13] = UInt8(ascii: ":")
    bytes.writeTwoDigits(minute, at: 14)
    bytes[16] = UInt8(ascii: ":")
    bytes.writeTwoDigits(second, at: 17)
    bytes[19] = UInt8(ascii: ".")
    bytes.writeTwoDigits(hundredths, at: 20)
    bytes[22] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: thousandths)
  }
}

extension UnsafeMutablePointer<UInt8> {
  @inline(__always)
  fileprivate func writeTwoDigits(_ number: UInt32, at offset: Int) {
    let tens = (number &* 103) >> 10  // number / 10, up to 99
    self[offset] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
    self[offset + 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number &- tens &* 10)
  }
}

extension String.StringInterpolation {
  fileprivate mutating func appendInterpolation(digits number: some BinaryInteger, width: Int) {
    let digits = String(number)
    appendLiteral(String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)))
    appendLiteral(digits)
  }
}
