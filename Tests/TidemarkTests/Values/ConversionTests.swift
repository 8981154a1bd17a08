import Foundation
import Testing
import Tidemark

/// The conversion of stored values to Swift values: strict for copies, as SQLite converts for running statements.
@Suite struct ConversionTests {
  /// The value of an SQL expression: read from a copy, and in the three ways to read a running statement.
  private func expect<T: DatabaseValueConvertible>(
    _ type: T.Type, of sql: String, strict: String, fast: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func text(_ body: () throws -> T) -> String {
      do {
        return try String(describing: body())
      } catch is RowDecodingError {
        return "error"
      } catch {
        return "\(error)"
      }
    }
    try inMemory { db throws in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT \(sql) AS x"))
      let value: DatabaseValue = row[0]
      #expect(text { try row.decode(T.self, atIndex: 0) } == strict, "copied", sourceLocation: sourceLocation)
      let converted = T.fromDatabaseValue(value) as T?
      #expect((converted as Optional).map { "\($0)" } ?? "error" == strict, "value", sourceLocation: sourceLocation)
      let literal: Row = ["x": value]
      #expect(text { try literal.decode(T.self, forColumn: "x") } == strict, "literal", sourceLocation: sourceLocation)

      #expect(text { try T.fetchAll(db, sql: "SELECT \(sql)")[0] } == fast, "fetched", sourceLocation: sourceLocation)
      let cursor = try Row.fetchCursor(db, sql: "SELECT \(sql) AS x")
      let live = try #require(try cursor.next())
      #expect(text { try live.decode(T.self, forColumn: "x") } == fast, "live", sourceLocation: sourceLocation)
      let adapted = try T.fetchCursor(db, sql: "SELECT 0, \(sql)", adapter: SuffixRowAdapter(fromIndex: 1))
      #expect(text { try adapted.next()! } == fast, "adapted", sourceLocation: sourceLocation)

      // The optional type has the same result.
      let optional = Result { try row.decode(T?.self, atIndex: 0).map { "\($0)" } ?? "nil" }
      let expected = value.isNull ? "nil" : strict
      #expect((try? optional.get()) ?? "error" == expected, "optional", sourceLocation: sourceLocation)
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    ("1", "true", "true"), ("0", "false", "false"), ("-1", "true", "true"), ("0.0", "false", "false"),
    ("1.5", "true", "true"), ("'1'", "error", "true"), ("'abc'", "error", "false"), ("''", "error", "false"),
    ("x'01'", "error", "false"), ("NULL", "error", "error"),
  ])
  func booleansConvert(sql: String, strict: String, fast: String) throws {
    try expect(Bool.self, of: sql, strict: strict, fast: fast)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("1", "1", "1"), ("-9223372036854775808", "-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775807", "9223372036854775807", "9223372036854775807"),
    ("1.7", "1", "1"), ("-1.7", "-1", "-1"), ("1e30", "error", "9223372036854775807"),
    ("-1e30", "error", "-9223372036854775808"), ("9.3e18", "error", "9223372036854775807"),
    ("9e999", "error", "9223372036854775807"), ("'12ab'", "error", "12"), ("'abc'", "error", "0"),
    ("' 7 '", "error", "7"), ("x''", "error", "0"), ("x'3132'", "error", "12"), ("NULL", "error", "error"),
  ])
  func integersConvert(sql: String, strict: String, fast: String) throws {
    try expect(Int.self, of: sql, strict: strict, fast: fast)
    try expect(Int64.self, of: sql, strict: strict, fast: fast)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("127", "127", "127"), ("128", "error", "error"), ("-128", "-128", "-128"), ("-129", "error", "error"),
    ("127.9", "127", "127"), ("1e30", "error", "error"), ("'12ab'", "error", "12"), ("'abc'", "error", "0"), ("NULL", "error", "error"),
  ])
  func int8ConvertsWithinItsBounds(sql: String, strict: String, fast: String) throws {
    try expect(Int8.self, of: sql, strict: strict, fast: fast)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("0", "0", "0"), ("-1", "error", "error"), ("-0.5", "0", "0"),
    ("9223372036854775807", "9223372036854775807", "9223372036854775807"),
    ("1e19", "10000000000000000000", "10000000000000000000"), ("1e20", "error", "error"),
    ("'-3'", "error", "error"), ("x''", "error", "0"),
  ])
  func unsignedIntegersConvert(sql: String, strict: String, fast: String) throws {
    try expect(UInt.self, of: sql, strict: strict, fast: fast)
    try expect(UInt64.self, of: sql, strict: strict, fast: fast)
  }

  @Test func integersOfEverySizeConvertWithinTheirBounds() throws {
    func check<T: FixedWidthInteger & DatabaseValueConvertible>(_ type: T.Type) throws {
      let lowest = Int64(clamping: T.min), highest = Int64(clamping: T.max)
      try expect(T.self, of: "\(highest)", strict: "\(highest)", fast: "\(highest)")
      if lowest > .min {
        try expect(T.self, of: "\(lowest)", strict: "\(lowest)", fast: "\(lowest)")
        try expect(T.self, of: "\(lowest - 1)", strict: "error", fast: "error")
      }
      if highest < .max { try expect(T.self, of: "\(highest + 1)", strict: "error", fast: "error") }
    }
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("1", "1.0", "1.0"), ("1.5", "1.5", "1.5"), ("-1e300", "-1e+300", "-1e+300"), ("9e999", "inf", "inf"),
    ("9007199254740993", "9007199254740992.0", "9007199254740992.0"),
    ("'1.5'", "error", "1.5"), ("'abc'", "error", "0.0"), ("x'00'", "error", "0.0"), ("NULL", "error", "error"),
  ])
  func doublesConvert(sql: String, strict: String, fast: String) throws {
    try expect(Double.self, of: sql, strict: strict, fast: fast)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("1", "1.0", "1.0"), ("0.1", "0.1", "0.1"), ("1e300", "inf", "inf"), ("'1.5'", "error", "1.5"), ("'abc'", "error", "0.0"),
    ("NULL", "error", "error"),
  ])
  func floatsConvert(sql: String, strict: String, fast: String) throws {
    try expect(Float.self, of: sql, strict: strict, fast: fast)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("'Dune'", "Dune", "Dune"), ("''", "", ""), ("x'64C3A9'", "dé", "dé"), ("x'FF'", "error", "\u{FFFD}"), ("x''", "", ""),
    ("1", "error", "1"), ("1.0", "error", "1.0"), ("1e30", "error", "1.0e+30"), ("NULL", "error", "error"),
  ])
  func stringsConvert(sql: String, strict: String, fast: String) throws {
    try expect(String.self, of: sql, strict: strict, fast: fast)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("x'0102'", "2 bytes", "2 bytes"), ("x''", "0 bytes", "0 bytes"), ("'né'", "3 bytes", "3 bytes"), ("''", "0 bytes", "0 bytes"),
    ("300", "error", "3 bytes"), ("1.5", "error", "3 bytes"), ("NULL", "error", "error"),
  ])
  func dataConverts(sql: String, strict: String, fast: String) throws {
    try expect(Data.self, of: sql, strict: strict, fast: fast)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("1", "1"), ("1.5", "1.5"), ("'a'", "\"a\""), ("x'01'", "Data(1 bytes)"), ("NULL", "NULL"),
  ])
  func databaseValuesConvert(sql: String, value: String) throws {
    try inMemory { db throws in
      #expect(try DatabaseValue.fetchAll(db, sql: "SELECT \(sql)").description == "[\(value)]")
      #expect(try DatabaseValue.fetchOne(db, sql: "SELECT \(sql)")?.description == value)
      #expect(try firstRow("SELECT \(sql)").decode(DatabaseValue.self, atIndex: 0).description == value)
      #expect(try withLiveRow("SELECT \(sql)") { try $0.decode(DatabaseValue.self, atIndex: 0).description } == value)
    }
  }

  // MARK: Raw values

  enum Grape: String, DatabaseValueConvertible { case chardonnay, merlot }
  enum Colour: Int, DatabaseValueConvertible, CaseIterable { case red, white }
  enum FastGrape: String, DatabaseValueConvertible, StatementColumnConvertible { case chardonnay, merlot }
  enum FastColour: Int, DatabaseValueConvertible, StatementColumnConvertible { case red, white }

  // swift-format-ignore
  @Test(arguments: [
    ("'merlot'", "merlot", "merlot"), ("'syrah'", "error", "error"), ("x'6D65726C6F74'", "merlot", "merlot"),
    ("1", "error", "error"), ("NULL", "error", "error"),
  ])
  func textRawValuesConvert(sql: String, strict: String, fast: String) throws {
    try expect(Grape.self, of: sql, strict: strict, fast: strict)
    try expect(FastGrape.self, of: sql, strict: strict, fast: fast)
  }

  // swift-format-ignore
  @Test(arguments: [
    ("1", "white", "white"), ("2", "error", "error"), ("1.5", "white", "white"), ("'1'", "error", "white"), ("NULL", "error", "error"),
  ])
  func integerRawValuesConvert(sql: String, strict: String, fast: String) throws {
    try expect(Colour.self, of: sql, strict: strict, fast: strict)
    try expect(FastColour.self, of: sql, strict: strict, fast: fast)
  }

  // MARK: Optionals

  @Test func nullIsNilForOptionalsOfEveryType() throws {
    func check<T: DatabaseValueConvertible>(_ type: T.Type) throws {
      try inMemory { db throws in
        #expect(try T?.fetchAll(db, sql: "SELECT NULL").map { $0 == nil } == [true])
        #expect(try Row.fetchOne(db, sql: "SELECT NULL")?.decode(T?.self, atIndex: 0) == nil)
        let one = try T?.fetchOne(db, sql: "SELECT NULL")
        #expect(one != nil)
        #expect(try T?.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
        #expect(try T.fetchOne(db, sql: "SELECT NULL") == nil)
      }
    }
    try check(Bool.self)
    try check(Int.self)
    try check(UInt8.self)
    try check(Double.self)
    try check(Float.self)
    try check(String.self)
    try check(Data.self)
    try check(Grape.self)
    try check(FastGrape.self)
  }

  @Test func optionalDatabaseValuesReadNull() throws {
    try inMemory { db throws in
      #expect(try DatabaseValue?.fetchAll(db, sql: "SELECT NULL") == [.some(.null)])
      #expect(try DatabaseValue.fetchAll(db, sql: "SELECT NULL") == [.null])
    }
  }

  @Test func nestedOptionalsReadAsOneOptional() throws {
    try inMemory { db throws in
      #expect(try Int??.fetchAll(db, sql: "SELECT 1 UNION ALL SELECT NULL") == [.some(.some(1)), .some(.none)])
    }
  }
}
