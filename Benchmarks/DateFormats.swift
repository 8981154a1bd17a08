import Foundation
import SQLiteDB

/// Dates of SQLiteDB in a format of the program, which is set with `dateFormatter`. They are compared with the
/// conversions of `DateFormatter`, whose results they have.
func measureDateFormats(rounds: Int, _ report: Report) {
  let usual = dateFormatter
  defer { dateFormatter = usual }
  for (format, timeZone) in formats {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: timeZone)
    formatter.dateFormat = format
    dateFormatter = formatter
    let dates = (0..<count).map { Date(timeIntervalSince1970: 1_700_000_000 + Double($0 * 3_671)) }
    let texts = dates.map(formatter.string)
    compare("\(format) → text", rounds, report) {
      for date in dates { precondition(!formatter.string(from: date).isEmpty) }
    } with: {
      for date in dates { precondition(!date.datatypeValue.isEmpty) }
    }
    compare("text → \(format)", rounds, report) {
      for text in texts { precondition(formatter.date(from: text) != nil) }
    } with: {
      for text in texts { precondition(Date.fromDatatypeValue(text) > .distantPast) }
    }
  }
}

private let count = 2_000

// The last letters of the third and fourth pattern stand for the offset from GMT: `+02:00` or `Z`, and `+0200`.
private let formats = [
  ("yyyy-MM-dd HH:mm:ss", "GMT"), ("dd.MM.yyyy HH:mm:ss.SSS", "Europe/Berlin"), ("yyyy-MM-dd'T'HH:mm:ssXXX", "GMT"),
  ("EEE, d MMM yyyy HH:mm:ss Z", "GMT"),
]

/// Measures two ways to convert the dates, in interleaved rounds.
private func compare(
  _ name: String, _ rounds: Int, _ report: Report, formatter: () -> Void, with library: () -> Void
) {
  var (best, libraryBest) = (Double.infinity, Double.infinity)
  for _ in 0..<rounds {
    let start = cpuTime()
    measured(formatter)
    let middle = cpuTime()
    measured(library)
    best = min(best, middle - start)
    libraryBest = min(libraryBest, cpuTime() - middle)
  }
  report.add(
    Figure(
      group: "dates in a custom format (in place of C: DateFormatter)", name: name, value: libraryBest / best,
      unit: .ratio, bare: best / Double(count), library: libraryBest / Double(count)))
}
