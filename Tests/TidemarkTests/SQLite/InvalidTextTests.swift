import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Text that is not UTF-8: repaired, or refused (hazard A9).
@Suite struct InvalidTextTests {
  // The bytes ff 00 fe, as TEXT.
  private static let sql = "SELECT CAST(x'FF00FE' AS TEXT) AS t"

  private static let refusing: Configuration = {
    var configuration = Configuration()
    configuration.invalidTextPolicy = .refuse
    return configuration
  }()

  // MARK: Repair, the default

  @Test func fetchedTextIsRepaired() throws {
    try inMemory { db throws in
      #expect(try String.fetchOne(db, sql: Self.sql) == "\u{FFFD}\0\u{FFFD}")
      #expect(try String?.fetchAll(db, sql: Self.sql) == ["\u{FFFD}\0\u{FFFD}"])
    }
  }

  @Test func rowTextIsRepaired() throws {
    #expect(try firstRow(Self.sql)["t"] as String == "\u{FFFD}\0\u{FFFD}")
    #expect(try withLiveRow(Self.sql) { $0["t"] as String } == "\u{FFFD}\0\u{FFFD}")
    #expect(try withLiveRow(Self.sql) { $0["t"] as DatabaseValue } == "\u{FFFD}\0\u{FFFD}".databaseValue)
  }

  @Test func dataKeepsInvalidBytes() throws {
    #expect(try inMemory { try Data.fetchOne($0, sql: Self.sql) } == Data([0xFF, 0, 0xFE]))
    #expect(try withLiveRow(Self.sql) { $0[0] as Data } == Data([0xFF, 0, 0xFE]))
  }

  @Test func invalidUTF8BlobIsNoStringInACopy() throws {
    #expect(String.fromDatabaseValue(Data([0xFF]).databaseValue) == nil)
    #expect(String.fromDatabaseValue(Data("é".utf8).databaseValue) == "é")
  }

  // MARK: Refuse

  @Test(arguments: ["text", "optional text", "value", "rows", "row"])
  func refusingConnectionsThrow(asked: String) throws {
    try inMemory(Self.refusing) { db throws in
      #expect(throws: RowDecodingError.self) {
        switch asked {
        case "text": _ = try String.fetchAll(db, sql: Self.sql)
        case "optional text": _ = try String?.fetchAll(db, sql: Self.sql)
        case "value": _ = try DatabaseValue.fetchAll(db, sql: Self.sql)
        case "rows": _ = try Row.fetchAll(db, sql: Self.sql)
        default: _ = try Row.fetchOne(db, sql: Self.sql)
        }
      }
    }
  }

  @Test func refusingConnectionsThrowFromLiveRows() throws {
    try inMemory(Self.refusing) { db throws in
      let cursor = try Row.fetchCursor(db, sql: Self.sql)
      let row = try #require(try cursor.next())
      #expect(throws: RowDecodingError.self) { try row.decode(String.self, forColumn: "t") }
      #expect(throws: RowDecodingError.self) { try row.decode(String?.self, forColumn: "t") }
      #expect(throws: RowDecodingError.self) { try row.decode(DatabaseValue.self, forColumn: "t") }
      #expect(try row.decode(Data.self, forColumn: "t") == Data([0xFF, 0, 0xFE]))
    }
  }

  @Test func errorsShowTheReadablePartOfTheText() throws {
    try inMemory(Self.refusing) { db throws in
      #expect(
        errorText { try String.fetchOne(db, sql: Self.sql) }
          == #"could not decode Optional<String> from database value "\#u{FFFD}\0\#u{FFFD}" - column: "t", "#
          + #"column index: 0, row: [t:"\#u{FFFD}\0\#u{FFFD}"], sql: `\#(Self.sql)`, arguments: []"#)
    }
  }

  @Test func refusingConnectionsReadValidText() throws {
    try inMemory(Self.refusing) { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT 'né' || char(0)") == "né\0")
      #expect(try Row.fetchOne(db, sql: "SELECT 'né' AS t")?["t"] as String? == "né")
    }
  }

  // What cannot throw gives the bytes: data is never a trap.
  @Test func nonThrowingAccessReturnsRejectedTextAsABlob() throws {
    let blob = Data([0xFF, 0, 0xFE]).databaseValue
    try inMemory(Self.refusing) { db throws in
      let cursor = try Row.fetchCursor(db, sql: Self.sql)
      let row = try #require(try cursor.next())
      #expect(Array(row).map(\.1) == [blob])
      #expect(row.databaseValues == [blob])
      #expect(row["t"] as DatabaseValue == blob)
      #expect(row[0] as DatabaseValue? == blob)
      #expect((row["t"] as (any DatabaseValueConvertible)?)?.databaseValue == blob)
      #expect(row.coalesce(["t"]) as DatabaseValue? == blob)
      #expect(row == row.copy())
      #expect(DatabaseValue(sqliteStatement: cursor.statement.sqliteStatement, index: 0) == blob)
    }
  }

  @Test func copiesOfRefusedTextsAreNotTexts() throws {
    try inMemory(Self.refusing) { db throws in
      let cursor = try Row.fetchCursor(db, sql: Self.sql)
      let copy = try #require(try cursor.next()).copy()
      #expect(throws: RowDecodingError.self) { try copy.decode(String.self, forColumn: "t") }
      #expect(try copy.decode(Data.self, forColumn: "t") == Data([0xFF, 0, 0xFE]))
    }
  }

  @Test func aSubscriptInARecordMakesTheFetchThrow() throws {
    struct Note: FetchableRecord {
      var text: String
      init(row: Row) { text = row["t"] }
    }
    try inMemory(Self.refusing) { db throws in
      let sql = "\(Self.sql) UNION ALL SELECT 'valid'"
      #expect(throws: RowDecodingError.self) { try Note.fetchAll(db, sql: sql) }
      #expect(throws: RowDecodingError.self) { try Note.fetchOne(db, sql: sql) }
      let notes = try Note.fetchCursor(db, sql: sql)
      #expect(throws: RowDecodingError.self) { try notes.next() }
      #expect(try notes.next()?.text == "valid")
    }
  }

  @Test func eachConnectionHasItsOwnPolicy() throws {
    let refusing = try DatabaseQueue(configuration: Self.refusing)
    let repairing = try DatabaseQueue()
    #expect(throws: RowDecodingError.self) { try refusing.read { try String.fetchOne($0, sql: Self.sql) } }
    #expect(try repairing.read { try String.fetchOne($0, sql: Self.sql) } == "\u{FFFD}\0\u{FFFD}")
    try refusing.close()
    // A new connection may have the address of a closed one.
    for _ in 0..<10 {
      #expect(try inMemory { try String.fetchOne($0, sql: Self.sql) } != nil)
    }
  }
}
