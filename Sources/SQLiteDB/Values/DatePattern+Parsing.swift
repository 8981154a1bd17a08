import Foundation
import Tidemark

extension DatePattern {
  /// Returns the date that a text represents; nil if only `DateFormatter` can decide it.
  ///
  /// If the pattern lacks fields, 2000-01-01 00:00 provides them. If the year, the month or the day is missing,
  /// `DateFormatter` refuses some local times that exist. Such a pattern is only parsed if the offset never changes.
  func date(from text: String, in timeZone: TimeZone) -> Date? {
    guard canParse, hasDay || Self.isFixed(timeZone) else { return nil }
    let fields = text.utf8.withContiguousStorageIfAvailable { bytes in
      var parser = Parser(bytes: bytes)
      return parser.read(elements) ? parser.fields : nil
    }
    guard let fields = fields ?? nil, let milliseconds = fields.localMilliseconds else { return nil }
    guard let offset = fields.offset ?? Self.offset(atLocal: milliseconds, in: timeZone) else { return nil }
    return Date(
      timeIntervalSinceReferenceDate: Double(milliseconds - offset * 1000) / 1000 - Self.referenceSeconds)
  }

  /// Whether the offset from UTC never changes; false when in doubt.
  private static func isFixed(_ timeZone: TimeZone) -> Bool {
    let identifier = timeZone.identifier
    return identifier.hasPrefix("GMT") || identifier == "UTC"
  }

  /// Returns the offset from UTC at a local time; nil if it changes within a day of that time.
  private static func offset(atLocal milliseconds: Int, in timeZone: TimeZone) -> Int? {
    let seconds = Double(milliseconds) / 1000
    // Local times differ from UTC by less than these 28 hours.
    let offset = offset(at: seconds - 100_800, in: timeZone)
    guard offset % 60 == 0, offset == Self.offset(at: seconds + 100_800, in: timeZone) else { return nil }
    return offset == Self.offset(at: seconds - Double(offset), in: timeZone) ? offset : nil
  }

  /// Returns the position of a day in a week that begins on a Sunday.
  static func weekday(_ daysSince1970: Int) -> Int {
    let remainder = (daysSince1970 + 4) % 7
    return remainder < 0 ? remainder + 7 : remainder
  }
}

// MARK: - Which patterns can be parsed

extension DatePattern {
  static func canParse(_ elements: [Element]) -> Bool {
    var kinds: Set<String> = []
    for (element, next) in zip(elements, elements.dropFirst().map(Optional.some) + [nil]) {
      if case .literal = element { continue }
      guard kinds.insert(kind(element)).inserted, isRecognizable(element, before: next) else { return false }
      // Digits that follow each other are separated by their numbers.
      if case .number = element, case .number? = next {
        guard element.hasFixedWidth, next?.hasFixedWidth == true else { return false }
      }
    }
    // AM or PM takes an hour from 1 to 12, and a time has one hour. A weekday must not decide about the date.
    if kinds.contains("half of a day") && !kinds.contains("hour of half a day") { return false }
    if kinds.contains("hour") && kinds.contains("hour of half a day") { return false }
    return !kinds.contains("weekday") || haveDay(elements)
  }

  /// Whether elements determine the year, the month and the day.
  static func haveDay(_ elements: [Element]) -> Bool {
    Set(elements.map(kind)).isSuperset(of: ["year", "month", "day"])
  }

  /// The name of the part of a date that an element represents. A pattern has each of them once at most.
  private static func kind(_ element: Element) -> String {
    switch element {
    case .literal: "literal"
    case .number(.year, _): "year"
    case .number(.month, _), .month: "month"
    case .number(.day, _): "day"
    case .number(.hour, _), .number(.hourOfHalfDay, _): element.isHourOfHalfDay ? "hour of half a day" : "hour"
    case .number(.minute, _): "minute"
    case .number(.second, _): "second"
    case .number(.fraction, _): "fraction"
    case .weekday: "weekday"
    case .dayPeriod: "half of a day"
    case .offset: "offset"
    }
  }

  /// Whether the end of an element can be found without regard to the next one.
  private static func isRecognizable(_ element: Element, before next: Element?) -> Bool {
    switch (element, next) {
    case (.number(.year, let count), _) where count > 4: false
    case (.month(.narrow), _), (.weekday(.narrow), _), (.literal, _): false
    case (_, nil): true
    // `DateFormatter` may read some characters as a part of a number, a name or an offset: signs, points, letters.
    case (.number, .literal(let bytes)): separators(" -/:.,_TZ", contain: bytes)
    case (.number, _): true
    case (.month, .literal(let bytes)), (.weekday, .literal(let bytes)), (.dayPeriod, .literal(let bytes)):
      separators(" -/:,_", contain: bytes)
    case (.offset, .literal(let bytes)): separators(" ,", contain: bytes)
    case (.month, _), (.weekday, _), (.dayPeriod, _), (.offset, _): false
    }
  }

  private static func separators(_ separators: String, contain literal: [UInt8]) -> Bool {
    literal.first.map(separators.utf8.contains) ?? false
  }
}

extension DatePattern.Element {
  fileprivate var isHourOfHalfDay: Bool { if case .number(.hourOfHalfDay, _) = self { true } else { false } }

  /// Whether a number is always written with as many digits as the pattern has letters.
  fileprivate var hasFixedWidth: Bool {
    switch self {
    case .number(.year, let count): count == 2 || count == 4
    case .number(.fraction, _): true
    case .number(_, let count): count == 2
    default: false
    }
  }
}

