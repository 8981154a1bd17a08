import Foundation
import Synchronization

/// The conversions of the formatter that `dateFormatter` returns.
///
/// A program may replace the formatter, or change its settings, at any time. Its settings are therefore compared before
/// each conversion. This takes a third of a microsecond; the conversions of `DateFormatter` take 1.2 and 28 (benchmark
/// `dates`).
enum DateFormatting {
  // Threads share a formatter, which is thread-safe as long as it is not modified concurrently.
  private struct State: @unchecked Sendable {
    var formatter: DateFormatter?
    var compiled: CompiledFormat?
  }

  private static let state = Mutex(State())
  private static let isShown = Atomic<Bool>(false)

  static let format = "yyyy-MM-dd'T'HH:mm:ss.SSS"

  /// The first day of Foundation's calendar that is not in the Julian calendar.
  static let gregorianStart = Date(timeIntervalSince1970: -12_219_292_800)

  /// Returns a formatter with the default settings.
  static func makeDefault() -> DateFormatter {
    let formatter = DateFormatter()
    formatter.dateFormat = format
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    return formatter
  }

  /// Returns the date of a text that a formatter with the default settings has written; nil for other texts.
  static func dateOfFormatter(_ text: String) -> Date? {
    let formatter = makeDefault()
    guard let date = formatter.date(from: text), formatter.string(from: date) == text else { return nil }
    return date
  }

  /// Returns the formatter of the program.
  static func shown() -> DateFormatter {
    let state = state.withLock { state in
      state.formatter = state.formatter ?? makeDefault()
      isShown.store(true, ordering: .releasing)
      return state
    }
    return state.formatter ?? makeDefault()
  }

  static func replace(_ formatter: DateFormatter) {
    let new = State(formatter: formatter)
    state.withLock { $0 = new }
    isShown.store(true, ordering: .releasing)
  }

  /// The format, unless it is the default one.
  ///
  /// - Parameter needsFormatter: Returns whether the formatter is needed whatever its other settings are.
  private static func custom(needsFormatter: (CompiledFormat) -> Bool) -> (DateFormatter, CompiledFormat)? {
    guard isShown.load(ordering: .acquiring) else { return nil }
    let current = state.withLock { $0 }
    let formatter = current.formatter ?? shown()
    if let compiled = current.compiled {
      if needsFormatter(compiled), formatter.dateFormat == compiled.settings.format { return (formatter, compiled) }
      if compiled.settings.are(of: formatter) { return compiled.isDefault ? nil : (formatter, compiled) }
    }
    let compiled = CompiledFormat(DateFormatterSettings(formatter))
    let new = State(formatter: formatter, compiled: compiled)
    // Another thread may have replaced the formatter meanwhile.
    state.withLock { state in if state.formatter === new.formatter { state = new } }
    return compiled.isDefault ? nil : (formatter, compiled)
  }

  /// Returns the text of a date in a format that is not the default one; nil otherwise.
  static func string(from date: Date) -> String? {
    guard let (formatter, compiled) = custom(needsFormatter: { !$0.canPrint }) else { return nil }
    return compiled.string(from: date, formatter) ?? formatter.string(from: date)
  }

  /// Returns the date of a text in a format that is not the default one; nil otherwise.
  static func date(from text: String) -> Date? {
    guard let (formatter, compiled) = custom(needsFormatter: { !$0.canParse }) else { return nil }
    return compiled.date(from: text, formatter) ?? formatter.date(from: text)
  }
}

/// The settings of a formatter that can be read fast.
struct DateFormatterSettings: Sendable {
  let format: String?
  let locale: String?
  let timeZone: TimeZone?
  let isLenient: Bool
  let isSimple: Bool

  init(_ formatter: DateFormatter) {
    format = formatter.dateFormat
    locale = formatter.locale?.identifier
    timeZone = formatter.timeZone
    isLenient = formatter.isLenient
    isSimple = Self.isSimple(formatter)
  }

  /// Whether the formatter still has these settings.
  func are(of formatter: DateFormatter) -> Bool {
    formatter.dateFormat == format && formatter.timeZone == timeZone && formatter.locale?.identifier == locale
      && formatter.isLenient == isLenient && Self.isSimple(formatter) == isSimple
  }

