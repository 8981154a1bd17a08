import CSQLite
import Foundation
import Tidemark

private let count = 100_000

/// All rows of a table, as arrays of structures.
func reading(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = ItemDatabases(folder, "reading", count: count)
  let six = Workload.Side(name: "C: 6 columns") { try check(sixColumns(databases.bare).count) }
  let four = Workload.Side(name: "C: 4 columns") { try check(fourColumns(databases.bare).count) }
  func workload<Record: FetchableRecord>(
    _ name: String, _ target: Double?, _ type: Record.Type, _ bare: Workload.Side, _ sql: String
  ) -> Workload {
    let library = Workload.Side(name: name) {
      try databases.library.read { db in check(try Record.fetchAll(db, sql: sql).count) }
    }
    return Workload(name: name, target: target, count: count, bare: bare, library: library, prepare: databases.make)
  }
  let all = "SELECT * FROM item"
  let some = "SELECT id, name, score, ratio FROM item"
  return [
    workload("read 6 columns: by position", 1.5, PositionalItem.self, six, all),
    workload("read 6 columns: by name", 1.65, Item.self, six, all),
    workload("read 6 columns: Codable", 2.6, CodableItem.self, six, all),
    workload("read 4 columns: by position", 1.25, SmallPositionalItem.self, four, some),
    workload("read 4 columns: Codable", 2.5, SmallItem.self, four, some),
  ]
}

/// A loop in C that was also run on the machine for which the targets were set.
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
  while sqlite3_step(statement) == SQLITE_ROW {
    items.append(bareItem(statement))
  }
  sqlite3_finalize(statement)
  return items
}

private func eachItem(_ bare: BareConnection) throws {
  let statement = try bare.prepare("SELECT * FROM item")
  while sqlite3_step(statement) == SQLITE_ROW { _ = bareItem(statement) }
  sqlite3_finalize(statement)
}

/// Returns the item in the current row of a statement.
func bareItem(_ statement: OpaquePointer) -> Item {
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

/// Parses a date from a text like `2023-11-14 22:13:20.123`; nil for any other text.
func bareDate(_ text: UnsafePointer<UInt8>) -> Date {
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
