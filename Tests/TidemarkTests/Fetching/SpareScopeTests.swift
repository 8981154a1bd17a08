import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Fetching one joined row uses the windows on the row and on its scopes that the statement keeps for the next run.
@Suite struct SpareScopeTests {
  private struct Info: Decodable, FetchableRecord, Equatable {
    var album: Album
    var studio: Studio?
  }

  /// The same request for all keys, except for the key.
  private static func info(_ id: Int64) -> QueryInterfaceRequest<Info> {
    Album.filter(key: id).including(optional: Album.studio).asRequest(of: Info.self)
  }

  private static let studioNames = [1: "Attic", 2: "Attic", 3: "Barn", 4: nil]

  private static func expect(_ info: Info?, _ id: Int64) {
    #expect(info?.album.id == id)
    #expect(info?.studio?.name == studioNames[Int(id)])
    #expect(info?.studio?.id == info?.album.studioId)
  }

  @Test func `each run decodes its own values, with one request and with new ones`() throws {
    let requests = (1...4).map(Self.info)
    try inMusicStore { db throws in
      for id in [1, 4, 3, 4, 2, 2, 1] as [Int64] {
        Self.expect(try Self.info(id).fetchOne(db), id)
        for _ in 1...2 { Self.expect(try requests[Int(id) - 1].fetchOne(db), id) }
        #expect(try Self.info(id).fetchAll(db).map(\.album.id) == [id])
      }
    }
  }

  private struct StudioKeeper: FetchableRecord {
    let row: Row
    let copy: Row

    init(row: Row) {
      self.row = row
      copy = row.copy()
    }
  }

  private struct Keeper: FetchableRecord {
    let studio: StudioKeeper
    let scope: Row?
    let copy: Row

    init(row: Row) throws {
      studio = try row.decode(forKey: "studio")
      scope = row.scopes["studio"]
      copy = row.copy()
    }
  }

  @Test func `retained scopes are not reused, and copies keep their values`() throws {
    try inMusicStore { db throws in
      let kept = try [1, 3, 1].map { id throws in
        try #require(try Self.info(id).asRequest(of: Keeper.self).fetchOne(db))
      }
      #expect(Set(kept.map { ObjectIdentifier($0.studio.row) }).count == 3)
      #expect(Set(kept.map { ObjectIdentifier($0.scope ?? $0.copy) }).count == 3)
      Self.expect(try Self.info(2).fetchOne(db), 2)
      #expect(kept.map { $0.studio.copy["name"] } == ["Attic", "Barn", "Attic"])
      #expect(kept.map { $0.copy["title"] } == ["Ash", "Cedar", "Ash"])
      #expect(kept.map { $0.copy.scopes["studio"]?["id"] } == [1, 2, 1])
      #expect(kept.map(\.studio.row.columnNames) == Array(repeating: ["id", "name", "cityId"], count: 3))
    }
  }

  /// A record that keeps its decoder.
  private struct DecoderKeeper: Decodable, FetchableRecord {
    let id: Int64
    let decoder: RecordDecoder

    private enum CodingKeys: CodingKey { case id }

    init(from decoder: any Decoder) throws {
      id = try decoder.container(keyedBy: CodingKeys.self).decode(Int64.self, forKey: .id)
      self.decoder = try #require(decoder as? RecordDecoder)
    }
  }

  private struct Decoders: Decodable, FetchableRecord {
    let studio: DecoderKeeper
  }

  @Test func `a retained decoder keeps its row and its plan for itself`() throws {
    try inMusicStore { db throws in
      let kept = try [1, 3, 2].map { id throws in
        try #require(try Self.info(id).asRequest(of: Decoders.self).fetchOne(db))
      }
      #expect(kept.map(\.studio.id) == [1, 2, 1])
      #expect(Set(kept.map { ObjectIdentifier($0.studio.decoder.row) }).count == 3)
      #expect(Set(kept.map { ObjectIdentifier($0.studio.decoder.plan) }).count == 3)
    }
  }

  @Test func `spare windows do not retain their statement`() throws {
    try inMusicStore { db throws in
      weak var released: Statement?
      do {
        let prepared = try Self.info(1).makePreparedRequest(db)
        let sql = prepared.statement.sql
        let statement = try db.makeStatement(sql: sql)
        let request = PreparedRequest(statement, [1], boxed: prepared.adapterBox)
        for _ in 1...2 { Self.expect(try request.first(WholeRowDecoding<Info>.self), 1) }
        #expect(statement.cached.spareWindow != nil && statement.cached.spareAdapter === prepared.adapterBox)
        released = statement
      }
      #expect(released == nil)
    }
  }

  /// Fetches other rows with the same statement while it is decoded.
  private struct Nested: FetchableRecord {
    let info: Info
    let inner: [Info?]

    init(row: Row) throws {
      let before = try row.decodeIfPresent(Studio.self, forKey: "studio")
      inner = try Self.fetchInner?() ?? []
      info = try Info(row: row)
      #expect(before == info.studio)
    }

    nonisolated(unsafe) static var fetchInner: (() throws -> [Info?])?
  }

