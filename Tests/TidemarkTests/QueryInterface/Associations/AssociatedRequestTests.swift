import Testing
import Tidemark

private let name = Column("name")
private let secs = Column("secs")
private let year = Column("year")

/// Requests of associated rows, and counting and changing the rows of joined requests.
@Suite struct AssociatedRequestTests {
  private let album = Album(id: 1, title: "Ash", studioId: 1, year: 1990, sequelId: 2)

  @Test func `a record requests its associated rows`() throws {
    try inMusicStore { db in
      try db.expectFetch(album.request(for: Album.studio), #"SELECT * FROM "studio" WHERE "id" = 1"#)
      try db.expectFetch(album.request(for: Album.tracks), #"SELECT * FROM "track" WHERE "albumId" = 1"#)
      try db.expectFetch(
        album.request(for: Album.tracks.filter(secs > 1)).order(name).limit(1),
        #"SELECT * FROM "track" WHERE ("secs" > 1) AND ("albumId" = 1) ORDER BY "name" LIMIT 1"#)
      try db.expectFetch(
        album.request(for: Album.city),
        """
        SELECT "city".* FROM "city" JOIN "studio" ON ("studio"."cityId" = "city"."id") AND ("studio"."id" = 1)
        """)
      try db.expectFetch(
        album.request(for: Album.musicians),
        """
        SELECT "musician".* FROM "musician" JOIN "credit" ON "credit"."musicianId" = "musician"."id" \
        JOIN "track" ON ("track"."id" = "credit"."trackId") AND ("track"."albumId" = 1)
        """)
      try db.expectFetch(
        Pressing(country: "NO", catno: "x1").request(for: Pressing.shipments),
        #"SELECT * FROM "shipment" WHERE ("country" = 'NO') AND ("catno" = 'x1')"#)
      try db.expectFetch(
        album.request(for: Album.studio.including(all: Studio.albums)), #"SELECT * FROM "studio" WHERE "id" = 1"#,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" = 1"#)
      #expect(try album.request(for: Album.musicians).order(name).fetchAll(db).map(\.name) == ["Ada", "Ada", "Bob"])
    }
  }

  @Test func `a record without foreign key has no associated rows`() throws {
    try inMusicStore { db in
      let drift = Album(id: 4, title: "Drift", studioId: nil, year: 1993, sequelId: nil)
      try db.expectFetch(drift.request(for: Album.studio), #"SELECT * FROM "studio" WHERE 0"#)
      try db.expectFetch(
        drift.request(for: Album.city),
        #"SELECT "city".* FROM "city" JOIN "studio" ON ("studio"."cityId" = "city"."id") AND 0"#)
      let shipment = Shipment(id: 4, country: nil, catno: "x1", qty: 1)
      try db.expectFetch(shipment.request(for: Shipment.pressing), #"SELECT * FROM "pressing" WHERE 0"#)
    }
  }

  @Test func `associated rows can be changed`() throws {
    try inMusicStore { db in
      try db.expectTrace(#"UPDATE "track" SET "secs" = "secs" + 1 WHERE "albumId" = 1"#) { db in
        let count = try album.request(for: Album.tracks).updateAll(db, secs += 1)
        #expect(count == 2)
      }
      try db.expectTrace(
        """
        UPDATE "musician" SET "name" = 'x' WHERE "id" IN (SELECT "musician"."id" FROM "musician" \
        JOIN "credit" ON "credit"."musicianId" = "musician"."id" \
        JOIN "track" ON ("track"."id" = "credit"."trackId") AND ("track"."albumId" = 1))
        """
      ) { db in
        let count = try album.request(for: Album.musicians).updateAll(db, name.set(to: "x"))
        #expect(count == 2)
      }
    }
  }

  @Test func `an encoding error is thrown when the request runs`() throws {
    struct Broken: TableRecord, EncodableRecord {
      static let databaseTableName = "album"
      static let tracks = hasMany(Track.self)
      func encode(to container: inout PersistenceContainer) throws { throw Planned() }
    }
    let request = Broken().request(for: Broken.tracks)
    #expect(throws: Planned.self) { try inMusicStore { db in try request.fetchAll(db) } }
  }

  @Test func `a unique foreign key needs no limit`() throws {
    try inMusicStore { db in
      try db.expectOne(
        album.request(for: Album.sleeve), #"SELECT * FROM "sleeve" WHERE "albumId" = ?"#, [1])
      try db.expectOne(
        album.request(for: Album.tracks), #"SELECT * FROM "track" WHERE "albumId" = ? LIMIT 1"#, [1])
    }
  }

  @Test func `joined rows are counted in a subquery`() throws {
    let join = #"JOIN "studio" ON "studio"."id" = "album"."studioId""#
    try inMusicStore { db in
      try db.expectTrace(#"SELECT COUNT(*) FROM (SELECT "album".* FROM "album" \#(join))"#) { db in
        let count = try Album.joining(required: Album.studio).order(year).fetchCount(db)
        #expect(count == 3)
      }
      try db.expectTrace(
        #"SELECT COUNT(*) FROM (SELECT DISTINCT "studio".* FROM "studio" JOIN "album" ON "album"."studioId" = "studio"."id")"#
      ) { db in
        let count = try Studio.joining(required: Studio.albums).distinct().fetchCount(db)
        #expect(count == 2)
      }
      try db.expectTrace(#"SELECT EXISTS (SELECT "album".* FROM "album" \#(join))"#) { db in
        let isEmpty = try Album.joining(required: Album.studio).isEmpty(db)
        #expect(!isEmpty)
      }
    }
  }

  @Test func `one joined row is fetched with a limit`() throws {
    try inMusicStore { db in
      try db.expectOne(
        Album.joining(required: Album.studio).filter(key: 1),
        """
        SELECT "album".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId" \
        WHERE "album"."id" = ? LIMIT 1
        """, [1])
      try db.expectOne(Album.including(all: Album.tracks).filter(key: 1), #"SELECT * FROM "album" WHERE "id" = ?"#, [1])
    }
  }

  @Test func `keys of joined requests are qualified`() throws {
    let join = #"JOIN "studio" ON "studio"."id" = "album"."studioId""#
    try inMusicStore { db in
      try db.expectFetch(
        Album.joining(required: Album.studio).selectPrimaryKey(as: Int64.self),
        #"SELECT "album"."id" FROM "album" "# + join)
      try db.expectFetch(
        Album.joining(required: Album.studio).groupByPrimaryKey(),
        #"SELECT "album".* FROM "album" \#(join) GROUP BY "album"."id""#)
    }
  }

  @Test func `rows of joined requests are deleted by their keys`() throws {
    try inMusicStore { db in
      try db.expectTrace(
        """
        DELETE FROM "memo" WHERE "rowid" IN (SELECT "memo"."rowid" FROM "memo" \
        JOIN "album" ON ("album"."id" = "memo"."albumId") AND ("album"."year" = 1990))
        """
      ) { db in
        let count = try Memo.including(required: Memo.album.filter(year == 1990)).deleteAll(db)
        #expect(count == 2)
      }
      try db.expectTrace(
        """
        DELETE FROM "credit" WHERE "rowid" IN (SELECT "credit"."rowid" FROM "credit" \
        JOIN "track" ON "track"."id" = "credit"."trackId") RETURNING *
        """
      ) { db in
        let count = try Credit.joining(required: Credit.track).deleteAndFetchAll(db).count
        #expect(count == 4)
      }
      try db.expectTrace(
        """
        DELETE FROM "musician" WHERE "id" IN (SELECT "musician1"."id" FROM "musician" "musician1" \
        LEFT JOIN "musician" "musician2" ON "musician2"."mentorId" = "musician1"."id" \
        LEFT JOIN "credit" ON "credit"."musicianId" = "musician1"."id" GROUP BY "musician1"."id" \
        HAVING (COUNT(DISTINCT "musician2"."id") = 0) AND (COUNT(DISTINCT "credit"."rowid") = 0))
        """
      ) { db in
        let count = try Musician.having(Musician.pupils.isEmpty && Musician.credits.isEmpty).deleteAll(db)
        #expect(count == 2)
      }
      try db.expectTrace(
        """
        DELETE FROM "albumTag" WHERE ("albumId", "tagName") IN (SELECT "albumTag"."albumId", "albumTag"."tagName" \
        FROM "albumTag" JOIN "album" ON ("album"."id" = "albumTag"."albumId") AND ("album"."year" = 1991))
        """
      ) { db in
        let count = try AlbumTag.joining(required: AlbumTag.album.filter(year == 1991)).deleteAll(db)
        #expect(count == 2)
      }
    }
  }

  @Test func `rows of joined requests are updated by their keys`() throws {
    try inMusicStore { db in
      try db.expectTrace(
        """
        UPDATE "album" SET "year" = "year" + 1 WHERE "id" IN (SELECT "album"."id" FROM "album" \
        JOIN "studio" ON "studio"."id" = "album"."studioId" ORDER BY "album"."year" LIMIT 1)
        """
      ) { db in
        let count = try Album.joining(required: Album.studio).order(year).limit(1).updateAll(db, year += 1)
        #expect(count == 1)
      }
      try db.expectTrace(
        """
        UPDATE "album" SET "year" = "year" + 1 WHERE "id" IN (SELECT "album1"."id" FROM "album" "album1" \
        JOIN "album" "album2" ON "album2"."id" = "album1"."sequelId")
        """
      ) { db in
        let count = try Album.joining(required: Album.sequel).updateAll(db, year += 1)
        #expect(count == 1)
      }
    }
  }
}
