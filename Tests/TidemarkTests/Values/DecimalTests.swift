import Foundation
import Testing
import Tidemark

@Suite struct DecimalTests {
  static func decimal(_ text: String) -> Decimal { Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))! }

  @Test(arguments: [
    "10.5", "0", "-1", "0.1", "123456789012345678.123456789", "-0.00000000000000000001",
    "1000000000000000000000000000000",
    "340282366920938463463374607431768211455",
  ])
  func decimalsAreStoredAsText(text: String) throws {
    #expect(try stored(Self.decimal(text)) == "'\(text)'")
    #expect(try bound(Self.decimal(text)) == "'\(text)'")
  }

  @Test func notANumberIsNull() { #expect(Decimal.nan.databaseValue.isNull) }

  @Test(arguments: [
    ("10", "10"), ("-9223372036854775808", "-9223372036854775808"), ("9223372036854775807", "9223372036854775807"),
    ("0.1", "0.1"), ("1.1", "1.1"), ("-4.59", "-4.59"), ("1e30", "1000000000000000000000000000000"), ("0.0", "0"),
    ("-0.0", "0"),
    ("123456789.12345", "123456789.12345"), ("'10.5'", "10.5"), ("'10.50'", "10.5"), ("'-3'", "-3"), ("'+5'", "5"),
    ("'.5'", "0.5"),
    ("'5.'", "5"), ("'1e3'", "1000"), ("'1.5E-3'", "0.0015"), ("'0001'", "1"), ("'-0'", "0"), ("'0e999999'", "0"),
    ("'1e127'", "1e127"),
    ("'100e-130'", "1e-128"), ("'0.1000000000000000000000000000000000000000000000000000000000000000000'", "0.1"),
    ("'340282366920938463463374607431768211455'", "340282366920938463463374607431768211455"),
  ])
  func decimalsAreRead(expression: String, text: String) throws {
    #expect(try strictly(Decimal.self, expression) == Self.decimal(text))
    #expect(try fast(Decimal.self, expression) == Self.decimal(text))
  }

  @Test(arguments: [
    "''", "'abc'", "'12abc'", "' 1'", "'1 '", "'1,5'", "'.'", "'-'", "'e5'", "'1e'", "'1e+'", "'1e1.5'", "'--1'",
    "'1.2.3'", "'0x10'",
    "'NaN'", "'1_000'", "'1' || char(0)", "x'31'", "9e999", "1e-200", "1e300", "'1e170'", "'1000000e159'", "'1e-129'",
    "'1e99999999999999999999'", "'1e-9223372036854775808'", "'1e9223372036854775807'",
    "'1e9999999'", "'340282366920938463463374607431768211456'",
    "'3.14159265358979323846264338327950288419716939937510'", "'١'",
  ])
  func unrepresentableDecimalsAreRefused(expression: String) throws {
    #expect(try strictly(Decimal.self, expression) == nil)
    #expect(try fast(Decimal.self, expression) == nil)
  }

  @Test func nullIsNoDecimal() throws {
    #expect(try strictly(Decimal.self, "NULL") == nil)
    #expect(try DatabaseQueue().read { try Decimal?.fetchAll($0, sql: "SELECT NULL") } == [nil])
  }

  @Test func extremeDecimalsRoundTrip() throws {
    for decimal in [
      Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastNormalMagnitude,
      .pi,
    ] {
      #expect(try roundTrip(decimal) == (decimal, decimal))
    }
  }

  @Test func everyDecimalRoundTrips() throws {
    var random = ValueRandom()
    for _ in 0..<3000 {
      let digits = String(
        UInt128.random(in: 0...(UInt128.max >> UInt128.random(in: 0...127, using: &random)), using: &random))
      let exponent = Int.random(in: -128...127, using: &random)
      let decimal = Decimal(
        sign: Bool.random(using: &random) ? .plus : .minus, exponent: exponent, significand: Self.decimal(digits))
      guard !decimal.isNaN else { continue }
      #expect(Decimal.fromDatabaseValue(decimal.databaseValue) == decimal)
    }
  }

  @Test func fifteenDigitDecimalsSurviveNumericColumns() throws {
    var random = ValueRandom()
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE account(amount DECIMAL(15, 2))")
      for _ in 0..<500 {
        let amount = Decimal(Int.random(in: -999_999_999_999_999...999_999_999_999_999, using: &random)) / 100
        try db.execute(sql: "DELETE FROM account; INSERT INTO account VALUES (?)", arguments: [amount])
        #expect(try Decimal.fetchOne(db, sql: "SELECT amount FROM account") == amount)
      }
    }
  }
}
