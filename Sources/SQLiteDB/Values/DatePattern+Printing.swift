import Foundation
import Tidemark

extension DatePattern {
  /// Returns the text of a date; nil if only `DateFormatter` can format it.
  func string(from date: Date, in timeZone: TimeZone) -> String? {
    // The order of the operations is Foundation's, which determines how a date between two milliseconds is rounded.
    let rounded = ((date.timeIntervalSinceReferenceDate + Self.referenceSeconds) * 1000 + 0.5).rounded(.down)
    guard abs(rounded) < 1e15 else { return nil }
    let milliseconds = Int(rounded)
    let offset = Self.offset(at: Double(milliseconds) / 1000, in: timeZone)
    guard offset % 60 == 0 else { return nil }
    let local = LocalTime(milliseconds: milliseconds + offset * 1000)
    guard 1583...9999 ~= local.day.year else { return nil }
    return String(unsafeUninitializedCapacity: maxLength) { buffer in
      var writer = Writer(bytes: buffer)
      for element in elements { writer.write(element, local, offset: offset) }
      return writer.count
    }
  }

  /// The seconds from 1970 to 2001.
  static let referenceSeconds = 978_307_200.0

  /// Returns the offset from UTC, in seconds.
  static func offset(at seconds: TimeInterval, in timeZone: TimeZone) -> Int {
    timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
  }

  /// An upper bound for the length of a text. No element but a literal is longer than `Wednesday`.
  private var maxLength: Int {
    elements.reduce(0) { length, element in
      if case .literal(let bytes) = element { length + bytes.count } else { length + 9 }
    }
  }
}

/// The fields of a date in a time zone.
private struct LocalTime {
  let day: CivilDate
  let daysSince1970: Int
  let millisecondOfDay: Int

  init(milliseconds: Int) {
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    daysSince1970 = rest < 0 ? days - 1 : days
    millisecondOfDay = rest < 0 ? rest + 86_400_000 : rest
    day = CivilDate(daysSince1970: daysSince1970)
  }

  var hour: Int { millisecondOfDay / 3_600_000 }

  func number(_ field: DatePattern.Field) -> Int {
    switch field {
    case .year: day.year
    case .month: day.month
    case .day: day.day
    case .hour: hour
    case .hourOfHalfDay: hour % 12 == 0 ? 12 : hour % 12
    case .minute: millisecondOfDay / 60_000 % 60
    case .second: millisecondOfDay / 1000 % 60
    case .fraction: millisecondOfDay % 1000
    }
  }
}

private struct Writer {
  let bytes: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(bytes: UnsafeMutableBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func write(_ element: DatePattern.Element, _ time: LocalTime, offset: Int) {
    switch element {
    case .literal(let literal): for byte in literal { write(byte) }
    case .number(.fraction, let count): writeFraction(time.number(.fraction), count)
    case .number(.year, count: 2): write(time.day.year % 100, digits: 2)
    case .number(let field, let count): write(time.number(field), digits: count)
    case .month(let width): write(DatePattern.monthNames[time.day.month - 1], width)
    case .weekday(let width): write(DatePattern.weekdayNames[DatePattern.weekday(time.daysSince1970)], width)
    case .dayPeriod: write(DatePattern.dayPeriods[time.hour / 12], .full)
    case .offset(let form): write(offset, form)
    }
  }

  private mutating func write(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  /// Writes a number with `digits` digits or more.
  private mutating func write(_ number: Int, digits: Int) {
    var length = 1
    var rest = number / 10
    while rest > 0 {
      length += 1
      rest /= 10
    }
    length = max(length, digits)
    rest = number
    for index in (count..<count + length).reversed() {
      bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    count += length
  }

  /// Writes the first digits of a fraction of a second.
  private mutating func writeFraction(_ milliseconds: Int, _ digits: Int) {
    let divisor = digits == 1 ? 100 : digits == 2 ? 10 : 1
    write(milliseconds / divisor, digits: min(digits, 3))
    if digits > 3 { for _ in 3..<digits { write(UInt8(ascii: "0")) } }
  }

  private mutating func write(_ name: String, _ width: DatePattern.Width) {
    let length = width == .full ? name.utf8.count : width == .short ? 3 : 1
    for byte in name.utf8.prefix(length) { write(byte) }
  }

  private mutating func write(_ offset: Int, _ form: DatePattern.Offset) {
    if offset == 0 && form.hasZ { return write(UInt8(ascii: "Z")) }
    let minutes = abs(offset) / 60
    write(offset < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    write(minutes / 60, digits: 2)
    guard form.hasMinutes || minutes % 60 != 0 else { return }
    if form.hasColon { write(UInt8(ascii: ":")) }
    write(minutes % 60, digits: 2)
  }
}
