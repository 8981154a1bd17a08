import CSQLite
public import FoundationEssentials

/// Date components and the text they are stored as: a day, a time of day, or both.
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
/// The formats are those of SQLite's date functions. What is read has the format it was written in, and a time
/// zone when the text has one (`07:05Z`, `07:05+02:00`). What is written has none. A text of a day or a time that does
/// not exist is not read.
public struct DatabaseDateComponents: Sendable {
  /// How date components are written.
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

  /// How they are written.
  public let format: Format

  /// Date components that are written in a format.
  ///
  /// Only the components of the format count. Those that are nil are written as year 0, January, the first day,
  /// midnight. Nanoseconds are rounded to the millisecond, but never up to the next second.
  public init(_ dateComponents: DateComponents, format: Format) {
    self.dateComponents = dateComponents
    self.format = format
  }
}

// MARK: - Values

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
  /// A TEXT.
  public var databaseValue: DatabaseValue { DatabaseValue(.string(DateText(self).text)) }

  /// From a TEXT in one of the formats.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
    guard case .string(let text) = dbValue.storage, let date = DateText(text), date.isInCalendar else { return nil }
    return DatabaseDateComponents(date)
  }

  /// From the text that SQLite sees in the column, when it is in one of the formats.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let bytes = ColumnValue(sqliteStatement, index).text, let text = DateText(utf8: bytes), text.isInCalendar
    else { return nil }
    self.init(text)
  }
}

extension DatabaseDateComponents: Codable {
  /// Reads the text that would be stored.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let string = try container.decode(String.self)
    guard let text = DateText(string), text.isInCalendar else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(String(reflecting: string)) is not a date in a format of SQLite")
    }
    self.init(text)
  }

  /// Writes the text that would be stored.
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
