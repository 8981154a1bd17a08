import CBaseline
import CSQLite
import Foundation
import SQLiteDB

private let count = 20_000
private let rowCount = 100_000

private let items = Table("item")
private let id = SQLExpression<Int64>("id")
private let name = SQLExpression<String>("name")
private let score = SQLExpression<Int>("score")
private let ratio = SQLExpression<Double>("ratio")
private let data = SQLExpression<Data>("data")
private let date = SQLExpression<Date>("date")

/// Rows that SQLiteDB writes and finds, one by one, in one transaction.
func typedQueries(_ folder: BenchmarkFolder) throws -> [Workload] {
  [try insertion(folder), try lookup(folder)]
}

private func insertion(_ folder: BenchmarkFolder) throws -> Workload {
  let databases = ItemDatabases(folder, "typed-insertion", count: 0)
  let bare = Workload.Side(name: "C: insert for SQLiteDB") {
    try databases.bare.run(count) { baseline_insert($0, Int64(count)) }
  } restore: {
    try databases.bare.execute("DELETE FROM item")
  }
  let library = Workload.Side(name: "insert: db.run(table.insert(setters))") {
    let db = Connection(try databases.library)
    try db.transaction {
      for number in 1...count {
        let item = Sample.item(number)
        try db.run(
          items.insert(
            id <- item.id, name <- item.name, score <- item.score, ratio <- item.ratio, data <- item.data,
            date <- item.date))
      }
    }
  } restore: {
    try Connection(try databases.library).run(items.delete())
  }
  return Workload(name: library.name, target: 3, count: count, bare: bare, library: library, prepare: databases.make)
}

private func lookup(_ folder: BenchmarkFolder) throws -> Workload {
  let databases = ItemDatabases(folder, "typed-lookups", count: rowCount)
  let bare = Workload.Side(name: "C: lookup for SQLiteDB") {
    try databases.bare.run(count) { baseline_look_up($0, Int64(count), Int64(rowCount)) }
  }
  let library = Workload.Side(name: "look up: db.pluck(table.filter(id == x))") {
    let db = Connection(try databases.library)
    try db.transaction {
      for number in 0..<count {
        guard let row = try db.pluck(items.filter(id == key(number))) else { throw BareError(code: SQLITE_ERROR) }
        precondition(row[score] > 0 && !row[name].isEmpty && row[ratio] > 0 && row[data].count == 32)
        precondition(row[date].timeIntervalSince1970 > 0)
      }
    }
  }
  return Workload(name: library.name, target: 3, count: count, bare: bare, library: library, prepare: databases.make)
}
