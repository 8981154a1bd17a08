import CBaseline
import Foundation
import Tidemark

private let count = 100_000

/// All rows of a table, as arrays of structures.
func reading(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = ItemDatabases(folder, "reading", count: count)
  let six = Workload.Side(name: "C: 6 columns") { try databases.bare.run(count, baseline_read_items) }
  let four = Workload.Side(name: "C: 4 columns") { try databases.bare.run(count, baseline_read_small_items) }
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
    workload("read 6 columns: by position", 1.35, PositionalItem.self, six, all),
    workload("read 6 columns: by name", 1.5, Item.self, six, all),
    workload("read 6 columns: Codable", 2, CodableItem.self, six, all),
    workload("read 4 columns: by position", 1.25, SmallPositionalItem.self, four, some),
    workload("read 4 columns: Codable", 2.5, SmallItem.self, four, some),
  ]
}

private func check(_ found: Int) {
  precondition(found == count, "\(found) rows were read, and there are \(count)")
}
