import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// One decoder serves all the rows of a statement. It does not outlive the fetch.
@Suite struct ReusableDecoderTests {
  private static let decoder = Locked<WeakReference?>(nil)

  private final class WeakReference: @unchecked Sendable {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
  }

  /// A record that stores its decoder for the test.
  private struct Spy: Decodable, FetchableRecord {
    var id: Int
    var name: String?

    private enum CodingKeys: CodingKey {
      case id, name
    }

    init(from decoder: any Decoder) throws {
      ReusableDecoderTests.decoder.update { $0 = WeakReference(decoder as AnyObject) }
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      name = try container.decodeIfPresent(String.self, forKey: .name)
      if name == "refused" { throw NoRow() }
    }
  }

  private let sql = "SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, NULL UNION ALL SELECT 3, 'refused'"

  private var isDecoderAlive: Bool { Self.decoder.value?.object != nil }

  @Test func decodersAreReleasedWithTheFetch() throws {
    try inMemory { db in
      try #expect(Spy.fetchAll(db, sql: sql + " LIMIT 2").map(\.id) == [1, 2])
      #expect(!isDecoderAlive)
      try #expect(Spy.fetchOne(db, sql: sql)?.name == "a")
      #expect(!isDecoderAlive)
    }
  }

  @Test func decodersAreReleasedWithAFailedFetch() throws {
    try inMemory { db in
      #expect(throws: NoRow.self) { try Spy.fetchAll(db, sql: sql) }
      #expect(!isDecoderAlive)
      #expect(throws: NoRow.self) { try Spy.fetchOne(db, sql: sql + " LIMIT 1 OFFSET 2") }
      #expect(!isDecoderAlive)
    }
  }

  @Test func decodersLiveAsLongAsTheirCursor() throws {
    try inMemory { db in
      do {
        let records = try Spy.fetchCursor(db, sql: sql)
        _ = try records.next()
        #expect(isDecoderAlive)
        _ = try records.next()
        withExtendedLifetime(records) {}
      }
      #expect(!isDecoderAlive)
    }
  }

  @Test func copiedRowsKeepNoDecoder() throws {
    try inMemory { db in
      let rows = try Row.fetchAll(db, sql: sql + " LIMIT 2")
      try #expect(rows.map { try Spy(row: $0).id } == [1, 2])
      #expect(!isDecoderAlive)
      let row = try #require(try Row.fetchOne(db, sql: sql))
      try #expect(Spy(row: row).id == 1)
      #expect(!isDecoderAlive)
    }
  }

  @Test func escapedRowsDecodeWithoutACachedDecoder() throws {
    try inMemory { db in
      var kept: Row?
      do {
        let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS id")
        kept = try rows.next()
        _ = try kept.map { try Spy(row: $0) }
        withExtendedLifetime(rows) {}
      }
      #expect(!isDecoderAlive)
      // Without a current row, SQLite returns NULL.
      #expect(throws: RowDecodingError.self) { try kept.map { try Spy(row: $0) } }
      #expect(!isDecoderAlive)
    }
  }

  // MARK: - What is shared

  private struct Name: Decodable, Equatable {
    var first: String
    var last: String
  }

  private struct Person: Decodable, FetchableRecord, Equatable {
    var id: Int
    var name: Name
    var age: Int?
  }

  @Test func columnStructsAndRecordsDecodeTheSameRow() throws {
    try inMemory { db in
      let people = try Person.fetchAll(
        db, sql: "SELECT 1 AS id, 'a' AS first, 'b' AS last, 3 AS age UNION ALL SELECT 2, 'c', 'd', NULL")
      #expect(
        people == [
          Person(id: 1, name: Name(first: "a", last: "b"), age: 3),
          Person(id: 2, name: Name(first: "c", last: "d"), age: nil),
        ])
    }
  }

  private struct Number: Decodable, FetchableRecord, Equatable {
    var number: Int
  }

  /// Two types of records from one row.
  private struct Both: FetchableRecord {
    var number: Number
    var spy: Spy
    init(row: Row) throws {
      spy = try Spy(row: row)
      number = try Number(row: row)
    }
  }

  @Test func severalRecordTypesDecodeTheSameRow() throws {
    try inMemory { db in
      let all = try Both.fetchAll(db, sql: "SELECT 1 AS id, 10 AS number UNION ALL SELECT 2, 20")
      #expect(all.map(\.spy.id) == [1, 2])
      #expect(all.map(\.number.number) == [10, 20])
      #expect(!isDecoderAlive)
    }
  }

  private struct Dates: Decodable, FetchableRecord, Equatable {
    var a: Date
    var b: Date
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      column == "a" ? .timeIntervalSince1970 : .deferredToDate
    }
  }

  @Test func columnStrategiesApplyToEachRow() throws {
    try inMemory { db in
      let sql = "SELECT 5 AS a, '1970-01-01 00:00:07' AS b UNION ALL SELECT 6, '1970-01-01 00:00:08'"
      try #expect(
        Dates.fetchAll(db, sql: sql) == [
          Dates(a: Date(timeIntervalSince1970: 5), b: Date(timeIntervalSince1970: 7)),
          Dates(a: Date(timeIntervalSince1970: 6), b: Date(timeIntervalSince1970: 8)),
        ])
    }
  }

  @Test func cachedStatementsFollowColumnChanges() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE person (id INTEGER, first TEXT, last TEXT)")
      try db.execute(sql: "INSERT INTO person VALUES (1, 'a', 'b')")
      let sql = "SELECT * FROM person"
      try #expect(Person.fetchAll(db, sql: sql) == [Person(id: 1, name: Name(first: "a", last: "b"), age: nil)])
      try db.execute(
        sql: """
          ALTER TABLE person ADD COLUMN age DEFAULT 4;
          ALTER TABLE person RENAME id TO k;
          ALTER TABLE person ADD COLUMN id DEFAULT 5;
          """)
      try #expect(Person.fetchAll(db, sql: sql) == [Person(id: 5, name: Name(first: "a", last: "b"), age: 4)])
      try #expect(Person.fetchOne(db, sql: sql) == Person(id: 5, name: Name(first: "a", last: "b"), age: 4))
    }
  }
}
