import CSQLite
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
  let cursor = Workload.Side(name: "C: rows one by one") { try each(databases.bare, sql) { _ = bareItem($0) } }
  let kept = Workload.Side(name: "C: rows kept") { try check(bareRows(databases.bare, sql).count) }
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
    workload("[Row] of 6 columns", 1.4, kept) { db in try Row.fetchAll(db, sql: sql).count },
  ]
}

/// The values that a program in C would keep of a row with unknown columns.
private enum BareValue {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case bytes(Data)
}

private func bareRows(_ bare: BareConnection, _ sql: String) throws -> [[BareValue]] {
  var rows: [[BareValue]] = []
  try each(bare, sql) { statement in
    rows.append(
      (0..<sqlite3_column_count(statement)).map { index in
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: .double(sqlite3_column_double(statement, index))
        case SQLITE_TEXT: .text(String(cString: sqlite3_column_text(statement, index)))
        case SQLITE_BLOB: .bytes(bareData(statement, index))
        default: .null
        }
      })
  }
  return rows
}

// MARK: - Values

private func values(_ databases: ItemDatabases) -> [Workload] {
  func workload<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ name: String, _ target: Double, _ type: Value.Type, _ sql: String, bare: @escaping (OpaquePointer) -> Value
  ) -> Workload {
    let library = Workload.Side(name: name) {
      try databases.library.read { db in check(try Value.fetchAll(db, sql: sql).count) }
    }
    let bare = Workload.Side(name: "C: \(name)") {
      var values: [Value] = []
      try each(databases.bare, sql) { values.append(bare($0)) }
      check(values.count)
    }
    return Workload(name: name, target: target, count: count, bare: bare, library: library, prepare: databases.make)
  }
  return [
    workload("[Int]", 1.2, Int.self, "SELECT score FROM item") { Int(sqlite3_column_int64($0, 0)) },
    workload("[String]", 1.15, String.self, "SELECT name FROM item") { String(cString: sqlite3_column_text($0, 0)) },
    workload("[Date] from text", 1.2, Date.self, "SELECT date FROM item") { bareDate(sqlite3_column_text($0, 0)) },
    workload("[Data]", 1.6, Data.self, "SELECT data FROM item") { bareData($0, 0) },
    workload("[UUID] from blob", 1.35, UUID.self, "SELECT bytes FROM identifier") {
      UUID(uuid: sqlite3_column_blob($0, 0).loadUnaligned(as: uuid_t.self))
    },
    workload("[UUID] from text", 2, UUID.self, "SELECT text FROM identifier") { bareUUID(sqlite3_column_text($0, 0)) },
  ]
}

/// Parses a UUID from a text of 36 characters; nil for any other text.
private func bareUUID(_ text: UnsafePointer<UInt8>) -> UUID {
  func digit(_ character: UInt8) -> UInt8 {
    character <= UInt8(ascii: "9") ? character & 15 : (character & 15) + 9
  }
  var uuid = noBytes
  withUnsafeMutableBytes(of: &uuid) { bytes in
    var position = 0
    for index in 0..<16 {
      if text[position] == UInt8(ascii: "-") { position += 1 }
      bytes[index] = digit(text[position]) << 4 | digit(text[position + 1])
      position += 2
    }
  }
  return UUID(uuid: uuid)
}

private let noBytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

// MARK: - Rows in C

private func each(_ bare: BareConnection, _ sql: String, _ body: (OpaquePointer) -> Void) throws {
  let statement = try bare.prepare(sql)
  while sqlite3_step(statement) == SQLITE_ROW { body(statement) }
  sqlite3_finalize(statement)
}

private func bareData(_ statement: OpaquePointer, _ index: CInt) -> Data {
  Data(bytes: sqlite3_column_blob(statement, index), count: Int(sqlite3_column_bytes(statement, index)))
}

private func check(_ found: Int) {
  precondition(found == count, "\(found) rows were read, and there are \(count)")
}
