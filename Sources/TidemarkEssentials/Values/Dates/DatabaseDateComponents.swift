import CSQLite
public import FoundationEssentials

/// Date components and their text format: a day, a time of day, or both.
///
/// ```swift
/// let birthday = DateComponents(year: 1973, month: 9, day: 18)
/// try db.execute(
///   sql: "INSERT INTO player (birthday) VALUES (?)",
///   arguments: [DatabaseDateComponents(birthday, format: .YMD)])  // "1973-09-18"
///
/// let row = try Row.fetchOne(db, sql: "SELECT birthday FROM player")!
/// let stored: DatabaseDateComponents = row["birthday"]
/// stored.format  // .YMD
/// stored.dateComponents.month  // 9
/// ```
///
/// The formats are the text formats of SQLite's date functions. A decoded value keeps the format of its text, and the
/// time zone if the text contains one (`07:05Z`, `07:05+02:00`). Stored text never contains a time zone. The text of an
/// invalid day or time is not decoded.
public struct DatabaseDateComponents: Sendable {
  /// The text format of date components.
  public enum Format: String, Sendable {
    /// `2031-04-09`
    case YMD = "yyyy-MM-dd"

    /// `2031-04-09 07:05`
    case YMD_HM = "yyyy-MM-dd HH:mm"

    /// `2031-04-09 07:05:03`
    case YMD_HMS = "yyyy-MM-dd HH:mm:ss"

    /// `2031-04-09 07:05:03.046`
    case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"

    /// `07:05`
    case HM = "HH:mm"

    /// `07:05:03`
    case HMS = "HH:mm:ss"

    /// `07:05:03.046`
    case HMSS = "HH:mm:ss.SSS"
  }

  /// The date components.
  public let dateComponents: DateComponents

  /// The format of the stored text.
  public let format: Format

  /// Creates date components that are stored in a format.
  ///
  /// Only the components in the format are stored. Missing components default to year 0, January, the first day, and
  /// midnight. Nanoseconds are rounded to milliseconds, but never up to the next second.
  ///
  /// ```swift
  /// let components = DateComponents(year: 2031, month: 4, day: 9)
  /// try db.execute(
  ///   sql: "INSERT INTO event (day) VALUES (?)",
  ///   arguments: [DatabaseDateComponents(components, format: .YMD)])    // "2031-04-09"
  /// ```
  ///
  /// - Parameter dateComponents: The components.
  /// - Parameter format: The format of the stored text.
  public init(_ dateComponents: DateComponents, format: Format) {
    self.dateComponents = dateComponents
    self.format = format
  }
}

// MARK: - Values

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
  /// The components as TEXT; NULL if the format has a day and the year is not in -4713...9999: SQLite does not read
  /// such years.
  public var databaseValue: DatabaseValue {
    let text = DateText(self)
    return text.hasYearOfSQLite ? DatabaseValue(.string(text.text)) : .null
  }

  /// Returns the components if the value is a TEXT in one of the formats.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
    guard case .string(let text) = dbValue.storage, let date = DateText(text), date.isInCalendar else { return nil }
    return DatabaseDateComponents(date)
  }

  /// Reads the column as TEXT. Fails if the text is not in one of the formats.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let bytes = ColumnValue(sqliteStatement, index).text, let text = DateText(utf8: bytes), text.isInCalendar
    else { return nil }
    self.init(text)
  }
}

extension DatabaseDateComponents: Codable {
  /// Decodes the text that the database would store.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let string = try container.decode(String.self)
    guard let text = DateText(string), text.isInCalendar else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(String(reflecting: string)) is not a date in one of SQLite's formats")
    }
    self.init(text)
  }

  /// Encodes the text that the database would store.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(DateText(self).text)
  }
}

// MARK: - Texts

extension DatabaseDateComponents {
  fileprivate init(_ text: DateText) {
    var components = DateComponents()
    components.timeZone = text.zone.flatMap { TimeZone(secondsFromGMT: $0) }
    if text.format.hasDate {
      components.year = text.year
      components.month = text.month
      components.day = text.day
    }
    if text.format.hasTime {
      components.hour = text.hour
      components.minute = text.minute
    }
    if text.format.hasSecond { components.second = text.second }
    if text.format.hasMillisecond { components.nanosecond = text.millisecond * 1_000_000 }
    self.init(components, format: text.format)
  }
}

extension DateText {
  fileprivate init(_ value: DatabaseDateComponents) {
    let components = value.dateComponents
    self.init(format: value.format)
    year = components.year ?? 0
    month = components.month ?? 1
    day = components.day ?? 1
    hour = components.hour ?? 0
    minute = components.minute ?? 0
    second = components.second ?? 0
    millisecond = Int((Double(components.nanosecond ?? 0) / 1e6).rounded().clamped(to: 0...999))
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
