import Foundation
import Testing
import Tidemark

@Suite struct DatabaseValueTests {
  // swift-format-ignore
  private static let descriptions: [(DatabaseValue.Storage, String)] = [
    (.null, "NULL"),
    (.int64(1), "1"), (.int64(.min), "-9223372036854775808"),
    (.double(1.5), "1.5"), (.double(1), "1.0"), (.double(-0.0), "-0.0"),
    (.double(1e100), "1e+100"), (.double(.infinity), "inf"), (.double(-.infinity), "-inf"),
    (.string(""), "\"\""), (.string("a\"b\n\u{01}é'"), #""a\"b\n\u{01}é\'""#),
    (.blob(Data()), "Data(0 bytes)"), (.blob(Data([1, 2])), "Data(2 bytes)"),
  ]

  @Test(arguments: descriptions)
  func valuesDescribeThemselves(storage: DatabaseValue.Storage, text: String) {
    #expect(DatabaseValue(storage).description == text)
  }

  // MARK: Equality

  // swift-format-ignore
  private static let equals: [(DatabaseValue.Storage, DatabaseValue.Storage)] = [
    (.null, .null), (.int64(1), .int64(1)), (.int64(1), .double(1)),
    (.int64(0), .double(-0.0)), (.double(0), .double(-0.0)),
    (.int64(.min), .double(Double(Int64.min))),
    (.int64(9_007_199_254_740_992), .double(9_007_199_254_740_992)),
    (.double(.infinity), .double(.infinity)),
    (.string("é"), .string("\u{E9}")), (.string(""), .string("")),
    (.blob(Data([0])), .blob(Data([0]))), (.blob(Data()), .blob(Data())),
  ]

  // swift-format-ignore
  private static let unequals: [(DatabaseValue.Storage, DatabaseValue.Storage)] = [
    (.null, .int64(0)), (.null, .string("")), (.null, .blob(Data())),
    (.int64(1), .int64(2)), (.int64(1), .double(1.5)), (.int64(1), .string("1")),
    (.double(1), .string("1.0")), (.string("a"), .blob(Data("a".utf8))),
    (.string(""), .blob(Data())), (.string("a"), .string("A")),
    (.string("a"), .string("a\0")), (.string("e\u{301}"), .string("\u{E9}")),
    (.int64(.max), .double(Double(Int64.max))),
    (.int64(9_007_199_254_740_993), .double(9_007_199_254_740_992)),
    (.double(.nan), .double(.nan)), (.int64(0), .double(.nan)),
    (.double(.infinity), .double(-.infinity)), (.int64(0), .double(.infinity)),
  ]

  @Test(arguments: equals)
  func valuesEqualInSQLiteHaveEqualHashes(lhs: DatabaseValue.Storage, rhs: DatabaseValue.Storage) {
    let lhs = DatabaseValue(lhs)
    let rhs = DatabaseValue(rhs)
    #expect(lhs == rhs)
    #expect(rhs == lhs)
    #expect(lhs.hashValue == rhs.hashValue)
  }

  @Test(arguments: unequals)
  func differentValuesAreNotEqual(lhs: DatabaseValue.Storage, rhs: DatabaseValue.Storage) {
    #expect(DatabaseValue(lhs) != DatabaseValue(rhs))
    #expect(DatabaseValue(rhs) != DatabaseValue(lhs))
  }

  /// NULL and NaN have special rules.
  @Test(arguments: equals + unequals)
  func equalityAgreesWithSQLite(lhs: DatabaseValue.Storage, rhs: DatabaseValue.Storage) throws {
    let lhs = DatabaseValue(lhs)
    let rhs = DatabaseValue(rhs)
    if lhs.isNull || rhs.isNull || lhs != lhs || rhs != rhs { return }
    let same = try inMemory { db in try Bool.fetchOne(db, sql: "SELECT ? = ?", arguments: [lhs, rhs]) }
    #expect((lhs == rhs) == same)
  }

  @Test func storagesOfDifferentClassesAreNotEqual() {
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

  @Test func storageConvertsToSwiftValues() {
    #expect(DatabaseValue.null.storage.value == nil)
    #expect(1.databaseValue.storage.value as? Int64 == 1)
    #expect(1.5.databaseValue.storage.value as? Double == 1.5)
    #expect("a".databaseValue.storage.value as? String == "a")
    #expect(Data([1]).databaseValue.storage.value as? Data == Data([1]))
  }

  @Test func anyStorableValueIsConverted() {
    struct Unknown {}
    let nothing: Int? = nil
    #expect(DatabaseValue(value: 1 as Any) == 1.databaseValue)
    #expect(DatabaseValue(value: "a" as Any) == "a".databaseValue)
    #expect(DatabaseValue(value: nothing as Any) == .null)
    #expect(DatabaseValue(value: DatabaseValue.null) == .null)
    #expect(DatabaseValue(value: Unknown()) == nil)
    #expect(DatabaseValue(value: [1, 2]) == nil)
  }

  @Test func databaseValuesConvertToThemselves() {
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
