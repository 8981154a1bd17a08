import Foundation
import Testing
import Tidemark

@Suite struct DatabaseValueTests {
  // swift-format-ignore
  @Test(arguments: [
    (DatabaseValue.null, "NULL"),
    (1.databaseValue, "1"), (Int64.min.databaseValue, "-9223372036854775808"),
    (1.5.databaseValue, "1.5"), (1.0.databaseValue, "1.0"), ((-0.0).databaseValue, "-0.0"),
    (1e100.databaseValue, "1e+100"), (Double.infinity.databaseValue, "inf"), ((-Double.infinity).databaseValue, "-inf"),
    ("".databaseValue, "\"\""), ("a\"b\n\u{01}é'".databaseValue, #""a\"b\n\u{01}é\'""#),
    (Data().databaseValue, "Data(0 bytes)"), (Data([1, 2]).databaseValue, "Data(2 bytes)"),
  ] as [(DatabaseValue, String)])
  func aValueSaysWhatItIs(value: DatabaseValue, text: String) {
    #expect(value.description == text)
  }

  // MARK: Equality

  // swift-format-ignore
  private static let equals: [(DatabaseValue, DatabaseValue)] = [
    (.null, .null), (1.databaseValue, 1.databaseValue), (1.databaseValue, 1.0.databaseValue),
    (0.databaseValue, (-0.0).databaseValue), (0.0.databaseValue, (-0.0).databaseValue),
    (Int64.min.databaseValue, Double(Int64.min).databaseValue),
    (9_007_199_254_740_992.databaseValue, 9_007_199_254_740_992.0.databaseValue),
    (Double.infinity.databaseValue, Double.infinity.databaseValue),
    ("é".databaseValue, "\u{E9}".databaseValue), ("".databaseValue, "".databaseValue),
    (Data([0]).databaseValue, Data([0]).databaseValue), (Data().databaseValue, Data().databaseValue),
    (true.databaseValue, 1.databaseValue),
  ]

  // swift-format-ignore
  private static let unequals: [(DatabaseValue, DatabaseValue)] = [
    (.null, 0.databaseValue), (.null, "".databaseValue), (.null, Data().databaseValue),
    (1.databaseValue, 2.databaseValue), (1.databaseValue, 1.5.databaseValue), (1.databaseValue, "1".databaseValue),
    (1.0.databaseValue, "1.0".databaseValue), ("a".databaseValue, Data("a".utf8).databaseValue),
    ("".databaseValue, Data().databaseValue), ("a".databaseValue, "A".databaseValue),
    ("a".databaseValue, "a\0".databaseValue), ("e\u{301}".databaseValue, "\u{E9}".databaseValue),
    (Int64.max.databaseValue, Double(Int64.max).databaseValue),
    (9_007_199_254_740_993.databaseValue, 9_007_199_254_740_992.0.databaseValue),
    (Double.nan.databaseValue, Double.nan.databaseValue), (0.databaseValue, Double.nan.databaseValue),
    (Double.infinity.databaseValue, (-Double.infinity).databaseValue), (0.databaseValue, Double.infinity.databaseValue),
  ]

  @Test(arguments: equals)
  func valuesThatSQLiteFindsEqualAreEqualWithOneHash(lhs: DatabaseValue, rhs: DatabaseValue) {
    #expect(lhs == rhs)
    #expect(rhs == lhs)
    #expect(lhs.hashValue == rhs.hashValue)
  }

  @Test(arguments: unequals)
  func otherValuesAreNotEqual(lhs: DatabaseValue, rhs: DatabaseValue) {
    #expect(lhs != rhs)
    #expect(rhs != lhs)
  }

  /// NULL and NaN have a rule of their own.
  @Test(arguments: (equals + unequals).filter { pair in [pair.0, pair.1].allSatisfy { !$0.isNull && $0 == $0 } })
  func sqliteAgrees(lhs: DatabaseValue, rhs: DatabaseValue) throws {
    let same = try inMemory { db in try Bool.fetchOne(db, sql: "SELECT ? = ?", arguments: [lhs, rhs]) }
    #expect((lhs == rhs) == same)
  }

  @Test func storagesOfTwoClassesAreNeverEqual() {
    #expect(DatabaseValue.Storage.int64(1) == .int64(1))
    #expect(DatabaseValue.Storage.int64(1) != .double(1))
    #expect(DatabaseValue.Storage.null == .null)
    #expect(DatabaseValue.Storage.string("e\u{301}") != .string("\u{E9}"))
    #expect(DatabaseValue.Storage.string("") != .blob(Data()))
    #expect(DatabaseValue.Storage.blob(Data([1])) == .blob(Data([1])))
    #expect(DatabaseValue.Storage.double(.nan) != .double(.nan))
  }

  // MARK: Contents

  @Test func onlyNullIsNull() {
    #expect(DatabaseValue.null.isNull)
    #expect(!0.databaseValue.isNull)
    #expect(!"".databaseValue.isNull)
    #expect(!Data().databaseValue.isNull)
  }

  @Test func aStorageGivesItsValueAsASwiftType() {
    #expect(DatabaseValue.null.storage.value == nil)
    #expect(1.databaseValue.storage.value as? Int64 == 1)
    #expect(1.5.databaseValue.storage.value as? Double == 1.5)
    #expect("a".databaseValue.storage.value as? String == "a")
    #expect(Data([1]).databaseValue.storage.value as? Data == Data([1]))
  }

  @Test func aValueOfAnyTypeIsStoredWhenItsTypeCanBe() {
    struct Unknown {}
    let nothing: Int? = nil
    #expect(DatabaseValue(value: 1 as Any) == 1.databaseValue)
    #expect(DatabaseValue(value: "a" as Any) == "a".databaseValue)
    #expect(DatabaseValue(value: nothing as Any) == .null)
    #expect(DatabaseValue(value: DatabaseValue.null) == .null)
    #expect(DatabaseValue(value: Unknown()) == nil)
    #expect(DatabaseValue(value: [1, 2]) == nil)
  }

  @Test func aDatabaseValueIsItsOwnDatabaseValue() {
    #expect(DatabaseValue.fromDatabaseValue(.null) == DatabaseValue.null)
    #expect(DatabaseValue.fromDatabaseValue(1.databaseValue) == 1.databaseValue)
    #expect(1.databaseValue.databaseValue == 1.databaseValue)
  }

  @Test func nullIsPrintedAndOtherValuesAreBound() throws {
    try inMemory { db throws in
      #expect(try SQL("\(DatabaseValue.null)").build(db).sql == "NULL")
      let (sql, arguments) = try SQL("\(1.5.databaseValue)").build(db)
      #expect(sql == "?")
      #expect(arguments == [1.5])
    }
  }
}
