/// A date format whose dates this module formats and parses itself, with the results of Foundation's `DateFormatter`.
///
/// Formats consist of pattern letters of Unicode Technical Standard #35, in the locale `en_US_POSIX`. A pattern does
/// not have to understand everything: for a letter that it does not know, a date that it does not format, or a text
/// that it does not recognize at first sight, the caller asks `DateFormatter`. So it returns nil rather than guess.
///
/// - Formatting covers the local years 1583 to 9999. Foundation's calendar is Julian before 1582-10-15.
/// - Parsing covers texts as formatting produces them. A text that `DateFormatter` refuses is never accepted. Local
///   times within a day of a change of the offset from UTC are left to `DateFormatter`, because they may be skipped or
///   ambiguous.
struct DatePattern: Sendable {
  let elements: [Element]

  /// Whether the pattern can parse texts. It can if all fields can be recognized without looking back.
  let canParse: Bool

  /// Whether texts contain a year, a month and a day.
  let hasDay: Bool

  enum Element: Equatable, Sendable {
    case literal([UInt8])
    case number(Field, count: Int)
    case month(Width)
    case weekday(Width)
    case dayPeriod
    case offset(Offset)
  }

  /// The fields that are written in digits.
  enum Field: UInt8, Sendable {
    case year = 0x79  // y
    case month = 0x4D  // M
    case day = 0x64  // d
    case hour = 0x48  // H
    case hourOfHalfDay = 0x68  // h
    case minute = 0x6D  // m
    case second = 0x73  // s
    case fraction = 0x53  // S
  }

  /// The form of a name: `Jan`, `January`, `J`.
  enum Width: Int, Sendable {
    case short = 3
    case full = 4
    case narrow = 5
  }

  /// The form of an offset from UTC.
  struct Offset: Equatable, Sendable {
    /// Whether minutes are written if they are zero.
    var hasMinutes = true

    /// Whether a colon separates hours and minutes.
    var hasColon = false

    /// Whether UTC is written as `Z`.
    var hasZ = false
  }

  /// Fails if the pattern has other letters, or other numbers of letters, than those that this type knows.
  init?(_ format: String) {
    guard let elements = Self.elements(of: format) else { return nil }
    self.elements = elements
    canParse = Self.canParse(elements)
    hasDay = Self.haveDay(elements)
  }

  /// The settings of a formatter that determine the texts, besides its format, its locale and its time zone.
  struct Needs: OptionSet {
    let rawValue: Int
    static let monthNames = Needs(rawValue: 1)
    static let weekdayNames = Needs(rawValue: 2)
    static let dayPeriods = Needs(rawValue: 4)
    static let century = Needs(rawValue: 8)
  }

  /// The settings that the pattern depends on.
  var needs: Needs {
    elements.reduce(into: []) { needs, element in
      switch element {
      case .month: needs.insert(.monthNames)
      case .weekday: needs.insert(.weekdayNames)
      case .dayPeriod: needs.insert(.dayPeriods)
      case .number(.year, count: 2): needs.insert(.century)
      case .literal, .number, .offset: break
      }
    }
  }

  static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
  static let weekdayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  static let dayPeriods = ["AM", "PM"]
}

// MARK: - Reading a format

extension DatePattern {
  private static func elements(of format: String) -> [Element]? {
    var elements: [Element] = []
    var literal: [UInt8] = []
    let text = Array(format.utf8)
    var index = 0
    while index < text.count {
      let byte = text[index]
      // Foundation's rules for other characters are not simple.
      guard (0x20..<0x7F).contains(byte) else { return nil }
      if byte == quote {
        guard let end = readQuote(text, at: index, into: &literal) else { return nil }
        index = end
      } else if isLetter(byte) {
        let count = text[index...].prefix { $0 == byte }.count
        guard let element = element(byte, count) else { return nil }
        if !literal.isEmpty { elements.append(.literal(literal)) }
        literal = []
        elements.append(element)
        index += count
      } else {
        literal.append(byte)
        index += 1
      }
    }
    if !literal.isEmpty { elements.append(.literal(literal)) }
    return elements.isEmpty ? nil : elements
  }

  private static let quote = UInt8(ascii: "'")

  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// Reads a quoted text or a double quote, and returns the position after it; nil if the quote does not end.
  private static func readQuote(_ text: [UInt8], at start: Int, into literal: inout [UInt8]) -> Int? {
    var index = start + 1
    if index < text.count, text[index] == quote {
      literal.append(quote)
      return index + 1
    }
    while index < text.count {
      guard (0x20..<0x7F).contains(text[index]) else { return nil }
      if text[index] != quote {
        literal.append(text[index])
      } else if index + 1 < text.count, text[index + 1] == quote {
        literal.append(quote)
        index += 1
      } else {
        return index + 1
      }
      index += 1
    }
    return nil
  }

  private static func element(_ letter: UInt8, _ count: Int) -> Element? {
    if let field = Field(rawValue: letter) {
      switch (field, count) {
      case (.month, 3...5): return Width(rawValue: count).map(Element.month)
      case (.fraction, 1...9), (.year, 1...9), (_, 1...2): return .number(field, count: count)
      default: return nil
      }
    }
    switch (letter, count) {
    case (UInt8(ascii: "E"), 1...3): return .weekday(.short)
    case (UInt8(ascii: "E"), 4...5): return Width(rawValue: count).map(Element.weekday)
    case (UInt8(ascii: "a"), 1...3): return .dayPeriod
    case (UInt8(ascii: "Z"), 1...3): return .offset(Offset())
    case (UInt8(ascii: "Z"), 5): return .offset(Offset(hasColon: true, hasZ: true))
    case (UInt8(ascii: "X"), 1...3), (UInt8(ascii: "x"), 1...3):
      return .offset(Offset(hasMinutes: count > 1, hasColon: count == 3, hasZ: letter == UInt8(ascii: "X")))
    default: return nil
    }
  }
}
