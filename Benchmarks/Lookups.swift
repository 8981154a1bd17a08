import CBaseline
import Foundation
import Tidemark

private let count = 20_000
private let rowCount = 100_000

/// One row, found by its key. All sides read in one transaction.
func lookups(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = ItemDatabases(folder, "lookups", count: rowCount)
  let bare = Workload.Side(name: "C: lookup") {
    try databases.bare.run(count) { baseline_look_up($0, Int64(count), Int64(rowCount)) }
  }
  func workload(
    _ name: String, _ target: Double?, _ find: @escaping (Database, Int64) throws -> Bool
  ) -> Workload {
    let library = Workload.Side(name: name) {
      try databases.library.read { db in
        for number in 0..<count {
          let isFound = try find(db, key(number))
          precondition(isFound, "There is such a row")
        }
      }
    }
    return Workload(name: name, target: target, count: count, bare: bare, library: library, prepare: databases.make)
  }
  let sql = "SELECT * FROM item WHERE id = ?"
  return [
    workload("look up: own statement", 1.2) { db, key in
      try Item.fetchOne(db.cachedStatement(sql: sql), arguments: [key]) != nil
    },
    workload("look up: fetchOne(db, sql:arguments:)", 1.3) { db, key in
      try Item.fetchOne(db, sql: sql, arguments: [key]) != nil
    },
    workload("look up: fetchOne(db, key:)", 1.35) { db, key in try Item.fetchOne(db, key: key) != nil },
    workload("look up: filter { }.fetchOne(db)", 1.7) { db, key in
      try Item.filter(Column("id") == key).fetchOne(db) != nil
    },
    workload("look up: exists(db, key:)", nil) { db, key in try Item.exists(db, key: key) },
  ]
}

func key(_ number: Int) -> Int64 { Int64((number * 7919) % rowCount + 1) }