  /// Whether the calendar is Gregorian, and texts depend on nothing but the format, the locale and the time zone.
  private static func isSimple(_ formatter: DateFormatter) -> Bool {
    // Other calendars have no Gregorian start date. To read the calendar itself takes 20 times as long.
    formatter.gregorianStartDate == DateFormatting.gregorianStart && formatter.defaultDate == nil
      && !formatter.doesRelativeDateFormatting
  }
}

/// The pattern of a formatter with given settings.
struct CompiledFormat: Sendable {
  let settings: DateFormatterSettings

  /// Whether dates are converted as without a formatter.
  let isDefault: Bool

  /// Whether the format, with usual other settings, can be formatted without the formatter.
  let canPrint: Bool

  /// Whether the format, with usual other settings, can be parsed without the formatter.
  let canParse: Bool

  private let timeZone: TimeZone
  private let pattern: DatePattern?
  private let needs: DatePattern.Needs

  init(_ settings: DateFormatterSettings) {
    self.settings = settings
    timeZone = settings.timeZone ?? .gmt
    let formatPattern = settings.format.flatMap(DatePattern.init)
    needs = formatPattern?.needs ?? []
    // To compare names of months and weekdays takes longer than to format a date.
    canPrint = formatPattern != nil && needs.isDisjoint(with: [.monthNames, .weekdayNames])
    canParse = formatPattern?.canParse == true
    let isUsual = Self.isUsual(settings)
    isDefault = isUsual && settings.format == DateFormatting.format && settings.timeZone == .gmt
    #if canImport(Darwin)
      // Not compared with the formatter of this platform.
      pattern = nil
    #else
      pattern = isUsual ? formatPattern : nil
    #endif
  }

  /// Whether the settings other than the format are those for which patterns have the formatter's results.
  private static func isUsual(_ settings: DateFormatterSettings) -> Bool {
    // A formatter keeps the time zone that was current when it was used first.
    guard let timeZone = settings.timeZone, timeZone != .autoupdatingCurrent else { return false }
    return settings.isSimple && settings.locale == "en_US_POSIX"
  }

  /// Returns the text of a date; nil if only the formatter can decide it.
  func string(from date: Date, _ formatter: DateFormatter) -> String? {
    guard let pattern, canPrint else { return nil }
    guard !needs.contains(.dayPeriods) || Self.hasDayPeriods(formatter) else { return nil }
    return pattern.string(from: date, in: timeZone)
  }

  /// Returns the date of a text; nil if only the formatter can decide it.
  func date(from text: String, _ formatter: DateFormatter) -> Date? {
    guard let pattern, canParse, !settings.isLenient else { return nil }
    guard needs.isEmpty || hasNeeds(formatter) else { return nil }
    return pattern.date(from: text, in: timeZone)
  }

  private func hasNeeds(_ formatter: DateFormatter) -> Bool {
    if needs.contains(.century), formatter.twoDigitStartDate != Self.centuryStart { return false }
    if needs.contains(.dayPeriods), !Self.hasDayPeriods(formatter) { return false }
    if needs.contains(.monthNames) {
      guard formatter.monthSymbols == DatePattern.monthNames else { return false }
      guard formatter.shortMonthSymbols == Self.shortMonthNames else { return false }
    }
    if needs.contains(.weekdayNames) {
      guard formatter.weekdaySymbols == DatePattern.weekdayNames else { return false }
      guard formatter.shortWeekdaySymbols == Self.shortWeekdayNames else { return false }
    }
    return true
  }

  private static func hasDayPeriods(_ formatter: DateFormatter) -> Bool {
    formatter.amSymbol == DatePattern.dayPeriods[0] && formatter.pmSymbol == DatePattern.dayPeriods[1]
  }

  private static let shortMonthNames = DatePattern.monthNames.map { String($0.prefix(3)) }
  private static let shortWeekdayNames = DatePattern.weekdayNames.map { String($0.prefix(3)) }

  /// The start of the century of two-digit years, 1950-01-01, unless the program has changed it.
  private static let centuryStart = Date(timeIntervalSince1970: -631_152_000)
}
