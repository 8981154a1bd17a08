import CBaseline
import Foundation
import Tidemark

private let count = 50_000

/// Rows written one by one, in one transaction.
func writing(_ folder: BenchmarkFolder) throws -> [Workload] {
  try insertions(folder) + updates(folder)
}

// MARK: - Insertion

private func insertions(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = ItemDatabases(folder, "insertion", count: 0)
  let bare = Workload.Side(name: "C: insert") {
    try databases.bare.run(count) { baseline_insert($0, Int64(count)) }
  } restore: {
    try databases.bare.execute("DELETE FROM item")
  }
  let returning = Workload.Side(name: "C: insert with RETURNING") {
    try databases.bare.run(count) { baseline_insert_and_fetch($0, Int64(count)) }
  } restore: {
    try databases.bare.execute("DELETE FROM item")
  }
  let upserting = Workload.Side(name: "C: upsert") {
    try databases.bare.run(count) { baseline_upsert($0, Int64(count)) }
  } restore: {
    try databases.bare.execute("DELETE FROM item")
  }
  func workload(
    _ name: String, _ target: Double?, _ bare: Workload.Side = bare,
    _ insert: @escaping (Database, Int) throws -> Void
  ) -> Workload {
    let library = Workload.Side(name: name) {
      try databases.library.write { db in
        for number in 1...count { try insert(db, number) }
      }
    } restore: {
      try databases.library.write { try $0.execute(sql: "DELETE FROM item") }
    }
    return Workload(name: name, target: target, count: count, bare: bare, library: library, prepare: databases.make)
  }
  let sql = "INSERT INTO item (id, name, score, ratio, data, date) VALUES (?, ?, ?, ?, ?, ?)"
  return [
    workload("insert: prepared statement", 1.3) { db, number in
      let item = Sample.item(number)
      try db.cachedStatement(sql: sql)
        .execute(arguments: [item.id, item.name, item.score, item.ratio, item.data, item.date])
    },
    workload("insert: record", 1.5) { db, number in try Sample.item(number).insert(db) },
    workload("insert: Codable record", 2.1) { db, number in try Sample.codableItem(number).insert(db) },
    workload("insert: Codable record that learns its id", 2.1) { db, number in
      var item = Sample.newItem(number)
      try item.insert(db)
    },
    workload("insert: Codable record, fetched back", nil, returning) { db, number in
      _ = try Sample.codableItem(number).insertAndFetch(db)
    },
    workload("insert: upsert of a Codable record", nil, upserting) { db, number in
      try Sample.codableItem(number).upsert(db)
    },
    workload("insert: save of a Codable record", nil) { db, number in
      var item = Sample.newItem(number)
      try item.save(db)
    },
  ]
}

// MARK: - Update

private func updates(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = ItemDatabases(folder, "update", count: count)
  let bare = Workload.Side(name: "C: update") {
    try databases.bare.run(count) { baseline_update($0, Int64(count)) }
  }
  func workload(_ name: String, _ update: @escaping (Database, Int) throws -> Void) -> Workload {
    let library = Workload.Side(name: name) {
      try databases.library.write { db in
        for number in 1...count { try update(db, number) }
      }
    }
    return Workload(name: name, target: nil, count: count, bare: bare, library: library, prepare: databases.make)
  }
  return [
    workload("update: record") { db, number in try Sample.item(number).update(db) },
    workload("update: Codable record") { db, number in try Sample.codableItem(number).update(db) },
    workload("update: save of a Codable record") { db, number in try Sample.codableItem(number).save(db) },
    workload("update: columns of a Codable record") { db, number in
      try Sample.codableItem(number).update(db, columns: ["name", "score", "ratio", "data", "date"])
    },
  ]
}
