import CBaseline
import Foundation
import Tidemark

private let count = 100_000

/// All rows of a table: through a cursor, as copied rows, and one column of it as an array.
func columns(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = ItemDatabases(folder, "columns", count: count, more: identifiers)
  return rows(databases) + values(databases)
}

private let identifiers = """
  CREATE TABLE identifier (bytes BLOB, text TEXT);
  INSERT INTO identifier
  SELECT bytes, substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-' || substr(h, 13, 4) || '-' || substr(h, 17, 4)
    || '-' || substr(h, 21)
  FROM (SELECT randomblob(16) AS bytes, hex(randomblob(16)) AS h FROM item);
  """

// MARK: - Rows

private func rows(_ databases: ItemDatabases) -> [Workload] {
  let sql = "SELECT * FROM item"
  let cursor = Workload.Side(name: "C: rows one by one") { try databases.bare.run(count, baseline_visit_items) }
  let kept = Workload.Side(name: "C: rows kept") {
    try databases.bare.run(count) { baseline_read_rows($0, sql) }
  }
  func workload(
    _ name: String, _ target: Double, _ bare: Workload.Side, _ read: @escaping (Database) throws -> Int
  ) -> Workload {
    let library = Workload.Side(name: name) { try databases.library.read { check(try read($0)) } }
    return Workload(name: name, target: target, count: count, bare: bare, library: library, prepare: databases.make)
  }
  return [
    workload("cursor of 6 columns: by position", 1.6, cursor) { db in
      let rows = try Row.fetchCursor(db, sql: sql)
      var found = 0
      while let row = try rows.next() {
        _ = try PositionalItem(row: row)
        found += 1
      }
      return found
    },
    workload("cursor of 6 columns: by name", 1.8, cursor) { db in
      let rows = try Row.fetchCursor(db, sql: sql)
      var found = 0
      while let row = try rows.next() {
        _ = try Item(row: row)
        found += 1
      }
      return found
    },
    workload("[Row] of 6 columns", 1.6, kept) { db in try Row.fetchAll(db, sql: sql).count },
  ]
}

// MARK: - Values

private func values(_ databases: ItemDatabases) -> [Workload] {
  func workload<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ name: String, _ target: Double, _ type: Value.Type, _ sql: String,
    bare: @escaping (OpaquePointer, UnsafePointer<CChar>) -> Int64
  ) -> Workload {
    let library = Workload.Side(name: name) {
      try databases.library.read { db in check(try Value.fetchAll(db, sql: sql).count) }
    }
    let bare = Workload.Side(name: "C: \(name)") {
      try databases.bare.run(count) { bare($0, sql) }
    }
    return Workload(name: name, target: target, count: count, bare: bare, library: library, prepare: databases.make)
  }
  return [
    workload("[Int]", 1.05, Int.self, "SELECT score FROM item", bare: baseline_read_integers),
    workload("[String]", 1.1, String.self, "SELECT name FROM item", bare: baseline_read_texts),
    workload("[Date] from text", 1.2, Date.self, "SELECT date FROM item", bare: baseline_read_dates),
    workload("[Data]", 1.3, Data.self, "SELECT data FROM item", bare: baseline_read_blobs),
    workload(
      "[UUID] from blob", 1.15, UUID.self, "SELECT bytes FROM identifier", bare: baseline_read_uuids_from_blobs),
    workload(
      "[UUID] from text", 1.1, UUID.self, "SELECT text FROM identifier", bare: baseline_read_uuids_from_texts),
  ]
}

private func check(_ found: Int) {
  precondition(found == count, "\(found) rows were read, and there are \(count)")
}
