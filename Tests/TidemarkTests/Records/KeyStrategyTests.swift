import Foundation
import Testing
import Tidemark

/// A record whose key is stored in another way than its type is.
private protocol KeyedRecord: Codable, FetchableRecord, PersistableRecord, Identifiable, Equatable
where ID: DatabaseValueConvertible & Sendable {
  static var sampleIDs: [ID] { get }
  init(id: ID, score: Int)
  var score: Int { get set }
}

private let uuids = (1...3).map { UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xab)) }
private let dates = (1...3).map { Date(timeIntervalSince1970: Double($0) * 1000) }
private let contents = ["a", "b", "c"].map { Data($0.utf8) }

private struct UpperRecord: KeyedRecord {
  static let databaseTableName = "record"
  static let sampleIDs = uuids
  var id: UUID
  var score: Int
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
    column == "id" ? .uppercaseString : .deferredToUUID
  }
}

private struct LowerRecord: KeyedRecord {
  static let databaseTableName = "record"
  static let sampleIDs = uuids
  var id: UUID
  var score: Int
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
}

private struct SecondsRecord: KeyedRecord {
  static let databaseTableName = "record"
  static let sampleIDs = dates
  var id: Date
  var score: Int
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSince1970
  }
}

private struct TextRecord: KeyedRecord {
  static let databaseTableName = "record"
  static let sampleIDs = contents
  var id: Data
  var score: Int
  static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
}

private struct OptionalRecord: KeyedRecord {
  static let databaseTableName = "record"
  static let sampleIDs = uuids.map { $0 as UUID? }
  var id: UUID?
  var score: Int
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }
}

private struct PlainRecord: KeyedRecord {
  static let databaseTableName = "record"
  static let sampleIDs = uuids
  var id: UUID
  var score: Int
}

/// Keys are looked for as records store them.
@Suite struct KeyStrategyTests {
  private static var types: [any KeyedRecord.Type] {
    [

      UpperRecord.self, LowerRecord.self, SecondsRecord.self, TextRecord.self, OptionalRecord.self, PlainRecord.self,
    ]
  }

