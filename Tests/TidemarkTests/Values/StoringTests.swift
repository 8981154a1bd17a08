import Foundation
import Testing
import Tidemark

/// The storage of Swift values.
@Suite struct StoringTests {
  private enum Grape: String, DatabaseValueConvertible { case merlot }
  private static let nothing: Int? = nil

  // swift-format-ignore
  @Test(arguments: [
    (true, .int64(1)), (false, .int64(0)), (1, .int64(1)), (Int8(-1), .int64(-1)), (UInt64(5), .int64(5)),
    (UInt64(Int64.max), .int64(.max)), (Int64.min, .int64(.min)),
    (1.5, .double(1.5)), (0.1 as Float, .double(0.10000000149011612)), (Float.infinity, .double(.infinity)),
    ("né", .string("né")), (Data([1]), .blob(Data([1]))), (Grape.merlot, .string("merlot")),
    (nothing, .null), (Optional(3), .int64(3)), (DatabaseValue.null, .null), (Optional(Grape.merlot), .string("merlot")),
  ] as [(any DatabaseValueConvertible & Sendable, DatabaseValue.Storage)])
  func valuesAreStored(value: any DatabaseValueConvertible & Sendable, storage: DatabaseValue.Storage) throws {
    #expect(value.databaseValue.storage == storage)
    try inMemory { db throws in
      #expect(try DatabaseValue.fetchOne(db, sql: "SELECT ?", arguments: [value])?.storage == storage)
      // Bound without an intermediate database value.
      let statement = try db.makeStatement(sql: "SELECT ?")
      #expect(value.bind(to: statement.sqliteStatement, at: 1) == 0)
      statement.setUncheckedArguments([value])
      #expect(try DatabaseValue.fetchOne(statement)?.storage == storage)
    }
  }

  @Test(arguments: [UInt64.max, UInt64(Int64.max) + 1])
  func oversizedIntegersTrap(number: UInt64) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
      _ = number.databaseValue
    }
    #expect(result.words.contains("\(number) does not fit in a signed 64-bit integer"))
  }

  @Test func missingColumnsAreNilForOptionalsOnly() {
    #expect(Int?.fromMissingColumn() == .some(nil))
    #expect(Int.fromMissingColumn() == nil)
    #expect(DatabaseValue.fromMissingColumn() == nil)
  }

  @Test func fastPathsReadAndBindStatements() throws {
    try inMemory { db throws in
      let statement = try db.makeStatement(sql: "SELECT 7, NULL, 'x'")
      let cursor = try Row.fetchCursor(statement)
      _ = try cursor.next()
      let pointer = statement.sqliteStatement
      #expect(Int.fromStatement(pointer, atUncheckedIndex: 0) == 7)
      #expect(Int.fromStatement(pointer, atUncheckedIndex: 1) == nil)
      #expect(Int?.fromStatement(pointer, atUncheckedIndex: 1) == .some(nil))
      #expect(UInt8(sqliteStatement: pointer, index: 0) == 7)
      #expect(String(sqliteStatement: pointer, index: 2) == "x")
      #expect(DatabaseValue(sqliteStatement: pointer, index: 1) == .null)
      #expect(DatabaseValue(sqliteStatement: pointer, index: 2) == "x".databaseValue)
    }
  }
}
