import Foundation
import Testing
import Tidemark

@Suite struct FoundationObjectTests {
  // MARK: Numbers

  @Test(
    arguments: [
      (NSNumber(value: 10), "10"), (NSNumber(value: 10.5), "10.5"), (NSNumber(value: 2.0), "2.0"),
      (NSNumber(value: true), "1"),
      (NSNumber(value: false), "0"), (NSNumber(value: Int8.min), "-128"), (NSNumber(value: UInt8.max), "255"),
      (NSNumber(value: UInt16.max), "65535"), (NSNumber(value: Int16.min), "-32768"),
      (NSNumber(value: UInt32.max), "4294967295"),
      (NSNumber(value: Int64.min), "-9223372036854775808"), (NSNumber(value: Int64.max), "9223372036854775807"),
      (NSNumber(value: UInt64(Int64.max)), "9223372036854775807"), (NSNumber(value: UInt64(1)), "1"),
      (NSNumber(value: Float(1.5)), "1.5"),
      (NSNumber(value: Double.nan), "NULL"), (NSNumber(value: 1e300), "1.0e+300"),
    ] as [(NSNumber, String)])
  func numbersAreStoredAsIntegerOrReal(number: NSNumber, literal: String) throws {
    #expect(try stored(number) == literal)
    #expect(try bound(number) == literal)
  }

  @Test(arguments: [
    ("10", "10"), ("10.0", "10"), ("10.5", "10.5"), ("-9223372036854775808", "-9223372036854775808"), ("0.1", "0.1"),
    ("9223372036854775807", "9223372036854775807"), ("9223372036854775808", "9.2233720368547758e+18"), ("4.59", "4.59"),
    ("123456789012345678901234567890", "1.2345678901234568e+29"),
  ])
  func decimalNumbersAreStoredAsIntegerOrReal(text: String, literal: String) throws {
    let expected = try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT quote(\(literal))") }
    #expect(try stored(NSDecimalNumber(string: text)) == expected)
  }

  @Test func invalidDecimalNumbersAreNull() throws { #expect(try stored(NSDecimalNumber.notANumber) == "NULL") }

  @Test func oversizedUnsignedNumbersTrap() async {
    await #expect(processExitsWith: .failure) { _ = NSNumber(value: UInt64.max).databaseValue }
    await #expect(processExitsWith: .failure) { _ = NSNumber(value: UInt64(Int64.max) + 1).databaseValue }
  }

  @Test(
    arguments: [
      ("10", NSNumber(value: 10)), ("10.5", NSNumber(value: 10.5)), ("'10.5'", NSDecimalNumber(string: "10.5")),
      ("-9223372036854775808", NSNumber(value: Int64.min)),
    ] as [(String, NSNumber)])
  func numbersAreRead(expression: String, number: NSNumber) throws {
    #expect(try strictly(NSNumber.self, expression) == number)
    #expect(try fast(NSNumber.self, expression) == number)
  }

  @Test(arguments: [
    ("10", "10"), ("10.5", "10.5"), ("'10.5'", "10.5"), ("0.1", "0.1"), ("9223372036854775807", "9223372036854775807"),
  ])
  func decimalNumbersAreRead(expression: String, text: String) throws {
    #expect(try strictly(NSDecimalNumber.self, expression) == NSDecimalNumber(string: text))
    #expect(try fast(NSDecimalNumber.self, expression) == NSDecimalNumber(string: text))
  }

  @Test(arguments: ["'abc'", "x'31'", "''"])
  func invalidNumbersAreRefused(expression: String) throws {
    #expect(try strictly(NSNumber.self, expression) == nil)
    #expect(try fast(NSNumber.self, expression) == nil)
    #expect(try strictly(NSDecimalNumber.self, expression) == nil)
  }

  @Test(
    arguments: [NSNumber(value: UInt64.max), UInt64.max, UInt.max, UInt64(Int64.max) + 1] as [any Sendable & Equatable])
  func oversizedUnsignedNumbersAreNoUntypedArgument(number: any Sendable & Equatable) {
    #expect(DatabaseValue(value: number) == nil)
    #expect(StatementArguments([1, number] as [Any]) == nil)
    #expect(StatementArguments(["a": number] as [AnyHashable: Any]) == nil)
  }

  @Test func otherNumbersAreUntypedArguments() {
    #expect(
      StatementArguments([NSNumber(value: true), UInt64(Int64.max), NSNumber(value: UInt64(1)), 1.5, "a"] as [Any])
        == [1, Int64.max, 1, 1.5, "a"])
  }

  // MARK: Texts, bytes and others