  @Test func `nested runs use separate windows`() throws {
    try inMusicStore { db throws in
      for id in [1, 3, 4, 2] as [Int64] {
        Nested.fetchInner = { try [3, id, 4].map { try Self.info($0).fetchOne(db) } }
        defer { Nested.fetchInner = nil }
        let nested = try #require(try Self.info(id).asRequest(of: Nested.self).fetchOne(db))
        Self.expect(nested.info, id)
        for (inner, innerID) in zip(nested.inner, [3, id, 4]) { Self.expect(inner, innerID) }
      }
    }
  }

  @Test func `failed runs leave no window in use`() throws {
    struct Strict: Decodable, FetchableRecord {
      var album: Album
      var studio: Studio
    }
    try inMusicStore { db throws in
      for _ in 1...2 {
        #expect(try Self.info(3).asRequest(of: Strict.self).fetchOne(db)?.studio.name == "Barn")
        #expect(throws: (any Error).self) { try Self.info(4).asRequest(of: Strict.self).fetchOne(db) }
        #expect(try Self.info(5).asRequest(of: Strict.self).fetchOne(db) == nil)
        Self.expect(try Self.info(2).fetchOne(db), 2)
      }
    }
  }

  // MARK: - What may change between runs

  private struct Moment: Decodable, FetchableRecord {
    var year: Date

    nonisolated(unsafe) static var strategy = DatabaseDateDecodingStrategy.timeIntervalSince1970
    nonisolated(unsafe) static var keys = DatabaseColumnDecodingStrategy.useDefaultKeys

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { strategy }
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { keys }
  }

  private struct Moments: Decodable, FetchableRecord {
    var sequel: Moment
  }

  @Test func `the strategies of a record are asked for in each run`() throws {
    let request = Album.filter(key: 1).including(required: Album.sequel).asRequest(of: Moments.self)
    try inMusicStore { db throws in
      for _ in 1...2 {
        Moment.strategy = .timeIntervalSince1970
        #expect(try request.fetchOne(db)?.sequel.year == Date(timeIntervalSince1970: 1991))
        Moment.strategy = .timeIntervalSinceReferenceDate
        #expect(try request.fetchOne(db)?.sequel.year == Date(timeIntervalSinceReferenceDate: 1991))
        Moment.keys = .custom { RowKeyName(stringValue: $0 == "id" ? "year" : $0 + "_") }
        #expect(try request.fetchOne(db)?.sequel.year == Date(timeIntervalSinceReferenceDate: 2))
        Moment.keys = .useDefaultKeys
      }
    }
  }

  private struct RowKeyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  @Test func `windows and scopes have the columns of the current schema`() throws {
    try inMusicStore { db throws in
      let request = Album.filter(key: 3).including(optional: Album.studio)
      func names() throws -> [[String]?] {
        // A new request of the same shape, and the same request.
        try [Self.info(3).asRequest(of: Row.self), request.asRequest(of: Row.self)].map {
          try $0.fetchOne(db)?.scopes["studio"]?.columnNames
        }
      }
      Self.expect(try Self.info(3).fetchOne(db), 3)
      #expect(try names() == Array(repeating: ["id", "name", "cityId"], count: 2))
      try db.execute(sql: "ALTER TABLE album ADD COLUMN price DEFAULT 9; ALTER TABLE studio ADD COLUMN seats DEFAULT 7")
      Self.expect(try Self.info(3).fetchOne(db), 3)
      #expect(try names() == Array(repeating: ["id", "name", "cityId", "seats"], count: 2))
      try db.execute(sql: "ALTER TABLE album DROP COLUMN price; ALTER TABLE studio RENAME COLUMN seats TO rooms")
      Self.expect(try Self.info(3).fetchOne(db), 3)
      #expect(try names() == Array(repeating: ["id", "name", "cityId", "rooms"], count: 2))
    }
  }

  @Test func `the same SQL with another adapter has the scopes of that adapter`() throws {
    try inMusicStore { db throws in
      let prepared = try Self.info(3).makePreparedRequest(db)
      let sql = prepared.statement.sql
      let other = ScopeAdapter(base: RangeRowAdapter(0..<5), scopes: ["place": SuffixRowAdapter(fromIndex: 5)])
      for _ in 1...2 {
        Self.expect(try Self.info(3).fetchOne(db), 3)
        let row = try Row.fetchOne(db, sql: sql, arguments: [3], adapter: other)
        #expect(row?.scopes["place"]?["name"] == "Barn" && row?.scopes["studio"] == nil)
        #expect(try Row.fetchOne(db, sql: sql, arguments: [3])?.count == 8)
      }
    }
  }

  @Test func `connections fetch with one request at the same time`() throws {
    let folder = try TemporaryFolder()
    let dbPool = try DatabasePool(path: folder.path("db"))
    try dbPool.write { try $0.execute(sql: MusicStore.sql) }
    let requests = (1...4).map(Self.info)
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      for turn in 0..<50 {
        let id = Int64((number + turn) % 4 + 1)
        let infos = try? dbPool.read { db in
          try [requests[Int(id) - 1], Self.info(id)].map { try $0.fetchOne(db) }
        }
        #expect(infos?.count == 2)
        for info in infos ?? [] { Self.expect(info, id) }
      }
    }
  }
}
