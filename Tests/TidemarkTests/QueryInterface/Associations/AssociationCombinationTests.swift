import Testing
import Tidemark

private let id = Column("id")
private let title = Column("title")
private let name = Column("name")
private let secs = Column("secs")
private let year = Column("year")
private let qty = Column("qty")
private let country = Column("country")

/// Requests that combine several features of associations.
@Suite struct AssociationCombinationTests {
  @Test func `merged prefetches combine DISTINCT and HAVING clauses`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Studio.including(all: Studio.albums.distinct()).including(all: Studio.albums), #"SELECT * FROM "studio""#,
        #"SELECT DISTINCT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" IN (1, 2, 3)"#)
      try db.expectFetch(
        Studio.including(all: Studio.albums.having(Album.tracks.count > 0)).including(
          all: Studio.albums.having(Album.memos.count > 0)), #"SELECT * FROM "studio""#,
        """
        SELECT "album".*, "album"."studioId" AS "grdb_studioId" FROM "album" LEFT JOIN "track" ON "track"."albumId" = \
        "album"."id" LEFT JOIN "memo" ON "memo"."albumId" = "album"."id" WHERE "album"."studioId" IN (1, 2, 3) \
        GROUP BY "album"."id" HAVING (COUNT(DISTINCT "track"."id") > 0) AND (COUNT(DISTINCT "memo"."rowid") > 0)
        """)
      try db.expectFetch(
        Studio.including(all: Studio.albums.having(Album.tracks.count > 0).having(Album.tracks.count < 9)),
        #"SELECT * FROM "studio""#,
        """
        SELECT "album".*, "album"."studioId" AS "grdb_studioId" FROM "album" LEFT JOIN "track" ON "track"."albumId" = \
        "album"."id" WHERE "album"."studioId" IN (1, 2, 3) GROUP BY "album"."id" \
        HAVING (COUNT(DISTINCT "track"."id") > 0) AND (COUNT(DISTINCT "track"."id") < 9)
        """)
      try db.expectFetch(
        Studio.including(all: Studio.albums.group(year)), #"SELECT * FROM "studio""#,
        """
        SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" IN (1, 2, 3) GROUP BY "year", "studioId"
        """)
    }
  }

  @Test func `associations of the table in between are joined or prefetched`() throws {
    try inMusicStore { db in
      let pivot = Studio.albums.including(required: Album.sleeve)
      let tracks = Studio.hasMany(Track.self, through: pivot, using: Album.tracks)
      try db.expectFetch(
        Studio.including(all: tracks), #"SELECT * FROM "studio""#,
        """
        SELECT "track".*, "album"."studioId" AS "grdb_studioId" FROM "track" JOIN "album" ON ("album"."id" = \
        "track"."albumId") AND ("album"."studioId" IN (1, 2, 3)) JOIN "sleeve" ON "sleeve"."albumId" = "album"."id"
        """)
      let pivot2 = Studio.city.including(all: City.studios.forKey("all"))
      let siblings = Studio.hasMany(Studio.self, through: pivot2, using: City.studios, key: "siblings")
      let executed = try trace(db) { _ = try Row.fetchAll(db, Studio.including(all: siblings)) }
      let city =
        #"SELECT "studio".*, "city"."id" AS "grdb_id" FROM "studio" "#
        + #"JOIN "city" ON ("city"."id" = "studio"."cityId") AND ("city"."id" = 1)"#
      #expect(executed == [#"SELECT * FROM "studio""#, city, city])
    }
  }

  @Test func `statements are executed depth first`() throws {
    try inMusicStore { db in
      let executed = try trace(db) {
        _ = try Row.fetchAll(
          db,
          Studio.including(all: Studio.albums.including(all: Album.tracks).including(all: Album.memos))
            .including(all: Studio.siblings))
      }
      #expect(
        executed == [
          #"SELECT * FROM "studio""#,
          #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" IN (1, 2, 3)"#,
          #"SELECT *, "albumId" AS "grdb_albumId" FROM "track" WHERE "albumId" IN (1, 2, 3)"#,
          #"SELECT *, "albumId" AS "grdb_albumId" FROM "memo" WHERE "albumId" IN (1, 2, 3)"#,
          #"SELECT "studio".*, "city"."id" AS "grdb_id" FROM "studio" JOIN "city" ON ("city"."id" = "studio"."cityId") AND ("city"."id" = 1)"#,
        ])
    }
  }

  @Test func `the request of a composite key keeps its conditions`() throws {
    try inMusicStore { db in
      let tail =
        #" SELECT *, "country" AS "grdb_country", "catno" AS "grdb_catno" FROM "shipment" WHERE ("country", "catno") IN "grdb_base""#
      try db.expectFetch(
        Pressing.all().distinct().including(all: Pressing.shipments), #"SELECT DISTINCT * FROM "pressing""#,
        #"WITH "grdb_base" AS (SELECT "country", "catno" FROM "pressing")"# + tail)
      let having = Pressing.having(Pressing.shipments.count > 1)
      try db.expectFetch(
        having.including(all: Pressing.shipments.forKey("all")),
        """
        SELECT "pressing".* FROM "pressing" LEFT JOIN "shipment" ON ("shipment"."country" = "pressing"."country") AND \
        ("shipment"."catno" = "pressing"."catno") GROUP BY "pressing"."rowid" HAVING COUNT(DISTINCT "shipment"."id") > 1
        """,
        """
        WITH "grdb_base" AS (SELECT "pressing"."country", "pressing"."catno" FROM "pressing" LEFT JOIN "shipment" ON \
        ("shipment"."country" = "pressing"."country") AND ("shipment"."catno" = "pressing"."catno") \
        GROUP BY "pressing"."rowid" HAVING COUNT(DISTINCT "shipment"."id") > 1)
        """ + tail)
      let c = CommonTableExpression(named: "c", request: Pressing.select(country))
      try db.expectFetch(
        Pressing.with(c).filter(c.contains(country)).including(all: Pressing.shipments),
        #"WITH "c" AS (SELECT "country" FROM "pressing") SELECT * FROM "pressing" WHERE "country" IN "c""#,
        #"WITH "grdb_base" AS (WITH "c" AS (SELECT "country" FROM "pressing") SELECT "country", "catno" FROM "pressing" WHERE "country" IN "c")"#
          + tail)
      try db.expectFetch(
        Album.including(all: Album.pressings.including(all: Pressing.shipments)), #"SELECT * FROM "album""#,
        #"SELECT *, "albumId" AS "grdb_albumId" FROM "pressing" WHERE "albumId" IN (1, 2, 3, 4)"#,
        #"WITH "grdb_base" AS (SELECT "country", "catno" FROM "pressing" WHERE "albumId" IN (1, 2, 3, 4))"# + tail)
      try db.expectFetch(
        Shipment.including(optional: Shipment.pressing.including(all: Pressing.shipments)),
        """
        SELECT "shipment".*, "pressing".* FROM "shipment" LEFT JOIN "pressing" ON ("pressing"."country" = \
        "shipment"."country") AND ("pressing"."catno" = "shipment"."catno")
        """,
        """
        WITH "grdb_base" AS (SELECT "shipment"."country", "shipment"."catno" FROM "shipment" LEFT JOIN "pressing" ON \
        ("pressing"."country" = "shipment"."country") AND ("pressing"."catno" = "shipment"."catno")) SELECT "shipment".*, \
        "pressing"."country" AS "grdb_country", "pressing"."catno" AS "grdb_catno" FROM "shipment" JOIN "pressing" ON \
        ("pressing"."country" = "shipment"."country") AND ("pressing"."catno" = "shipment"."catno") AND \
        (("pressing"."country", "pressing"."catno") IN "grdb_base")
        """)
      let one = try trace(db) {
        _ = try Pressing.order(country).including(all: Pressing.shipments).asRequest(of: Row.self).fetchOne(db)
      }
      #expect(
        one == [
          #"SELECT * FROM "pressing" ORDER BY "country" LIMIT 1"#,
          #"WITH "grdb_base" AS (SELECT "country", "catno" FROM "pressing")"# + tail,
        ])
    }
  }

  @Test func `a request for an association is joined and counted`() throws {
    try inMusicStore { db in
      let album = try #require(try Album.fetchOne(db, key: 1))
      try db.expectFetch(
        album.request(for: Album.musicians.order(name)).filter(id > 0),
        """
        SELECT "musician".* FROM "musician" JOIN "credit" ON "credit"."musicianId" = "musician"."id" \
        JOIN "track" ON ("track"."id" = "credit"."trackId") AND ("track"."albumId" = 1) \
        WHERE "musician"."id" > 0 ORDER BY "musician"."name"
        """)
      try db.expectFetch(
        album.request(for: Album.studio.including(all: Studio.albums)), #"SELECT * FROM "studio" WHERE "id" = 1"#,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" = 1"#)
      try db.expectFetch(
        album.request(for: Album.tracks).annotated(with: Track.musicians.count),
        """
        SELECT "track".*, COUNT(DISTINCT "musician"."id") AS "musicianCount" FROM "track" LEFT JOIN "credit" ON \
        "credit"."trackId" = "track"."id" LEFT JOIN "musician" ON "musician"."id" = "credit"."musicianId" \
        WHERE "track"."albumId" = 1 GROUP BY "track"."id"
        """)
      try db.expectFetch(
        album.request(for: Album.tracks.including(required: Track.album)),
        """
        SELECT "track".*, "album".* FROM "track" JOIN "album" ON "album"."id" = "track"."albumId" \
        WHERE "track"."albumId" = 1
        """)
    }
  }

  @Test func `an alias without row ID exists if one of its columns does`() throws {
    try inMusicStore { db in
      let tag = TableAlias<AlbumTag>()
      try db.expectFetch(
        Album.joining(optional: Album.albumTags.aliased(tag)).filter(!tag.exists),
        """
        SELECT "album".* FROM "album" LEFT JOIN "albumTag" ON "albumTag"."albumId" = "album"."id" \
        WHERE ("albumTag"."albumId" IS NULL) AND ("albumTag"."tagName" IS NULL)
        """)
      let tag2 = TableAlias<AlbumTag>()
      try db.expectFetch(
        Album.joining(optional: Album.albumTags.aliased(tag2)).filter(tag2.exists),
        """
        SELECT "album".* FROM "album" LEFT JOIN "albumTag" ON "albumTag"."albumId" = "album"."id" \
        WHERE ("albumTag"."albumId" IS NOT NULL) OR ("albumTag"."tagName" IS NOT NULL)
        """)
      let memo = TableAlias<Memo>()
      try db.expectFetch(
        Album.joining(optional: Album.memos.aliased(memo)).filter(memo.exists).select(memo.exists),
        """
        SELECT "memo"."rowid" IS NOT NULL FROM "album" LEFT JOIN "memo" ON "memo"."albumId" = "album"."id" \
        WHERE "memo"."rowid" IS NOT NULL
        """)
    }
  }

  @Test func `counting and changing joined rows uses keys`() throws {
    try inMusicStore { db in
      func sql(_ expected: String, _ body: () throws -> Void) throws {
        #expect(try trace(db) { try body() } == [expected])
      }
      try sql(
        #"SELECT COUNT(*) FROM (SELECT DISTINCT "studio"."id" FROM "studio" JOIN "album" ON "album"."studioId" = "studio"."id")"#
      ) { _ = try Studio.joining(required: Studio.albums).select(id).distinct().fetchCount(db) }
      try sql(#"SELECT EXISTS (SELECT "album".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId")"#) {
        _ = try Album.joining(required: Album.studio).isEmpty(db)
      }
      try sql(
        #"SELECT "album".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId" WHERE "album"."id" = 1 LIMIT 1"#
      ) { _ = try Album.joining(required: Album.studio).filter(key: 1).fetchOne(db) }
      try sql(#"SELECT "album"."id" FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId""#) {
        _ = try Album.joining(required: Album.studio).selectPrimaryKey(as: Int64.self).fetchAll(db)
      }
      try sql(
        """
        SELECT "studio".* FROM "studio" JOIN "album" ON "album"."studioId" = "studio"."id" GROUP BY "studio"."id"
        """
      ) { _ = try Studio.joining(required: Studio.albums).groupByPrimaryKey().fetchAll(db) }
      try sql(
        """
        DELETE FROM "musician" WHERE "id" IN (SELECT "musician1"."id" FROM "musician" "musician1" \
        LEFT JOIN "musician" "musician2" ON "musician2"."mentorId" = "musician1"."id" \
        LEFT JOIN "credit" ON "credit"."musicianId" = "musician1"."id" GROUP BY "musician1"."id" \
        HAVING (COUNT(DISTINCT "musician2"."id") = 0) AND (COUNT(DISTINCT "credit"."rowid") = 0))
        """
      ) { _ = try Musician.having(Musician.pupils.isEmpty && Musician.credits.isEmpty).deleteAll(db) }
    }
  }

  @Test func `rows describe their scopes and prefetched rows`() throws {
    try inMusicStore { db in
      let request = Album.including(required: Album.studio.including(all: Studio.albums))
      let row = try #require(try Row.fetchOne(db, request))
      #expect(
        row.debugDescription == """
          ▿ [id:1 title:"Ash" studioId:1 year:1990 sequelId:2]
            unadapted: [id:1 title:"Ash" studioId:1 year:1990 sequelId:2 id:1 name:"Attic" cityId:1]
            - studio: [id:1 name:"Attic" cityId:1]
              + albums: 2 rows
            + albums: 2 rows
          """)
      let rows = try Row.fetchAll(db, Studio.including(all: Studio.albums))
      #expect(
        rows[2].debugDescription == """
          ▿ [id:3 name:"Cave" cityId:1]
            + albums: 0 row
          """)
      let withSleeve = try #require(
        try Row.fetchOne(db, Studio.including(all: Studio.albums.including(optional: Album.sleeve)))?
          .prefetchedRows["albums"]?.first)
      #expect(
        withSleeve.debugDescription == """
          ▿ [id:1 title:"Ash" studioId:1 year:1990 sequelId:2 grdb_studioId:1]
            unadapted: [id:1 title:"Ash" studioId:1 year:1990 sequelId:2 grdb_studioId:1 id:1 albumId:1 tint:"red"]
            - sleeve: [id:1 albumId:1 tint:"red"]
          """)
      let track = try #require(
        try Row.fetchOne(
          db, Track.including(required: Track.studio).including(required: Track.album)))
      #expect(track.scopes.names.sorted() == ["album"])
      #expect(track.scopesTree.names.sorted() == ["album", "studio"])
      #expect(track.scopes["album"]?.description == #"[id:1 title:"Ash" studioId:1 year:1990 sequelId:2]"#)
    }
  }
}
