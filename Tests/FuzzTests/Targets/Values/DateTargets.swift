import Foundation
import Tidemark

@testable import SQLiteDB
@testable import TidemarkEssentials

private let oracle = Swift.Result { try BareSQLite() }

// MARK: - Dates

/// A text that is a date is the date that SQLite reads, and a formatted date is read as the same date.
func checkDate(_ input: inout FuzzInput) throws {
  let isText = input.bool()
  if isText {
    try checkDateText(input.bool() ? input.restText() : input.dateText())
  } else {
    try checkFormatting(Int64(bitPattern: input.bits()))
  }
}

private func checkDateText(_ text: String) throws {
  let value = text.databaseValue
  let date = Date.fromDatabaseValue(value)
  let components = DatabaseDateComponents.fromDatabaseValue(value)
  try require(
    DateText(text)?.isInCalendar != true || components != nil, "\(text.debugDescription) has no components")
  if let components {
    let stored = components.databaseValue
    let again = DatabaseDateComponents.fromDatabaseValue(stored)
    try require(
      stored.isNull || again.map { $0.format == components.format && $0.databaseValue == stored } == true,
      "\(text.debugDescription) is stored as \(stored), and read as \(again as Any)")
  }
  guard let date, let parsed = DateText(text) else { return }
  try require(parsed.isInCalendar && parsed.format.hasDate, "\(text.debugDescription) is \(date)")
  // SQLite rounds fractions, its arithmetic is off by one day before year 0, and it refuses larger offsets.
  guard 0...9999 ~= parsed.year, abs(parsed.zone ?? 0) <= 14 * 3600, !text.utf8.contains(0) else { return }
  guard text.split(separator: ".").last.map({ $0.prefix { $0.isNumber }.count <= 3 }) ?? true || !text.contains(".")
  else { return }
  let expected = try oracle.get().value("SELECT strftime('%s', ?)", [value])
  let seconds = (date.timeIntervalSince1970).rounded(.down)
  // SQLite has no time after the year 9999, to which an offset may lead.
  if expected == nil || expected?.isNull == true {
    try require(parsed.zone != nil, "\(text.debugDescription) is \(date), and no time in SQLite")
    return
  }
  try require(
    expected == String(Int64(seconds)).databaseValue, "\(text.debugDescription) is \(seconds), not \(expected as Any)")
}

private func checkFormatting(_ bits: Int64) throws {
  // All milliseconds of the years -9999 to 9999, and some more.
  let milliseconds = bits % 400_000_000_000_000
  let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  let stored = date.databaseValue
  if !(-210_866_760_000_000...253_402_300_799_999 ~= milliseconds) {
    return try require(stored.isNull, "SQLite does not read \(date), which is stored as \(stored)")
  }
  let read = try unwrap(Date.fromDatabaseValue(stored), "\(date) is stored as \(stored), which is not a date")
  try require(
    abs(read.timeIntervalSince1970 - date.timeIntervalSince1970) < 0.0011, "\(date) is stored as \(stored)")
  try require(read.databaseValue == stored, "\(stored) is read as \(read), which is stored as \(read.databaseValue)")
  guard (-62_167_219_200_000..<253_402_300_800_000).contains(milliseconds) else { return }
  let seconds = Double(milliseconds) / 1000
  for function in ["date", "time", "datetime"] {
    let text = try oracle.get().value("SELECT \(function)(?, 'unixepoch')", [seconds.rounded(.down).databaseValue])
    let value = try unwrap(text, "SQLite has no \(function) of \(seconds)")
    try require(DatabaseDateComponents.fromDatabaseValue(value) != nil, "SQLite's \(function) \(value) is not read")
  }
}

extension FuzzInput {
  /// A text of parts of dates.
  fileprivate mutating func dateText() -> String {
    let parts = [
      "2031-04-09", "0000-01-01", "9999-12-31", "2024-02-29", "2023-02-29", "1900-02-29", "-0001-12-31", "+10000-01-01",
      " ", "T", "07:05", "23:59:59", "24:00", ":03", ".046", ".9999", ".", "Z", "z", "+02:00", "-14:00", "+18:00", "-",
      "+", ":", "0", "1", "5", "9", "00", "31", "60",
    ]
    return rest().map { parts[Int($0) % parts.count] }.joined()
  }
}

// MARK: - Formats of SQLiteDB

/// A pattern formats and reads dates as `DateFormatter` does.
func checkDatePattern(_ input: inout FuzzInput) throws {
  let format = input.bool() ? input.text() : input.dateFormat()
  guard let pattern = DatePattern(format) else { return }
  let timeZone = input.element(of: timeZones)
  let formatter = DateFormatting.makeDefault()
  formatter.timeZone = timeZone
  formatter.dateFormat = format
  let milliseconds = Int64(bitPattern: input.bits()) % 300_000_000_000_000
  let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  if let text = pattern.string(from: date, in: timeZone) {
    let expected = formatter.string(from: date)
    try require(text == expected, "\(format.debugDescription): \(milliseconds) ms is \(text), not \(expected)")
    try checkReading(text, pattern, format, formatter)
  }
  try checkReading(input.restText(), pattern, format, formatter)
}

private func checkReading(
  _ text: String, _ pattern: DatePattern, _ format: String, _ formatter: DateFormatter
) throws {
  guard let date = pattern.date(from: text, in: formatter.timeZone) else { return }
  let expected = formatter.date(from: text)
  try require(
    date == expected,
    "\(format.debugDescription): \(text.debugDescription) is \(date.timeIntervalSince1970), "
      + "not \(expected?.timeIntervalSince1970 as Any)")
}

private let timeZones = ["GMT", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "GMT+0530"]
  .compactMap(TimeZone.init(identifier:))

extension FuzzInput {
  fileprivate mutating func dateFormat() -> String {
    let parts = [
      "y", "yy", "yyyy", "M", "MM", "MMM", "MMMM", "MMMMM", "d", "dd", "H", "HH", "h", "hh", "m", "mm", "s", "ss", "S",
      "SSS", "SSSSSS", "E", "EEEE", "EEEEE", "a", "Z", "ZZZZZ", "X", "XX", "X" + "XX", "x", "xxx", " ", "-", "/", ":",
      ".",
      ",", "_", "'T'", "''", "'o''clock'", "yyyy-MM-dd", "HH:mm:ss", "'", "é",
    ]
    return part().map { parts[Int($0) % parts.count] }.joined()
  }
}