  @Test func objectsAreStoredAsTheirValues() throws {
    let uuid = NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    #expect(try stored(NSString(string: "it's é")) == "'it''s é'")
    #expect(try stored(NSMutableString(string: "a")) == "'a'")
    #expect(try stored(NSData(data: Data([1, 0xff]))) == "X'01FF'")
    #expect(try stored(NSData()) == "X''")
    #expect(try stored(NSMutableData(data: Data([2]))) == "X'02'")
    #expect(try stored(NSDate(timeIntervalSince1970: 1.5)) == "'1970-01-01 00:00:01.500'")
    #expect(try stored(NSURL(string: "https://ex.org/a")) == "'https://ex.org/a'")
    #expect(try stored(uuid) == "X'E621E1F8C36C495A93FC0C247A3E6E5F'")
    #expect(try stored(NSNull()) == "NULL")
    #expect(try stored(CGFloat(1.5)) == "1.5")
  }

  @Test func objectsAreRead() throws {
    let uuid = NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    #expect(try strictly(NSString.self, "'é'") == NSString(string: "é"))
    #expect(try fast(NSString.self, "'é'") == NSString(string: "é"))
    #expect(try strictly(NSData.self, "x'01ff'") == NSData(data: Data([1, 0xff])))
    #expect(try fast(NSData.self, "x'01ff'") == NSData(data: Data([1, 0xff])))
    #expect(try strictly(NSDate.self, "'1970-01-01 00:00:01.5'") == NSDate(timeIntervalSince1970: 1.5))
    #expect(try fast(NSDate.self, "1.5") == NSDate(timeIntervalSince1970: 1.5))
    #expect(try strictly(NSURL.self, "'https://ex.org/a'") == NSURL(string: "https://ex.org/a"))
    #expect(try fast(NSURL.self, #"'"https:\/\/ex.org\/a"'"#) == NSURL(string: "https://ex.org/a"))
    #expect(try strictly(NSUUID.self, "x'E621E1F8C36C495A93FC0C247A3E6E5F'") == uuid)
    #expect(try fast(NSUUID.self, "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'") == uuid)
    #expect(try strictly(CGFloat.self, "1.5") == 1.5)
    #expect(try fast(CGFloat.self, "2") == 2)
  }

  @Test func invalidObjectsAreRefused() throws {
    #expect(try strictly(NSString.self, "1") == nil)
    #expect(try strictly(NSData.self, "1") == nil)
    #expect(try strictly(NSDate.self, "'07:05'") == nil)
    #expect(try strictly(NSURL.self, "''") == nil)
    #expect(try strictly(NSUUID.self, "''") == nil)
    #expect(try strictly(NSNull.self, "1") == nil)
    #expect(try strictly(NSNull.self, "NULL") == nil)
    #expect(try strictly(CGFloat.self, "'1.5'") == nil)
    #expect(try fast(CGFloat.self, "'1.5'") == nil)
  }

  @Test func mutableClassesAreNeverRead() throws {
    #expect(try strictly(NSMutableString.self, "'a'") == nil)
    #expect(try strictly(NSMutableData.self, "x'01'") == nil)
  }

  // MARK: In context

  @Test func objectsAreArguments() throws {
    try DatabaseQueue().write { db in
      try db.execute(sql: "CREATE TABLE transfer(amount, note)")
      try db.execute(sql: "INSERT INTO transfer VALUES (?, ?)", arguments: [NSNumber(value: 10), NSNull()])
      try db.execute(
        sql: "INSERT INTO transfer VALUES (:a, :n)",
        arguments: ["a": Decimal(string: "10.5"), "n": NSString(string: "x")])
      let rows = try Row.fetchAll(db, sql: "SELECT * FROM transfer")
      #expect(rows == [["amount": 10, "note": nil], ["amount": "10.5", "note": "x"]])
      #expect(try NSNumber.fetchAll(db, sql: "SELECT amount FROM transfer") == [10, NSDecimalNumber(string: "10.5")])
      #expect(try NSString?.fetchAll(db, sql: "SELECT note FROM transfer") == [nil, NSString(string: "x")])
    }
  }

  @Test func objectsAreReadFromRows() throws {
    try DatabaseQueue().read { db in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 1 AS a, 'x' AS b, NULL AS c"))
      let number: NSNumber = row["a"]
      let string: NSString? = row["b"]
      let nothing: NSString? = row["c"]
      #expect(number == 1 && string == "x" && nothing == nil)
      #expect(try row.decode(NSNull?.self, forColumn: "c") == nil)
    }
  }

  @Test func objectsAreFoundInUntypedArguments() throws {
    let arguments = StatementArguments([NSNumber(value: 1), NSString(string: "a"), NSNull(), Decimal(2)] as [Any])
    #expect(arguments == [1, "a", nil, "2"])
  }
}
