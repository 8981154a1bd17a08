import CSQLite
import Foundation
import Tidemark

// The ways to read values from a database, for tests of conversions.

/// A value read through `DatabaseValue`, as from a copied row.
func strictly<Value: DatabaseValueConvertible>(_ type: Value.Type, _ expression: String) throws -> Value? {
  try DatabaseQueue().read { db in
    let row = try Row.fetchOne(db, sql: "SELECT \(expression)")!
    return Value.fromDatabaseValue(row[0])
  }
}

/// A value read from a running statement; nil if it cannot be decoded. The read value must not be NULL.
func fast<Value: DatabaseValueConvertible>(_ type: Value.Type, _ expression: String) throws -> Value? {
  try DatabaseQueue().read { db in
    do {
      return try Value.fetchOne(db, sql: "SELECT \(expression)")
    } catch is RowDecodingError {
      return nil
    }
  }
}

/// The value that SQLite has stored for an argument, as an SQL literal.
func stored(_ value: (any DatabaseValueConvertible)?) throws -> String? {
  try DatabaseQueue().read { db in
    try String.fetchOne(db, sql: "SELECT quote(?)", arguments: [value])
  }
}

/// The value that SQLite has stored for an argument bound without a `DatabaseValue`, as an SQL literal.
func bound(_ value: some StatementBinding) throws -> String? {
  try DatabaseQueue().read { db in
    let statement = try db.makeStatement(sql: "SELECT quote(?)")
    let sqliteStatement = statement.sqliteStatement
    defer { sqlite3_reset(sqliteStatement) }
    guard value.bind(to: sqliteStatement, at: 1) == SQLITE_OK, sqlite3_step(sqliteStatement) == SQLITE_ROW else {
      return nil
    }
    return sqlite3_column_text(sqliteStatement, 0).map { String(cString: $0) }
  }
}

/// A value that is written, then read in both ways.
func roundTrip<Value: DatabaseValueConvertible>(_ value: Value) throws -> (strict: Value?, fast: Value?) {
  try DatabaseQueue().read { db in
    let row = try Row.fetchOne(db, sql: "SELECT ?", arguments: [value])!
    return (Value.fromDatabaseValue(row[0]), try Value.fetchOne(db, sql: "SELECT ?", arguments: [value]))
  }
}

/// Random numbers that a printed seed determines.
struct ValueRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ test: String = #function, seed: UInt64 = .random(in: .min ... .max)) {
    print("\(test): seed \(seed)")
    state = seed
  }

  // SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
