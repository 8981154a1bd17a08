public import FoundationEssentials

/// A formatter that converts dates to text and back. Foundation's `DateFormatter` conforms to it.
///
/// ```swift
/// struct Year: DatabaseDateFormatter {
///   func string(from date: Date) -> String { date.formatted(.iso8601.year()) }
///   func date(from string: String) -> Date? { try? Date(string, strategy: .iso8601.year()) }
/// }
/// ```
public protocol DatabaseDateFormatter: Sendable {
  /// Returns the text for a date.
  func string(from date: Date) -> String

  /// Returns the date for a text, or nil if the text is not in the expected format.
  func date(from string: String) -> Date?
}

/// A strategy that stores `Date` properties. See ``EncodableRecord/databaseDateEncodingStrategy(for:)``.
public enum DatabaseDateEncodingStrategy: Sendable {
  /// Stores `Date.databaseValue`: a TEXT in UTC like `2031-04-09 07:05:03.046`.
  case deferredToDate

  /// Stores the seconds since 2001-01-01 00:00:00 UTC, as a REAL.
  case timeIntervalSinceReferenceDate

  /// Stores the seconds since 1970-01-01 00:00:00 UTC, as a REAL.
  case timeIntervalSince1970

  /// Stores the whole seconds since 1970-01-01 00:00:00 UTC, as an INTEGER.
  case secondsSince1970

  /// Stores the whole milliseconds since 1970-01-01 00:00:00 UTC, as an INTEGER.
  case millisecondsSince1970

  /// Stores a TEXT in the format of ISO 8601 and RFC 3339, without fractional seconds: `2031-04-09T07:05:03Z`.
  case iso8601

  /// Stores the TEXT that a formatter returns.
  case formatted(any DatabaseDateFormatter)

  /// Stores the value that a function returns; nil is stored as NULL.
  case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)
}

extension DatabaseDateEncodingStrategy {
  /// - Throws: An `EncodingError` if the date has no text in the format, or if the number does not fit in an INTEGER.
  func databaseValue(of date: Date, at codingPath: [any CodingKey]) throws -> DatabaseValue {
    switch self {
    case .deferredToDate: try Self.text(date, codingPath)
    case .timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.databaseValue
    case .timeIntervalSince1970: date.timeIntervalSince1970.databaseValue
    case .secondsSince1970: try Self.integer(date.timeIntervalSince1970, date, codingPath)
    case .millisecondsSince1970: try Self.integer(date.timeIntervalSince1970 * 1000, date, codingPath)
    case .iso8601: date.formatted(.iso8601).databaseValue
    case .formatted(let formatter): formatter.string(from: date).databaseValue
    case .custom(let function): function(date)?.databaseValue ?? .null
    }
  }

  private static func text(_ date: Date, _ codingPath: [any CodingKey]) throws -> DatabaseValue {
    let text = date.databaseValue
    if !text.isNull { return text }
    throw EncodingError.refusing(date, "SQLite cannot store the date as text: years are -4713...9999", codingPath)
  }

  private static func integer(
    _ number: Double, _ date: Date, _ codingPath: [any CodingKey]
  ) throws -> DatabaseValue {
    guard let integer = Int64(exactly: number.rounded(.down)) else {
      throw EncodingError.refusing(date, "The date is out of range of a 64-bit integer", codingPath)
    }
    return integer.databaseValue
  }
}

/// A strategy that reads `Date` properties. See ``FetchableRecord/databaseDateDecodingStrategy(for:)``.
public enum DatabaseDateDecodingStrategy: Sendable {
  /// Reads TEXT values in the formats of SQLite, and numbers of seconds since 1970-01-01 00:00:00 UTC.
  case deferredToDate

  /// Reads the seconds since 2001-01-01 00:00:00 UTC.
  case timeIntervalSinceReferenceDate

  /// Reads the seconds since 1970-01-01 00:00:00 UTC.
  case timeIntervalSince1970

  /// Reads the milliseconds since 1970-01-01 00:00:00 UTC.
  case millisecondsSince1970

  /// Reads a TEXT in the format of ISO 8601 and RFC 3339, like `2031-04-09T07:05:03Z`. A day or a time that does not
  /// exist is an error.
  case iso8601

  /// Reads a TEXT with a formatter.
  case formatted(any DatabaseDateFormatter)

  /// Calls a function that converts the database value. If it returns nil, decoding throws an error.
  case custom(@Sendable (DatabaseValue) -> Date?)
}

extension DatabaseDateDecodingStrategy {
  /// Returns the date in a column that is not NULL.
  ///
  /// - Throws: A `RowDecodingError` if the value cannot be converted to a date.
  func date(_ row: Row, _ index: Int) throws -> Date {
    if case .deferredToDate = self { return try row.decode(Date.self, uncheckedIndex: index) }
    do {
      if let date = try readDate(row, index) { return date }
    } catch is RowDecodingError {
      // The underlying error names the type that the strategy reads. Report the requested type instead.
    }
    throw row.unreadable(Date.self, at: index)
  }

  private func readDate(_ row: Row, _ index: Int) throws -> Date? {
    switch self {
    case .deferredToDate: try row.decode(Date.self, uncheckedIndex: index)
    case .timeIntervalSinceReferenceDate: Date(timeIntervalSinceReferenceDate: try Self.number(row, index))
    case .timeIntervalSince1970: Date(timeIntervalSince1970: try Self.number(row, index))
    case .millisecondsSince1970: Date(timeIntervalSince1970: try Self.number(row, index) / 1000)
    case .iso8601: Self.dateOfISO8601(try row.decode(String.self, uncheckedIndex: index))
    case .formatted(let formatter): formatter.date(from: try row.decode(String.self, uncheckedIndex: index))
    case .custom(let function): function(try row.decode(DatabaseValue.self, uncheckedIndex: index))
    }
  }

  private static func dateOfISO8601(_ text: String) -> Date? {
    // Ignore the parser's error: the caller throws a `RowDecodingError` that names the column.
    guard let date = try? Date.ISO8601FormatStyle.iso8601.parse(text) else { return nil }
    // Foundation reads days and times that do not exist as later ones: February 30 as March 1, 25:00 as 01:00.
    let numbers = text.split { !("0"..."9" ~= $0) }.compactMap { Int($0) }
    guard numbers.count >= 6 else { return nil }
    var fields = DateText(format: .YMD_HMS)
    (fields.year, fields.month, fields.day) = (numbers[0], numbers[1], numbers[2])
    // RFC 3339 has leap seconds. They are read as the next second.
    (fields.hour, fields.minute, fields.second) = (numbers[3], numbers[4], numbers[5] == 60 ? 59 : numbers[5])
    return fields.isInCalendar ? date : nil
  }

  private static func number(_ row: Row, _ index: Int) throws -> Double {
    try row.decode(Double.self, uncheckedIndex: index)
  }
}
