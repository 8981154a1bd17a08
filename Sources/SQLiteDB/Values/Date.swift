public import Foundation
public import Tidemark

// Dates are stored as text: `2014-11-18T12:45:30.000`, in UTC. All strings and numbers that SQLite's date functions
// accept can be decoded.
//
// The global variable `dateFormatter` is part of the API. Until a program has read or replaced it, dates are encoded
// and decoded without it. Then `DateFormatting` converts them, if it can with the formatter's result, in a fraction of
// the time.

extension Date: Value {
  /// The declared type of a column: `TEXT`.
  public static var declaredDatatype: String { "TEXT" }

  /// Returns the date that a string represents, in the format of `dateFormatter` or in a format of SQLite.
  ///
  /// SQLite's formats are `YYYY-MM-DD`, optionally followed by a space or a `T` and `HH:MM`, `HH:MM:SS` or
  /// `HH:MM:SS.SSS`, and optionally by `Z` or an offset from UTC. A time without a date belongs to 2000-01-01.
  ///
  /// ```swift
  /// let date = Date.fromDatatypeValue("2014-11-18T12:45:30.000")
  /// ```
  ///
  /// - Precondition: The text represents a date. Reading a column with another text throws a ``ValueError`` instead.
  /// - Parameter datatypeValue: The text.
  /// - Returns: The date.
  public static func fromDatatypeValue(_ datatypeValue: String) -> Date {
    do {
      return try date(datatypeValue)
    } catch {
      error.trap()
    }
  }

  private static func date(_ datatypeValue: String) throws(ValueError) -> Date {
    if let date = DateFormatting.date(from: datatypeValue) { return date }
    let date = Date(storedText: datatypeValue) ?? Date(storedText: "2000-01-01 " + datatypeValue)
    // SQLite has neither Julian dates nor years after 9999.
    if let date, date >= DateFormatting.gregorianStart { return date }
    if let date = DateFormatting.dateOfFormatter(datatypeValue) ?? date { return date }
    throw ValueError(type: "Date", found: datatypeValue)
  }

  /// The date as text, in the format of `dateFormatter`.
  public var datatypeValue: String {
    if let text = DateFormatting.string(from: self) { return text }
    // `DateFormatter` writes Julian dates, which `distantPast` begins.
    let isJulian = self >= .distantPast && self < DateFormatting.gregorianStart
    guard !isJulian, case .string(var text) = databaseValue.storage,
      let space = text.utf8.firstIndex(of: UInt8(ascii: " "))
    else {
      return DateFormatting.makeDefault().string(from: self)
    }
    text.replaceSubrange(space...space, with: "T")
    return text
  }

  /// Not part of the public interface: decodes a string or a number. Numbers are Julian days; larger ones are seconds
  /// since 1970.
  public static func _from(stored: DatabaseValue) throws -> Date? {
    switch stored.storage {
    case .string(let text): try date(text)
    case .int64(let integer): Date(storedNumber: Double(integer))
    case .double(let double): Date(storedNumber: double)
    case .null, .blob: nil
    }
  }

  private init?(storedText text: String) {
    guard let date = Date.fromDatabaseValue(DatabaseValue(.string(text))) else { return nil }
    self = date
  }

  // This is the rule of SQLite's modifier `auto`.
  private init(storedNumber number: Double) {
    let isJulianDay = number >= 0 && number < 5_373_484.5
    self.init(timeIntervalSince1970: isJulianDay ? (number - 2_440_587.5) * 86_400 : number)
  }
}

/// The formatter of dates in the database. Default: `yyyy-MM-dd'T'HH:mm:ss.SSS`, in UTC.
///
/// ```swift
/// dateFormatter.dateFormat = "yyyy-MM-dd"
/// ```
///
/// Change it when the program starts: all connections use it, on all threads.
///
/// On Linux, formats of digits, `a`, offsets (`Z`, `X`, `x`) and literals are fast in the default formatter's locale
/// `en_US_POSIX`: a conversion takes about half a microsecond. In all other formats, locales and calendars,
/// `DateFormatter` converts dates, which takes one microsecond to text, and 30 to a date. Names of months and weekdays
/// are between: a text takes about 12.
public var dateFormatter: DateFormatter {
  get { DateFormatting.shown() }
  set { DateFormatting.replace(newValue) }
}
