import CSQLite
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
    try insert(count, databases.bare)
  } restore: {
    try databases.bare.execute("DELETE FROM item")
  }
  let returning = Workload.Side(name: "C: insert with RETURNING") {
    try insert(count, databases.bare, more: "RETURNING *") { _ = bareItem($0) }
  } restore: {
    try databases.bare.execute("DELETE FROM item")
  }
  let upserting = Workload.Side(name: "C: upsert") {
    let update = "name = excluded.name, score = excluded.score, ratio = excluded.ratio, data = excluded.data, date = "
    try insert(count, databases.bare, more: "ON CONFLICT DO UPDATE SET \(update)excluded.date RETURNING rowid") {
      _ = sqlite3_column_int64($0, 0)
    }
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
    workload("insert: prepared statement", 1.4) { db, number in
      let item = Sample.item(number)
      try db.cachedStatement(sql: sql)
        .execute(arguments: [item.id, item.name, item.score, item.ratio, item.data, item.date])
    },
    workload("insert: record", 1.6) { db, number in try Sample.item(number).insert(db) },
    workload("insert: Codable record", 2.2) { db, number in try Sample.codableItem(number).insert(db) },
    workload("insert: Codable record that learns its id", 2.2) { db, number in
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

/// The insertion of rows in bare C.
///
/// - Parameter more: SQL after the values.
/// - Parameter read: Reads the returned row.
func insert(
  _ count: Int, _ bare: BareConnection, more: String = "", _ read: ((OpaquePointer) -> Void)? = nil
) throws {
  try bare.execute("BEGIN IMMEDIATE")
  let statement = try bare.prepare(
    "INSERT INTO item (id, name, score, ratio, data, date) VALUES (?, ?, ?, ?, ?, ?) \(more)")
  for number in 1...count {
    bind(number, to: statement, id: 1, others: 2)
    if let read {
      guard sqlite3_step(statement) == SQLITE_ROW else { throw BareError(code: SQLITE_ERROR) }
      read(statement)
    }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw BareError(code: SQLITE_ERROR) }
    sqlite3_reset(statement)
  }
  sqlite3_finalize(statement)
  try bare.execute("COMMIT")
}

private func bind(_ number: Int, to statement: OpaquePointer, id: CInt, others: CInt) {
  sqlite3_bind_int64(statement, id, Int64(number))
  var name = Sample.names[number & 63]
  name.withUTF8 { utf8 in
    utf8.withMemoryRebound(to: CChar.self) {
      _ = sqlite3_bind_text(statement, others, $0.baseAddress, CInt($0.count), transient)
    }
  }
  sqlite3_bind_int64(statement, others + 1, Int64(number))
  sqlite3_bind_double(statement, others + 2, Double(number))
  Sample.bytes.withUnsafeBytes {
    _ = sqlite3_bind_blob(statement, others + 3, $0.baseAddress, CInt($0.count), transient)
  }
  sqlite3_bind_text(statement, others + 4, Sample.dateText, -1, transient)
}

// MARK: - Update

private func updates(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = ItemDatabases(folder, "update", count: count)
  let bare = Workload.Side(name: "C: update") { try update(count, databases.bare) }
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

private func update(_ count: Int, _ bare: BareConnection) throws {
  try bare.execute("BEGIN IMMEDIATE")
  let statement = try bare.prepare("UPDATE item SET name=?, score=?, ratio=?, data=?, date=? WHERE id=?")
  for number in 1...count {
    bind(number, to: statement, id: 6, others: 1)
    guard sqlite3_step(statement) == SQLITE_DONE else { throw BareError(code: SQLITE_ERROR) }
    sqlite3_reset(statement)
  }
  sqlite3_finalize(statement)
  try bare.execute("COMMIT")
}
