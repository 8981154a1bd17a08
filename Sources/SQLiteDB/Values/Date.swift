public import Foundation
import Synchronization
public import Tidemark

// Dates are stored as text: `2014-11-18T12:45:30.000`, in UTC. All strings and numbers that SQLite's date functions
// accept can be decoded.
//
// The global variable `dateFormatter` is part of the API. Until a program has read or replaced it, dates are encoded
// and decoded without it, in a fraction of the time.

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
    if let formatter = SharedDateFormatter.changed, let date = formatter.date(from: datatypeValue) { return date }
    if let date = Date(storedText: datatypeValue) ?? Date(storedText: "2000-01-01 " + datatypeValue) { return date }
    throw ValueError(type: "Date", found: datatypeValue)
  }

  /// The date as text, in the format of `dateFormatter`.
  public var datatypeValue: String {
    if let formatter = SharedDateFormatter.changed { return formatter.string(from: self) }
    guard case .string(var text) = databaseValue.storage, let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else {
      return SharedDateFormatter.unchanged().string(from: self)
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
public var dateFormatter: DateFormatter {
  get { SharedDateFormatter.shown() }
  set { SharedDateFormatter.replace(newValue) }
}

private enum SharedDateFormatter {
  // Threads share a formatter, which is thread-safe as long as it is not modified concurrently.
  private struct FormatterBox: @unchecked Sendable { var formatter: DateFormatter? }

  private static let state = Mutex(FormatterBox())
  private static let isShown = Atomic<Bool>(false)

  static let format = "yyyy-MM-dd'T'HH:mm:ss.SSS"

  static func unchanged() -> DateFormatter {
    let formatter = DateFormatter()
    formatter.dateFormat = format
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    return formatter
  }

  static func shown() -> DateFormatter {
    state.withLock { state in
      let formatter = state.formatter ?? unchanged()
      state.formatter = formatter
      isShown.store(true, ordering: .releasing)
      return FormatterBox(formatter: formatter)
    }.formatter ?? unchanged()
  }

  static func replace(_ formatter: DateFormatter) {
    let shown = FormatterBox(formatter: formatter)
    state.withLock { $0 = shown }
    isShown.store(true, ordering: .releasing)
  }

  /// The formatter, if it differs from the default one; nil otherwise.
  static var changed: DateFormatter? {
    guard isShown.load(ordering: .acquiring) else { return nil }
    let formatter = shown()
    let isSame = formatter.dateFormat == format && formatter.timeZone.secondsFromGMT() == 0
    return isSame ? nil : formatter
  }
}
