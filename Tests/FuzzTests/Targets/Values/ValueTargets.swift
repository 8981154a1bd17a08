import Foundation
import Tidemark

@testable import TidemarkEssentials

/// The targets that read values and rows.
let valueTargets: [FuzzTarget] = [
  FuzzTarget("numbers", maxLength: 64, checkNumber),
  FuzzTarget("values", maxLength: 128, checkValue),
  FuzzTarget("dates", maxLength: 64, checkDate),
  FuzzTarget("date-patterns", maxLength: 128, checkDatePattern),
  FuzzTarget("rows", maxLength: 256, checkRows),
  FuzzTarget("json", maxLength: 256, checkJSON),
]

private let oracle = Result { try BareSQLite("CREATE TABLE t (x NUMERIC)") }

// MARK: - Numbers

/// A text is a number if SQLite converts it in a column that prefers numbers. A decimal number is read as its text.
private func checkNumber(_ input: inout FuzzInput) throws {
  let text = input.bool() ? input.restText() : input.numberText()
  if !text.utf8.contains(0) {
    _ = try oracle.get().value("INSERT INTO t VALUES (?)", [text.databaseValue])
    let type = try oracle.get().value("SELECT typeof(x) FROM t", [])
    _ = try oracle.get().value("DELETE FROM t", [])
    try require(
      text.isNumber == (type != "text".databaseValue), "\(text.debugDescription) becomes \(type as Any) in SQLite")
  }
  guard let decimal = Decimal.fromDatabaseValue(text.databaseValue) else { return }
  let stored = decimal.databaseValue
  try require(
    Decimal.fromDatabaseValue(stored) == decimal, "\(text.debugDescription) is \(decimal), which is stored as \(stored)"
  )
}

extension FuzzInput {
  /// A text of characters that occur in numbers.
  fileprivate mutating func numberText() -> String {
    let characters = Array("0123456789012345.+-eE \t\n\u{B}x_a\u{A0}é∞")
    return String(rest().map { characters[Int($0) % characters.count] })
  }
}

// MARK: - Conversions

/// Whatever a type decodes, it decodes again from the value that it stores, and from the column of a statement.
private func checkValue(_ input: inout FuzzInput) throws {
  let value = input.value()
  try checkConversions(Int64.self, value)
  try checkConversions(Int8.self, value)
  try checkConversions(UInt64.self, value)
  try checkConversions(Bool.self, value)
  try checkConversions(Double.self, value)
  try checkConversions(Float.self, value)
  try checkConversions(String.self, value)
  try checkConversions(Data.self, value)
  try checkConversions(UUID.self, value)
  try checkConversions(Decimal.self, value)
  try checkConversions(Date.self, value)
  try checkConversions(DatabaseDateComponents.self, value) { _ in true }
  try check(URL.self, value)
  try check(NSNumber.self, value)
  try check(NSDate.self, value)
  try check(NSUUID.self, value)
  _ = (value.description, value.sqlExpression)
}

private let database = Result { try DatabaseQueue() }

/// Checks that the value and a column with the value are decoded as the same value.
private func checkConversions<Value: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
  _ type: Value.Type, _ value: DatabaseValue
) throws {
  try checkConversions(type, value) { decoded in
    // The type may store the nearest value that it can represent. This value must not change again.
    guard let again = Value.fromDatabaseValue(decoded.databaseValue) else { return false }
    return Value.fromDatabaseValue(again.databaseValue) == again
  }
}

private func checkConversions<Value: DatabaseValueConvertible & StatementColumnConvertible>(
  _ type: Value.Type, _ value: DatabaseValue, _ isStable: (Value) -> Bool
) throws {
  let decoded = Value.fromDatabaseValue(value)
  // NULL is stored for a date that SQLite does not read.
  if let decoded, !decoded.databaseValue.isNull {
    try require(isStable(decoded), "\(value) is decoded as \(decoded), which is not stored")
  }
  let fetched = try database.get().inDatabase { db in
    let statement = try db.cachedStatement(sql: "SELECT ?")
    return try Row.fetchOne(statement, arguments: [value]).flatMap { row in
      value.isNull ? nil : Optional(try? row.decode(Value.self, atIndex: 0))
    }
  }
  let column = fetched.flatMap { $0 }
  try require(
    (column == nil) == (decoded == nil) || value.isNull,
    "\(value) is decoded as \(decoded as Any), and as \(column as Any) from a column")
  if let column, let decoded {
    try require(
      column.databaseValue == decoded.databaseValue, "\(value) is decoded as \(decoded), and as \(column) from a column"
    )
  }
  if let strict = Value._fromDatabaseValueStrictly(value) {
    try require(
      strict.databaseValue == decoded?.databaseValue, "\(value) is \(strict) if decoding is strict")
  }
}

/// Checks that a stored value is decoded as a value that is stored equally.
private func check<Value: DatabaseValueConvertible>(_ type: Value.Type, _ value: DatabaseValue) throws {
  guard let decoded = Value.fromDatabaseValue(value) else { return }
  let stored = decoded.databaseValue
  if stored.isNull { return }
  guard let again = Value.fromDatabaseValue(stored) else {
    throw FuzzFailure("\(value) is decoded as \(decoded), and stored as \(stored), which is not a \(type)")
  }
  try require(again.databaseValue == stored, "\(value) is decoded as \(decoded), and stored as \(stored)")
}
