import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

/// A request with associations is printed once for each schema.
@Suite struct PrintedQueryTests {
  private let request = Album.including(required: Album.studio).order(Column("id"))
  private let sql = """
    SELECT "album".*, "studio".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId" ORDER BY "album"."id"
    """

  @Test func `the same request is printed once`() throws {
    try inMusicStore { db in
      for _ in 0..<3 { try db.expectFetch(request, sql) }
      #expect(try Row.fetchAll(db, request).map { $0.scopes["studio"]?["name"] } == ["Attic", "Attic", "Barn"])
      #expect(request.printedQueries?.printCount == 1)
      // Copies share the text.
      _ = try request.asRequest(of: Row.self).fetchAll(db)
      #expect(request.printedQueries?.printCount == 1)
    }
  }

  @Test func `the first row has a text of its own`() throws {
    try inMusicStore { db in
      for _ in 0..<2 {
        try db.expectFetch(request, sql)
        try db.expectTrace(sql + " LIMIT 1") { _ = try Row.fetchOne($0, request) }
      }
      #expect(request.printedQueries?.printCount == 2)
    }
  }

  @Test func `a derived request is printed again`() throws {
    try inMusicStore { db in
      _ = try Row.fetchAll(db, request)
      let filtered = request.filter(Column("id") == 2)
      #expect(try Row.fetchAll(db, filtered).map { $0["title"] } == ["Birch"])
      #expect(try Row.fetchAll(db, request).map { $0["title"] } == ["Ash", "Birch", "Cedar"])
      #expect(filtered.printedQueries?.printCount == 1)
      #expect(request.printedQueries?.printCount == 1)
    }
  }

  @Test func `after a change of the schema the request is printed again`() throws {
    try inMusicStore { db in
      let request = Album.including(required: Album.studio.select(.allColumns(excluding: ["cityId"])))
      let first = try Row.fetchOne(db, request)
      #expect(first?.scopes["studio"] == ["id": 1, "name": "Attic"])
      try db.execute(sql: "ALTER TABLE album ADD COLUMN price DEFAULT 9; ALTER TABLE studio ADD COLUMN seats DEFAULT 7")
      let second = try Row.fetchOne(db, request)
      #expect(second?["price"] == 9)
      #expect(second?.scopes["studio"] == ["id": 1, "name": "Attic", "seats": 7])
      #expect(request.printedQueries?.printCount == 2)
      // Another table gets the name.
      try db.execute(sql: "CREATE TEMP TABLE studio (id INTEGER PRIMARY KEY, note)")
      try db.execute(sql: "INSERT INTO temp.studio VALUES (1, 'x')")
      #expect(try Row.fetchOne(db, request)?.scopes["studio"] == ["id": 1, "note": "x"])
      try db.execute(sql: "DROP TABLE temp.studio")
      #expect(try Row.fetchOne(db, request)?.scopes["studio"] == ["id": 1, "name": "Attic", "seats": 7])
    }
  }

  @Test func `a rolled back change of the schema leaves no text`() throws {
    try inMusicStore { db in
      try db.inSavepoint {
        try db.execute(sql: "ALTER TABLE album ADD COLUMN price DEFAULT 9")
        #expect(try Row.fetchOne(db, request)?["price"] == 9)
        return .rollback
      }
      let row = try Row.fetchOne(db, request)
      #expect(row?.hasColumn("price") == false)
      #expect(row?.scopes["studio"] == ["id": 1, "name": "Attic", "cityId": 1])
    }
  }

  @Test func `databases with other schemas get other texts`() throws {
    let request = Track.including(required: Track.album)
    let other = try DatabaseQueue()
    try other.write { db in
      try db.execute(
        sql: """
          CREATE TABLE album (key INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE track (id INTEGER PRIMARY KEY, albumKey REFERENCES album);
          INSERT INTO album VALUES (5, 'Elm');
          INSERT INTO track VALUES (1, 5);
          """)
    }
    try inMusicStore { db in
      try other.read { other in
        for _ in 0..<2 {
          let titles = try Row.fetchAll(db, request).map { $0.scopes["album"]?["title"] as String? }
          #expect(titles == ["Ash", "Ash", "Birch"])
          let names = try Row.fetchAll(other, request).map { $0.scopes["album"]?["name"] as String? }
          #expect(names == ["Elm"])
        }
      }
    }
    #expect(request.printedQueries?.printCount == 2)
  }

  @Test func `closures that depend on the database run each time`() throws {
    let request = Album.including(required: Album.studio).filterWhenConnected { db in
      Column("id") == (try Int.fetchOne(db, sql: "SELECT max(albumId) FROM track"))
    }
    try inMusicStore { db in
      #expect(try Row.fetchAll(db, request).map { $0["title"] } == ["Birch"])
      try db.execute(sql: "UPDATE track SET albumId = 3 WHERE id = 4")
      #expect(try Row.fetchAll(db, request).map { $0["title"] } == ["Cedar"])
    }
    #expect(request.printedQueries?.printCount == 2)
  }

  private final class Threshold: Sendable {
    let year = Atomic(1990)
  }

  @Test func `closures of joined tables and of subqueries run each time`() throws {
    let threshold = Threshold()
    func isRecent() -> QueryInterfaceRequest<Album> {
      Album.all().filterWhenConnected { _ in Column("year") > threshold.year.load(ordering: .relaxed) }
    }
    try inMusicStore { db in
      let albums = Studio.albums.filterWhenConnected { _ in Column("year") > threshold.year.load(ordering: .relaxed) }
      let joined = Studio.including(required: albums)
      let subquery = Studio.including(all: Studio.albums)
        .filter(isRecent().select(Column("studioId")).contains(Column("id")))
      let titlesOfJoined = { try Row.fetchAll(db, joined).map { $0.scopes["album"]?["title"] as String? } }
      let names = { try Row.fetchAll(db, subquery).map { $0["name"] as String? } }
      try #expect(titlesOfJoined() == ["Birch", "Cedar"])
      try #expect(names() == ["Attic", "Barn"])
      threshold.year.store(1991, ordering: .relaxed)
      try #expect(titlesOfJoined() == ["Cedar"])
      try #expect(names() == ["Barn"])
    }
  }

  @Test func `all connections of a pool print the request once`() throws {
    let folder = try TemporaryFolder()
    let dbPool = try DatabasePool(path: folder.path("db"))
    try dbPool.write { try $0.execute(sql: MusicStore.sql) }
    for _ in 0..<4 {
      #expect(try dbPool.read { try Row.fetchAll($0, request).count } == 3)
      #expect(try dbPool.write { try Row.fetchAll($0, request).count } == 3)
    }
    #expect(request.printedQueries?.printCount == 2)
  }
}