  private func inRecords<Record: KeyedRecord>(_: Record.Type, _ body: (Database) throws -> Void) throws {
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE record (id PRIMARY KEY, score INTEGER)")
      for (score, id) in Record.sampleIDs.enumerated() { try Record(id: id, score: score).insert(db) }
      try body(db)
    }
  }

  @Test(arguments: 0..<6) func recordsAreFetchedByKey(type: Int) throws {
    func test<Record: KeyedRecord>(_: Record.Type) throws {
      let (id, ids) = (Record.sampleIDs[1], Array(Record.sampleIDs[1...]))
      try inRecords(Record.self) { db throws in
        #expect(try Record.fetchOne(db, key: id)?.score == 1)
        #expect(try Record.fetchOne(db, key: Record.sampleIDs[2])?.score == 2)
        #expect(try Record.fetchOne(db, id: id)?.score == 1)
        #expect(try Record.fetchOne(db, key: ["id": id])?.score == 1)
        #expect(try Record.find(db, key: id).score == 1)
        #expect(try Record.find(db, id: id).score == 1)
        #expect(try Record.find(db, key: ["ID": id]).score == 1)
        #expect(try Record.fetchAll(db, keys: ids).map(\.score).sorted() == [1, 2])
        #expect(try Record.fetchAll(db, ids: ids).map(\.score).sorted() == [1, 2])
        #expect(try Record.fetchAll(db, keys: ids.map { ["id": $0] }).map(\.score).sorted() == [1, 2])
        #expect(try Record.fetchCursor(db, keys: ids).map(\.score).min() == 1)
        #expect(try Record.fetchCursor(db, ids: ids).map(\.score).min() == 1)
        #expect(try Record.fetchCursor(db, keys: [["id": id]]).map(\.score).min() == 1)
      }
    }
    try test(Self.types[type])
  }

  @Test(arguments: 0..<6) func requestsAreFilteredByKey(type: Int) throws {
    func test<Record: KeyedRecord>(_: Record.Type) throws {
      let (id, ids) = (Record.sampleIDs[1], Array(Record.sampleIDs[1...]))
      try inRecords(Record.self) { db throws in
        #expect(try Record.filter(key: id).fetchAll(db).map(\.score) == [1])
        #expect(try Record.filter(id: id).fetchAll(db).map(\.score) == [1])
        #expect(try Record.filter(keys: ids).fetchCount(db) == 2)
        #expect(try Record.filter(ids: ids).fetchCount(db) == 2)
        #expect(try Record.filter(key: ["id": id]).fetchAll(db).map(\.score) == [1])
        #expect(try Record.all().filter(id: id).fetchAll(db).map(\.score) == [1])
        #expect(try Table<Record>("record").filter(id: id).fetchAll(db).map(\.score) == [1])
        #expect(try Table<Record>("record").filter(keys: ids).fetchCount(db) == 2)
        #expect(try Record.filter(key: id as any DatabaseValueConvertible).fetchCount(db) == 1)
        #expect(try Record.exists(db, key: id))
        #expect(try Record.exists(db, id: id))
        #expect(try Record.exists(db, key: ["id": id]))
        #expect(try Table<Record>("record").exists(db, id: id))
      }
    }
    try test(Self.types[type])
  }

  @Test(arguments: 0..<6) func recordsAreDeletedByKey(type: Int) throws {
    func test<Record: KeyedRecord>(_: Record.Type) throws {
      let ids = Record.sampleIDs
      try inRecords(Record.self) { db throws in
        #expect(try Record.deleteOne(db, id: ids[0]))
        #expect(try Record.deleteOne(db, key: ids[0]) == false)
        #expect(try Record.deleteOne(db, key: ["id": ids[1]]))
        #expect(try Table<Record>("record").deleteOne(db, key: ids[2]))
        for id in ids { try Record(id: id, score: 0).insert(db) }
        #expect(try Record.deleteAll(db, ids: ids[...1]) == 2)
        #expect(try Record.deleteAll(db, keys: [["id": ids[2]]]) == 1)
      }
    }
    try test(Self.types[type])
  }

  @Test(arguments: 0..<6) func recordsAreWrittenByKey(type: Int) throws {
    func test<Record: KeyedRecord>(_: Record.Type) throws {
      try inRecords(Record.self) { db throws in
        var record = try Record.find(db, id: Record.sampleIDs[1])
        #expect(try record.exists(db))
        #expect(try record.updateChanges(db) { $0.score = 7 })
        record.score = 8
        try record.update(db)
        try record.save(db)
        #expect(try Record.find(db, id: Record.sampleIDs[1]).score == 8)
        #expect(try Record.fetchCount(db) == 3)
        #expect(try record.delete(db))
      }
    }
    try test(Self.types[type])
  }

  @Test func missingKeysAreReportedInTheirStoredForm() throws {
    try inRecords(UpperRecord.self) { db throws in
      let text = "01000000-0000-0000-0000-0000000000AC"
      let uuid = try #require(UUID(uuidString: text))
      #expect(errorText { try UpperRecord.find(db, id: uuid) } == #"Key not found in table record: [id:"\#(text)"]"#)
    }
  }

  @Test func strategiesAreSelectedByColumnName() throws {
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE record (other PRIMARY KEY, id UNIQUE, score)")
      let uuid = uuids[0]
      try db.expectSQL(UpperRecord.filter(key: uuid), #"SELECT * FROM "record" WHERE "other" = ?"#, [uuid])
      try db.expectSQL(
        UpperRecord.filter(key: ["id": uuid]), #"SELECT * FROM "record" WHERE "id" = ?"#, [uuid.uuidString])
      try db.expectSQL(Table("record").filter(key: ["id": uuid]), #"SELECT * FROM "record" WHERE "id" = ?"#, [uuid])
    }
  }

  @Test func keysStoredAsNULLMatchNoRow() throws {
    struct Custom: Codable, FetchableRecord, TableRecord, EncodableRecord {
      static let databaseTableName = "record"
      var id: Date
      static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .custom { $0 == dates[0] ? nil : 5 }
      }
    }
    try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE record (id PRIMARY KEY); INSERT INTO record VALUES (5)")
      #expect(try Custom.fetchOne(db, key: dates[0]) == nil)
      #expect(try Custom.filter(keys: [dates[0]]).fetchCount(db) == 0)
      #expect(try Custom.filter(keys: dates).fetchCount(db) == 1)
      #expect(try Custom.fetchOne(db, key: dates[1])?.id == Date(timeIntervalSince1970: 5))
      #expect(try Custom.fetchOne(db, key: dates[0]) == nil)
    }
  }

  @Test func aKeyThatCannotBeStoredThrows() throws {
    try inRecords(TextRecord.self) { db throws in
      #expect(throws: EncodingError.self) { try TextRecord.fetchOne(db, key: Data([0xff])) }
      #expect(throws: EncodingError.self) { try TextRecord.filter(id: Data([0xff])).fetchAll(db) }
    }
  }
}
