import CSQLite
import Foundation

private let count = 100_000

// The targets of `Conversions.swift` were set on another machine, on which these loops were run, too. They call SQLite
// from Swift and produce Swift values. To be comparable with the times from that machine, they stay as they were; for
// all other purposes, the loops to compare with are those in `Baseline`.

/// A loop that was also run on the machine for which the targets were set.
struct Yardstick {
  let name: String

  /// The time per row there, in nanoseconds.
  let known: Double

  /// The number of rows.
  let count: Int

  let work: () throws -> Void
}

func yardsticks(_ folder: BenchmarkFolder) throws -> [Yardstick] {
  let databases = ItemDatabases(folder, "yardsticks", count: count)
  try databases.make()
  return [
    Yardstick(name: "rows one by one", known: 210, count: count) { try eachItem(databases.bare) },
    Yardstick(name: "6 columns", known: 364, count: count) { try check(sixColumns(databases.bare).count) },
    Yardstick(name: "4 columns", known: 173, count: count) { try check(fourColumns(databases.bare).count) },
  ]
}

private func check(_ found: Int) {
  precondition(found == count, "\(found) rows were read, and there are \(count)")
}

private func sixColumns(_ bare: BareConnection) throws -> [Item] {
  let statement = try bare.prepare("SELECT * FROM item")
  var items: [Item] = []
  while sqlite3_step(statement) == SQLITE_ROW { items.append(bareItem(statement)) }
  sqlite3_finalize(statement)
  return items
}

private func eachItem(_ bare: BareConnection) throws {
  let statement = try bare.prepare("SELECT * FROM item")
  while sqlite3_step(statement) == SQLITE_ROW { _ = bareItem(statement) }
  sqlite3_finalize(statement)
}

/// Returns the item in the current row of a statement.
private func bareItem(_ statement: OpaquePointer) -> Item {
  Item(
    id: sqlite3_column_int64(statement, 0), name: String(cString: sqlite3_column_text(statement, 1)),
    score: Int(sqlite3_column_int64(statement, 2)), ratio: sqlite3_column_double(statement, 3),
    data: Data(bytes: sqlite3_column_blob(statement, 4), count: Int(sqlite3_column_bytes(statement, 4))),
    date: bareDate(sqlite3_column_text(statement, 5)))
}

private func fourColumns(_ bare: BareConnection) throws -> [SmallItem] {
  let statement = try bare.prepare("SELECT id, name, score, ratio FROM item")
  var items: [SmallItem] = []
  while sqlite3_step(statement) == SQLITE_ROW {
    items.append(
      SmallItem(
        id: sqlite3_column_int64(statement, 0), name: String(cString: sqlite3_column_text(statement, 1)),
        score: Int(sqlite3_column_int64(statement, 2)), ratio: sqlite3_column_double(statement, 3)))
  }
  sqlite3_finalize(statement)
  return items
}

/// Parses a date from a text like `2023-11-14 22:13:20.123`.
private func bareDate(_ text: UnsafePointer<UInt8>) -> Date {
  func number(_ start: Int, _ count: Int) -> Int {
    (start..<start + count).reduce(0) { $0 * 10 + Int(text[$1]) - 48 }
  }
  let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2))
  let years = year - (month <= 2 ? 1 : 0)
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  let days = 365 * years + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
  let seconds = days * 86_400 + number(11, 2) * 3600 + number(14, 2) * 60 + number(17, 2)
  return Date(timeIntervalSince1970: Double(seconds) + Double(number(20, 3)) / 1000)
}
