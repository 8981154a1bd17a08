import CSQLite
public import FoundationEssentials

// SQLite has no date type, so dates are stored as text: `2031-04-09 07:05:03.046`, in UTC. SQLite's date functions
// accept this format, it is readable, and it sorts by time.

extension Date: DatabaseValueConvertible, StatementColumnConvertible {
  /// The TEXT `YYYY-MM-DD HH:MM:SS.SSS`, in UTC, rounded to the millisecond.
  ///
  /// The calendar is the proleptic Gregorian calendar, as in SQLite and ISO 8601. (Foundation's calendar is Julian
  /// before 1582-10-15, and shows older dates some days apart.)
  ///
  /// Years before 0000 have a sign: `-0001-12-31 00:00:00.000`. They do not sort with other years.
  ///
  /// A date outside of the range of SQLite's functions, from -4713-11-24 12:00:00 to 9999-12-31 23:59:59.999, and a
  /// date that is not a number, are stored as NULL, like the results of these functions. `Encodable` records throw an
  /// `EncodingError` instead.
  public var databaseValue: DatabaseValue {
    guard let milliseconds = millisecondsOfSQLite else { return .null }
    return DatabaseValue(.string(DateText.text(millisecondsSince1970: milliseconds)))
  }

  /// Implementation detail; do not call it.
  public func _append(to arguments: inout StatementArguments) {
    guard let milliseconds = millisecondsOfSQLite, let moment = Moment(millisecondsSince1970: milliseconds) else {
      return arguments.values.append(databaseValue)
    }
    arguments.values.appendText(byteCount: Moment.textLength) { moment.write(to: $0) }
  }

  /// Decodes a text with a date, or a number of seconds since 1970.
  ///
  /// Texts are `YYYY-MM-DD`, optionally followed by ` HH:MM`, ` HH:MM:SS` or ` HH:MM:SS.SSS` (with a space or a `T`),
  /// and by `Z` or an offset from UTC such as `+02:00`. A day or a time that does not exist, such as 30 February or
  /// 24:00, is rejected.
  ///
  /// - Parameter dbValue: A database value.
  /// - Returns: The date; nil if the value is not a date.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
    switch dbValue.storage {
    case .string(let text): text.withUTF8Bytes { Date(text: $0) }
    case .int64(let seconds): Date(timeIntervalSince1970: Double(seconds))
    case .double(let seconds): Date(seconds: seconds)
    case .null, .blob: nil
    }
  }

  /// Decodes the value of a column; nil if it is not a date.
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> Date? {
    Date(sqliteStatement: sqliteStatement, index: index)
  }

  /// Decodes a text with a date, or a number of seconds since 1970, as `fromDatabaseValue` does.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let value = ColumnValue(sqliteStatement, index)
    switch value.type {
    case SQLITE_TEXT:
      guard let text = value.text else { return nil }
      self.init(text: text)
    case SQLITE_INTEGER:
      self.init(timeIntervalSince1970: Double(value.integer))
    case SQLITE_FLOAT:
      self.init(seconds: value.double)
    default:
      return nil
    }
  }

  /// Binds the text of the date.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    guard let milliseconds = millisecondsOfSQLite, let moment = Moment(millisecondsSince1970: milliseconds) else {
      return databaseValue.bind(to: sqliteStatement, at: index)
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Moment.textLength) { buffer in
      // The requested capacity is available: the pointer is not nil.
      let bytes = buffer.baseAddress.unsafelyUnwrapped
      moment.write(to: bytes)
      return bytes.withMemoryRebound(to: CChar.self, capacity: Moment.textLength) {
        sqlite3_bind_text(sqliteStatement, index, $0, CInt(Moment.textLength), tidemark_transient())
      }
    }
  }
}

extension Date {
  /// Creates a date from a Julian day: the number of days since noon in Greenwich on 24 November 4714 BC.
  ///
  /// This is the result of SQLite's function `julianday`, and is rounded to the millisecond as SQLite rounds it. The
  /// result is nil if SQLite does not accept the number: before day 0, or after the year 9999.
  ///
  /// - Parameter julianDay: A Julian day.
  public init?(julianDay: Double) {
    guard julianDay >= 0, julianDay < 5_373_484.5 else { return nil }
    let milliseconds = Int(julianDay * 86_400_000 + 0.5) - 210_866_760_000_000
    self.init(millisecondsSince1970: milliseconds)
  }
}

extension Date {
  @inline(__always)
  init(millisecondsSince1970 milliseconds: Int) {
    // A date stores its distance from 2001. Relative to 1970, the fraction would lose a bit.
    self.init(timeIntervalSinceReferenceDate: Double(milliseconds &- 978_307_200_000) / 1000)
  }

  @inline(__always)
  private init?(text: UnsafeBufferPointer<UInt8>) {
    guard let date = DateText(stored: text) ?? DateText(utf8: text), date.isInCalendar,
      let milliseconds = date.millisecondsSince1970
    else { return nil }
    self.init(millisecondsSince1970: milliseconds)
  }

  private init?(seconds: Double) {
    guard seconds.isFinite else { return nil }
    self.init(timeIntervalSince1970: seconds)
  }

  /// Rounded to the nearest millisecond; nil if SQLite's functions do not accept the date.
  @inline(__always)
  var millisecondsOfSQLite: Int? {
    guard let milliseconds = millisecondsSince1970,
      milliseconds >= -210_866_760_000_000, milliseconds < 253_402_300_800_000
    else { return nil }
    return milliseconds
  }

  /// Rounded to the nearest millisecond; nil if the date is too distant.
  ///
  /// A date stores its distance from 2001. Whole seconds and fraction are separated there: after a conversion to 1970,
  /// the fraction would have lost a bit.
  @inline(__always)
  var millisecondsSince1970: Int? {
    let seconds = timeIntervalSinceReferenceDate
    // 140 million years, a number of nine digits.
    guard abs(seconds) < 0x1p52 else { return nil }
    var wholeSeconds = Int(seconds)
    var fraction = seconds - Double(wholeSeconds)
    if fraction < 0 {
      wholeSeconds &-= 1
      fraction += 1
    }
    let nanoseconds = Int(fraction * 1e9)
    return (wholeSeconds &+ 978_307_200) &* 1000 &+ (nanoseconds &+ 500_000) / 1_000_000
  }
}
