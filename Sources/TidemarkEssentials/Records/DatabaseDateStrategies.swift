public import FoundationEssentials

/// Writes dates, and reads them. Foundation's `DateFormatter` is one.
///
/// ```swift
/// struct Year: DatabaseDateFormatter {
///   func string(from date: Date) -> String { date.formatted(.iso8601.year()) }
///   func date(from string: String) -> Date? { try? Date(string, strategy: .iso8601.year()) }
/// }
/// ```
public protocol DatabaseDateFormatter: Sendable {
  /// The text of a date.
  func string(from date: Date) -> String

  /// The date of a text; nil when it is none.
  func date(from string: String) -> Date?
}

/// How dates are stored. See `EncodableRecord.databaseDateEncodingStrategy(for:)`.
public enum DatabaseDateEncodingStrategy: Sendable {
  /// As `Date.databaseValue` has it: a TEXT like `2031-04-09 07:05:03.046`, in UTC.
  case deferredToDate

  /// The seconds since the start of 2001, in UTC: a REAL.
  case timeIntervalSinceReferenceDate

  /// The seconds since the start of 1970, in UTC: a REAL.
  case timeIntervalSince1970

  /// The whole seconds since the start of 1970, in UTC: an INTEGER.
  case secondsSince1970

  /// The whole milliseconds since the start of 1970, in UTC: an INTEGER.
  case millisecondsSince1970

  /// As ISO 8601 and RFC 3339 have it: a TEXT like `2031-04-09T07:05:03Z`, without fraction of a second.
  case iso8601

  /// As a formatter writes it: a TEXT.
  case formatted(any DatabaseDateFormatter)

  /// As a function has it. nil is NULL.
  case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)
}

extension DatabaseDateEncodingStrategy {
  /// - throws: An `EncodingError` when the date has no text, or the number is too large for an INTEGER.
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
    throw EncodingError.refusing(date, "SQLite has no text for the date: its years are -4713 to 9999", codingPath)
  }

  private static func integer(
    _ number: Double, _ date: Date, _ codingPath: [any CodingKey]
  ) throws -> DatabaseValue {
    guard let integer = Int64(exactly: number.rounded(.down)) else {
      throw EncodingError.refusing(date, "The date is too far away to be stored as an integer", codingPath)
    }
    return integer.databaseValue
  }
}

/// How dates are read. See `FetchableRecord.databaseDateDecodingStrategy(for:)`.
public enum DatabaseDateDecodingStrategy: Sendable {
  /// As `Date` reads itself: from texts in the formats of SQLite, and from numbers of seconds since 1970.
  case deferredToDate

  /// From the seconds since the start of 2001.
  case timeIntervalSinceReferenceDate

  /// From the seconds since the start of 1970.
  case timeIntervalSince1970

  /// From the milliseconds since the start of 1970.
  case millisecondsSince1970

  /// From a text as ISO 8601 and RFC 3339 have it, like `2031-04-09T07:05:03Z`.
  case iso8601

  /// From a text as a formatter reads it.
  case formatted(any DatabaseDateFormatter)

  /// As a function has it; nil when the value is no date.
  case custom(@Sendable (DatabaseValue) -> Date?)
}

extension DatabaseDateDecodingStrategy {
  /// The date in a column, which is not NULL.
  ///
  /// - throws: A `RowDecodingError` when the value is no date.
  func date(_ row: Row, _ index: Int) throws -> Date {
    if case .deferredToDate = self { return try row.decode(Date.self, uncheckedIndex: index) }
    do {
      if let date = try readDate(row, index) { return date }
    } catch is RowDecodingError {
      // It says what the date is read from, and a date was asked for.
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

  // The error of the column says more than that of the parser.
  private static func dateOfISO8601(_ text: String) -> Date? { try? Date.ISO8601FormatStyle.iso8601.parse(text) }

  private static func number(_ row: Row, _ index: Int) throws -> Double {
    try row.decode(Double.self, uncheckedIndex: index)
  }
}