// MARK: - Parsing

/// The fields of a text. Those that it lacks have default values.
private struct ParsedFields {
  var year = 2000
  var month = 1
  var day = 1
  var hour = 0
  var isAfternoon = false
  var minute = 0
  var second = 0
  var millisecond = 0
  var weekday: Int?
  var offset: Int?

  /// The milliseconds from 1970-01-01 00:00 local time; nil if a field is out of range, or if the weekday is wrong.
  var localMilliseconds: Int? {
    let date = CivilDate(year: year, month: month, day: day)
    guard 1583...9999 ~= year, let days = date.daysSince1970 else { return nil }
    guard hour < 24, minute < 60, second < 60 else { return nil }
    if let weekday, weekday != DatePattern.weekday(days) { return nil }
    let hours = hour + (isAfternoon ? 12 : 0)
    return (((days * 24 + hours) * 60 + minute) * 60 + second) * 1000 + millisecond
  }
}

private struct Parser {
  let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private(set) var fields = ParsedFields()

  init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Reads all of the text.
  mutating func read(_ elements: [DatePattern.Element]) -> Bool {
    for position in elements.indices {
      let isRead =
        switch elements[position] {
        case .literal(let literal): read(literal)
        case .number(let field, let count): readNumber(field, count, before: elements, position)
        case .month(let width): readName(DatePattern.monthNames, width) { $0.month = $1 + 1 }
        case .weekday(let width): readName(DatePattern.weekdayNames, width) { $0.weekday = $1 }
        case .dayPeriod: readName(DatePattern.dayPeriods, .full) { $0.isAfternoon = $1 == 1 }
        case .offset(let form): readOffset(form)
        }
      guard isRead else { return false }
    }
    return index == bytes.count
  }

  private mutating func read(_ literal: [UInt8]) -> Bool {
    guard bytes[index...].starts(with: literal) else { return false }
    index += literal.count
    return true
  }

  private mutating func readNumber(
    _ field: DatePattern.Field, _ count: Int, before elements: [DatePattern.Element], _ position: Int
  ) -> Bool {
    let isYear = field == .year && count != 2
    let isFixed = count > 1 || isYear || field == .fraction
    let length = isYear ? 4 : count
    guard let first = digit() else { return false }
    var number = first
    for _ in 1..<max(length, isFixed ? 1 : 2) {
      guard let next = digit() else {
        if isFixed { return false }
        break
      }
      number = number * 10 + next
    }
    if index < bytes.count, 0x30...0x39 ~= bytes[index] {
      // More digits are only expected if they belong to the next field.
      guard position + 1 < elements.count, case .number = elements[position + 1] else { return false }
    }
    return set(field, number, count)
  }

  private mutating func set(_ field: DatePattern.Field, _ number: Int, _ count: Int) -> Bool {
    switch field {
    case .year where count == 2:
      // The century begins in 1950, at an instant, and 2000 is the default: `DateFormatter` decides the years around.
      guard !(49...51).contains(number), number != 0 else { return false }
      fields.year = number > 50 ? 1900 + number : 2000 + number
    case .year: fields.year = number
    case .month: fields.month = number
    case .day: fields.day = number
    case .hour: fields.hour = number
    case .hourOfHalfDay:
      guard 1...12 ~= number else { return false }
      fields.hour = number % 12
    case .minute: fields.minute = number
    case .second: fields.second = number
    case .fraction:
      var milliseconds = number
      if count < 3 { for _ in count..<3 { milliseconds *= 10 } }
      if count > 3 { for _ in 3..<count { milliseconds /= 10 } }
      fields.millisecond = milliseconds
    }
    return true
  }

  private mutating func readName(
    _ names: [String], _ width: DatePattern.Width, _ set: (inout ParsedFields, Int) -> Void
  ) -> Bool {
    for (position, name) in names.enumerated() {
      let name = name.utf8.prefix(width == .short ? 3 : name.utf8.count)
      guard bytes[index...].starts(with: name) else { continue }
      index += name.count
      set(&fields, position)
      return true
    }
    return false
  }

  private mutating func readOffset(_ form: DatePattern.Offset) -> Bool {
    guard let sign = next() else { return false }
    if form.hasZ, sign == UInt8(ascii: "Z") {
      fields.offset = 0
      return true
    }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
    guard let hours = pair(), hours < 15 else { return false }
    var minutes = 0
    if form.hasMinutes || (index < bytes.count && 0x30...0x39 ~= bytes[index]) {
      if form.hasColon, next() != UInt8(ascii: ":") { return false }
      guard let pair = pair(), pair < 60 else { return false }
      minutes = pair
    }
    let offset = hours * 3600 + minutes * 60
    // Formatting never writes a negative zero, or a zero instead of `Z`.
    guard offset != 0 || (sign == UInt8(ascii: "+") && !form.hasZ) else { return false }
    fields.offset = sign == UInt8(ascii: "-") ? -offset : offset
    return true
  }

  private mutating func next() -> UInt8? {
    guard index < bytes.count else { return nil }
    index += 1
    return bytes[index - 1]
  }

  private mutating func digit() -> Int? {
    guard index < bytes.count, 0x30...0x39 ~= bytes[index] else { return nil }
    index += 1
    return Int(bytes[index - 1] & 15)
  }

  private mutating func pair() -> Int? {
    guard let first = digit(), let second = digit() else { return nil }
    return first * 10 + second
  }
}
