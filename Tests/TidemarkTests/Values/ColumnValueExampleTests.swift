import Foundation
import Testing
import Tidemark

/// The examples of the guide on column values.
@Suite struct ColumnValueExampleTests {
  private static let book = "SELECT 'Dune' AS name, NULL AS nickname, 3 AS bookCount, '2015-09-11 18:14:15.123' AS date"

  @Test(arguments: [true, false])
  func columnsAreReadByIndexOrName(isLive: Bool) throws {
    func check(_ row: Row) {
      let byIndex: String = row[0]
      let byName: String = row["name"]
      let byColumn: String = row[Column("name")]
      #expect([byIndex, byName, byColumn] == ["Dune", "Dune", "Dune"])
    }
    if isLive { try withLiveRow(Self.book, check) } else { try check(firstRow(Self.book)) }
  }

  @Test func optionalsReadNull() throws {
    let row = try firstRow(Self.book)
    let name: String? = row["name"]
    let nickname: String? = row["nickname"]
    #expect(name == "Dune")
    #expect(nickname == nil)
  }

  @Test func subscriptReturnsTheRequestedType() throws {
    let row = try firstRow(Self.book)
    let bookCount: Int = row["bookCount"]
    let bookCount64: Int64 = row["bookCount"]
    let hasBooks: Bool = row["bookCount"]
    let string: String = row["date"]
    #expect(bookCount == 3)
    #expect(bookCount64 == 3)
    #expect(hasBooks)
    #expect(string == "2015-09-11 18:14:15.123")
    #expect(try firstRow("SELECT 0 AS bookCount")["bookCount"] as Bool == false)

    struct Holder { var date: String }
    var holder = Holder(date: "")
    holder.date = row["date"]
    #expect(holder.date == "2015-09-11 18:14:15.123")
  }

