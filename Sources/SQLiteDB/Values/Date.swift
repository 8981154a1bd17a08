public import Foundation
import Synchronization
public import Tidemark

// Dates are texts: `2014-11-18T12:45:30.000`, in UTC. What is read may be any text or number that SQLite's own
// functions take for a date.
//
// The global `dateFormatter` is part of the API. As long as nobody has asked for it, nobody has changed it, and dates
// are written and read without it, in a fraction of its time.

extension Date: Value {
  /// `TEXT`
  public static var declaredDatatype: String { "TEXT" }

  /// The date that the text is: one that `dateFormatter` reads, or one in a format of SQLite.
  ///
  /// These are `YYYY-MM-DD`, with or without `HH:MM`, `HH:MM:SS` or `HH:MM:SS.SSS` after a space or a `T`, with or
  /// without `Z` or a distance from UTC; a time alone is one of 2000-01-01.
  ///
  /// - precondition: It is one. A column whose text is none throws a `ValueError`.
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

  /// The text of the date, as `dateFormatter` writes it.
  public var datatypeValue: String {
    if let formatter = SharedDateFormatter.changed { return formatter.string(from: self) }
    guard case .string(var text) = databaseValue.storage, let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else {
      return SharedDateFormatter.unchanged().string(from: self)
    }
    text.replaceSubrange(space...space, with: "T")
    return text
  }

  /// Not for you to call: a text, or a number: a Julian day, or, where it is too great to be one, seconds since 1970.
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

  // The rule of SQLite's modifier `auto`.
  private init(storedNumber number: Double) {
    let isJulianDay = number >= 0 && number < 5_373_484.5
    self.init(timeIntervalSince1970: isJulianDay ? (number - 2_440_587.5) * 86_400 : number)
  }
}

/// What writes and reads dates: `yyyy-MM-dd'T'HH:mm:ss.SSS`, in UTC, until it is changed.
///
/// ```swift
/// dateFormatter.dateFormat = "yyyy-MM-dd"
/// ```
///
/// Change it when the program starts: every connection uses it, on every thread.
public var dateFormatter: DateFormatter {
  get { SharedDateFormatter.shown() }
  set { SharedDateFormatter.replace(newValue) }
}

private enum SharedDateFormatter {
  // Formatters are shared by threads, which is theirs to be safe for: they are when nobody changes them meanwhile.
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

  /// The formatter, when it is not the one that it was.
  static var changed: DateFormatter? {
    guard isShown.load(ordering: .acquiring) else { return nil }
    let formatter = shown()
    let isSame = formatter.dateFormat == format && formatter.timeZone.secondsFromGMT() == 0
    return isSame ? nil : formatter
  }
}
