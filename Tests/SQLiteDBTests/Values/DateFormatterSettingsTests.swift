import Foundation
import Testing

@testable import SQLiteDB

/// The formatter of a program, and its settings.
@Suite(.serialized) struct DateFormatterSettingsTests {
  /// 2024-05-06 17:08:09.123 UTC.
  private let date = Date(timeIntervalSince1970: 1_715_015_289.123)

  private func formatter(_ format: String, _ change: (DateFormatter) -> Void = { _ in }) -> DateFormatter {
    let formatter = DateSamples.formatter(format, in: .gmt)
    change(formatter)
    return formatter
  }

  /// Runs a closure with a formatter for all dates.
  private func with(_ formatter: DateFormatter, _ body: () throws -> Void) rethrows {
    let usual = dateFormatter
    defer { dateFormatter = usual }
    dateFormatter = formatter
    try body()
  }

  private func compiled(_ formatter: DateFormatter) -> CompiledFormat {
    CompiledFormat(DateFormatterSettings(formatter))
  }

  @Test func `dates are stored and read in the format of the program`() throws {
    try with(formatter("dd.MM.yyyy HH:mm")) {
      let db = try Connection()
      let table = Table("t"), column = SQLExpression<Date>("d")
      try db.run(table.create { $0.column(column) })
      try db.run(table.insert(column <- date))
      #expect(try db.scalar("SELECT d FROM t") as? String == "06.05.2024 17:08")
      #expect(try db.pluck(table)?[column] == Date(timeIntervalSince1970: 1_715_015_280))
    }
  }

  @Test func `a format of SQLite is read if the text is not in the format of the program`() {
    with(formatter("dd.MM.yyyy")) {
      #expect(Date.fromDatatypeValue("2024-05-06 17:08") == Date(timeIntervalSince1970: 1_715_015_280))
    }
  }

  @Test func `a setting that changes later counts from the next date on`() {
    let formatter = formatter("yyyy-MM-dd HH:mm")
    with(formatter) {
      #expect(date.datatypeValue == "2024-05-06 17:08")
      formatter.timeZone = TimeZone(identifier: "Europe/Berlin")
      #expect(date.datatypeValue == "2024-05-06 19:08")
      formatter.dateFormat = "dd/MM"
      #expect(date.datatypeValue == "06/05")
      formatter.calendar = Calendar(identifier: .buddhist)
      formatter.dateFormat = "yyyy"
      #expect(date.datatypeValue == "2567")
    }
  }

  @Test func `the default format follows the summer time of a time zone`() {
    with(formatter(DateFormatting.format) { $0.timeZone = TimeZone(identifier: "Europe/London") }) {
      #expect(date.datatypeValue == "2024-05-06T18:08:09.123")
      #expect(Date.fromDatatypeValue("2024-05-06T18:08:09.123") == date)
      #expect((date - 120 * 86_400).datatypeValue == "2024-01-07T17:08:09.123")
    }
  }

  @Test func `a formatter with the default settings is not used`() {
    #expect(compiled(DateFormatting.makeDefault()).isDefault)
    #expect(!compiled(formatter("yyyy")).isDefault)
  }

  @Test(
    arguments: [
      { $0.locale = Locale(identifier: "ar_EG") }, { $0.calendar = Calendar(identifier: .japanese) },
      { $0.timeZone = .autoupdatingCurrent }, { $0.gregorianStartDate = .distantPast },
      { $0.defaultDate = Date(timeIntervalSince1970: 0) },
    ] as [@Sendable (DateFormatter) -> Void])
  func `formatters with other settings convert dates themselves`(change: @Sendable (DateFormatter) -> Void) {
    let formatter = formatter("yyyy-MM-dd", change)
    #expect(compiled(formatter).string(from: date, formatter) == nil)
    #expect(compiled(formatter).date(from: "2024-05-06", formatter) == nil)
  }

  @Test func `a lenient formatter parses texts itself`() {
    let lenient = formatter("yyyy-MM-dd") { $0.isLenient = true }
    #expect(compiled(lenient).string(from: date, lenient) == "2024-05-06")
    #expect(compiled(lenient).date(from: "2024-05-06", lenient) == nil)
  }

  /// A text, and a setting of the program that its format depends on.
  struct Custom: Sendable {
    let format: String
    let text: String
    let change: @Sendable (DateFormatter) -> Void

    init(_ format: String, _ text: String, _ change: @escaping @Sendable (DateFormatter) -> Void) {
      (self.format, self.text, self.change) = (format, text, change)
    }
  }

  @Test(
    arguments: [
      Custom("d MMM yyyy", "6 May 2024") { $0.shortMonthSymbols = $0.shortMonthSymbols.map { $0.uppercased() } },
      Custom("d MMMM yyyy", "6 May 2024") { $0.monthSymbols = $0.monthSymbols.map { $0.uppercased() } },
      Custom("yyyy-MM-dd EEE", "2024-05-06 Mon") { $0.shortWeekdaySymbols = $0.shortWeekdaySymbols.reversed() },
      Custom("yyyy-MM-dd h a", "2024-05-06 5 PM") { $0.pmSymbol = "pm" },
      Custom("yy-MM-dd", "24-05-06") { $0.twoDigitStartDate = Date(timeIntervalSince1970: 0) },
    ])
  func `names and centuries of the program are left to the formatter`(custom: Custom) {
    let usual = formatter(custom.format)
    #expect(compiled(usual).date(from: custom.text, usual) == usual.date(from: custom.text))
    #expect(compiled(usual).date(from: custom.text, usual) != nil)
    let changed = formatter(custom.format, custom.change)
    #expect(compiled(changed).date(from: custom.text, changed) == nil)
  }
}