  @Test func asOperatorChoosesTheType() throws {
    let row = try firstRow(Self.book)
    #expect(row["bookCount"] as Int == 3)
    #expect(row["bookCount"] as Int? == 3)
    if let int = row["bookCount"] as Int? { #expect(int == 3) } else { Issue.record("no value") }
  }

  @Test func throwingAccessorsExist() throws {
    let row = try firstRow(Self.book)
    let name = try row.decode(String.self, atIndex: 0)
    let bookCount = try row.decode(Int.self, forColumn: "bookCount")
    #expect(name == "Dune")
    #expect(bookCount == 3)
  }

  @Test func coalesceReplacesNilCoalescing() throws {
    let row = try firstRow(Self.book)
    let name: String? = row.coalesce(["nickname", "name"])
    #expect(name == "Dune")
  }

  @Test func allNumbersConvertToAllNumericTypes() throws {
    for sql in ["SELECT 1", "SELECT 1.0"] {
      let row = try firstRow(sql)
      #expect(row[0] as Int == 1)
      #expect(row[0] as Int8 == 1)
      #expect(row[0] as Int16 == 1)
      #expect(row[0] as Int32 == 1)
      #expect(row[0] as Int64 == 1)
      #expect(row[0] as UInt == 1)
      #expect(row[0] as UInt8 == 1)
      #expect(row[0] as UInt16 == 1)
      #expect(row[0] as UInt32 == 1)
      #expect(row[0] as UInt64 == 1)
      #expect(row[0] as Double == 1)
      #expect(row[0] as Float == 1)
      #expect(row[0] as Bool)
    }
    #expect(try firstRow("SELECT 'a'")[0] as String == "a")
    #expect(try firstRow("SELECT x'01'")[0] as Data == Data([1]))
  }

  @Test func nullReturnsNil() throws {
    let row = try firstRow("SELECT NULL")
    #expect(row[0] as Int? == nil)
    #expect(row[0] as DatabaseValue == DatabaseValue.null)
  }

  @Test func missingColumnsReturnNil() throws {
    let row = try firstRow("SELECT 'foo' AS foo")
    #expect(row["missing"] as String? == nil)
    #expect(row.hasColumn("foo"))
    #expect(!row.hasColumn("missing"))
  }

  enum Fatal: String, CaseIterable, Codable {
    case null, missing, number, optionalNumber

    func run() throws {
      switch self {
      case .null: _ = try firstRow("SELECT NULL")[0] as Int
      case .missing: _ = try firstRow("SELECT 'foo' AS foo")["missing"] as String
      case .number: _ = try firstRow("SELECT 256")[0] as UInt8
      case .optionalNumber: _ = try firstRow("SELECT 256")[0] as UInt8?
      }
    }
  }

  @Test(arguments: Fatal.allCases)
  func documentedFatalErrorsTrap(example: Fatal) async {
    await #expect(processExitsWith: .failure) { [example] in try example.run() }
  }

  @Test func validConversionsSucceed() throws {
    #expect(try firstRow("SELECT 'Mom’s birthday'")[0] as String == "Mom’s birthday")
    #expect(try firstRow("SELECT 256")[0] as Int == 256)
  }

  @Test func databaseValuesAvoidFatalErrors() throws {
    func read(_ sql: String) throws -> String {
      let row = try firstRow(sql)
      let dbValue: DatabaseValue = row[0]
      if dbValue.isNull {
        return "NULL"
      } else if let number = UInt8.fromDatabaseValue(dbValue) {
        return "\(number)"
      } else {
        return "invalid"
      }
    }
    #expect(try read("SELECT NULL") == "NULL")
    #expect(try read("SELECT 255") == "255")
    #expect(try read("SELECT 256") == "invalid")
  }

  @Test func liveRowsConvertThroughSQLite() throws {
    try inMemory { db throws in
      let rows = try Row.fetchCursor(db, sql: "SELECT '20 small cigars'")
      var numbers: [Int] = []
      while let row = try rows.next() { numbers.append(row[0] as Int) }
      #expect(numbers == [20])
    }
  }

  // MARK: DatabaseValue

  @Test func databaseValuesAreReadLikeOthers() throws {
    let row = try firstRow(Self.book)
    let dbValue: DatabaseValue = row[0]
    let named: DatabaseValue? = row["name"]
    let missing: DatabaseValue? = row["missing"]
    #expect(!dbValue.isNull)
    #expect(named == dbValue)
    #expect(missing == nil)
    #expect(dbValue.storage.value as? String == "Dune")
  }

  @Test func storageClassesAreSwitchedOver() throws {
    let row = try firstRow("SELECT NULL, 1, 1.5, 'a', x'01'")
    let texts = row.map { _, dbValue in
      switch dbValue.storage {
      case .null: "NULL"
      case .int64(let int64): "Int64: \(int64)"
      case .double(let double): "Double: \(double)"
      case .string(let string): "String: \(string)"
      case .blob(let data): "Data: \(data)"
      }
    }
    #expect(texts == ["NULL", "Int64: 1", "Double: 1.5", "String: a", "Data: 1 bytes"])
  }

  @Test func valuesAreExtractedFromDatabaseValues() throws {
    let row = try firstRow(Self.book)
    let dbValue: DatabaseValue = row["bookCount"]
    #expect(Int.fromDatabaseValue(dbValue) == 3)
    #expect(Int64.fromDatabaseValue(dbValue) == 3)
    #expect(Bool.fromDatabaseValue(dbValue) == true)
    #expect(Bool.fromDatabaseValue(0.databaseValue) == false)
    #expect(String.fromDatabaseValue(row["date"]) == "2015-09-11 18:14:15.123")
  }

  @Test func fromDatabaseValueReturnsNilForInvalidConversions() throws {
    let row = try firstRow("SELECT 'Mom’s birthday'")
    let dbValue: DatabaseValue = row[0]
    #expect(String.fromDatabaseValue(dbValue) == "Mom’s birthday")
    #expect(Int.fromDatabaseValue(dbValue) == nil)
  }
}
