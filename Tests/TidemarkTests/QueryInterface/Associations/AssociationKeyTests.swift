import Testing
import Tidemark

private let name = Column("name")
private let year = Column("year")

/// The keys of associations, and the rows in which they appear.
@Suite struct AssociationKeyTests {
  @Test func `the key of a joined association is singular`() throws {
    func scope(_ request: some FetchRequest) throws -> [String] {
      try inMusicStore { db in try Row.fetchOne(db, request).map { Array($0.scopes.names) } ?? [] }
    }
    #expect(try scope(Album.including(required: Album.studio)) == ["studio"])
    #expect(try scope(Studio.including(required: Studio.albums)) == ["album"])
    #expect(try scope(Studio.including(required: Studio.albums.forKey("discs"))) == ["disc"])
    #expect(try scope(Studio.including(required: Studio.hasMany(Album.self, key: "works"))) == ["work"])
    #expect(try scope(Album.including(required: Album.belongsTo(Studio.self, key: "covers"))) == ["covers"])
    #expect(try scope(Album.including(required: Album.studio.forKey("rooms"))) == ["rooms"])
  }

  @Test func `the key of prefetched rows is plural`() throws {
    func keys(_ request: some FetchRequest) throws -> Set<String> {
      try inMusicStore { db in try Row.fetchOne(db, request)?.prefetchedRows.keys ?? [] }
    }
    #expect(try keys(Studio.including(all: Studio.albums)) == ["albums"])
    #expect(try keys(Studio.including(all: Studio.hasMany(Album.self, key: "works"))) == ["works"])
    #expect(try keys(Studio.including(all: Studio.albums.forKey("disc"))) == ["disc"])
    #expect(try keys(Track.including(all: Track.musicians)) == ["musicians"])
    #expect(try keys(Studio.including(all: Studio.siblings)) == ["siblings"])
    enum Keys: String, CodingKey { case discs = "compactDiscs" }
    #expect(try keys(Studio.including(all: Studio.albums.forKey(Keys.discs))) == ["compactDiscs"])
  }

  @Test func `keys are case sensitive`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Album.including(required: Album.studio).including(required: Album.studio.forKey("Studio")),
        """
        SELECT "album".*, "studio1".*, "studio2".* FROM "album" \
        JOIN "studio" "studio1" ON "studio1"."id" = "album"."studioId" \
        JOIN "studio" "studio2" ON "studio2"."id" = "album"."studioId"
        """)
    }
  }

  @Test func `joined rows are scopes`() throws {
    try inMusicStore { db throws in
      func text(_ request: some FetchRequest) throws -> String {
        try Row.fetchOne(db, request)?.debugDescription ?? "no row"
      }
      #expect(
        try text(Album.including(required: Album.studio)) == """
          ▿ [id:1 title:"Ash" studioId:1 year:1990 sequelId:2]
            unadapted: [id:1 title:"Ash" studioId:1 year:1990 sequelId:2 id:1 name:"Attic" cityId:1]
            - studio: [id:1 name:"Attic" cityId:1]
          """)
      #expect(
        try text(Album.including(required: Album.city)) == """
          ▿ [id:1 title:"Ash" studioId:1 year:1990 sequelId:2]
            unadapted: [id:1 title:"Ash" studioId:1 year:1990 sequelId:2 id:1 name:"Oslo" region:"N"]
            - studio: []
              - city: [id:1 name:"Oslo" region:"N"]
          """)
      #expect(
        try text(Album.including(optional: Album.studio).filter(key: 4)) == """
          ▿ [id:4 title:"Drift" studioId:NULL year:1993 sequelId:NULL]
            unadapted: [id:4 title:"Drift" studioId:NULL year:1993 sequelId:NULL id:NULL name:NULL cityId:NULL]
            - studio: [id:NULL name:NULL cityId:NULL]
          """)
      #expect(
        try text(Track.including(required: Track.studio).including(required: Track.album)) == """
          ▿ [id:1 albumId:1 name:"One" secs:60]
            unadapted: [id:1 albumId:1 name:"One" secs:60 id:1 title:"Ash" studioId:1 year:1990 sequelId:2 id:1 \
          name:"Attic" cityId:1]
            - album: [id:1 title:"Ash" studioId:1 year:1990 sequelId:2]
              - studio: [id:1 name:"Attic" cityId:1]
          """)
      #expect(
        try text(Studio.including(all: Studio.albums).filter(key: 3)) == """
          ▿ [id:3 name:"Cave" cityId:1]
            + albums: 0 row
          """)
      #expect(
        try text(Album.including(required: Album.studio.including(all: Studio.albums))) == """
          ▿ [id:1 title:"Ash" studioId:1 year:1990 sequelId:2]
            unadapted: [id:1 title:"Ash" studioId:1 year:1990 sequelId:2 id:1 name:"Attic" cityId:1]
            - studio: [id:1 name:"Attic" cityId:1]
              + albums: 2 rows
            + albums: 2 rows
          """)
    }
  }

  @Test func `rows of which no joined columns are selected have no scopes`() throws {
    try inMusicStore { db in
      for request in [
        Album.all(), Album.joining(required: Album.studio), Album.annotated(withOptional: Album.studio.select(name)),
        Album.including(all: Album.tracks), Album.including(required: Album.studio.select([])),
      ] {
        let row = try #require(try Row.fetchOne(db, request))
        #expect(row.scopes.names.isEmpty)
      }
    }
  }

  @Test func `prefetched rows end with the columns that lead to their row`() throws {
    try inMusicStore { db in
      let city = try #require(try Row.fetchOne(db, City.including(all: City.studios)))
      #expect(
        city.prefetchedRows["studios"]?.map(\.description) == [
          #"[id:1 name:"Attic" cityId:1 grdb_cityId:1]"#, #"[id:3 name:"Cave" cityId:1 grdb_cityId:1]"#,
        ])
      let studios = Studio.including(all: Studio.albums.including(optional: Album.sleeve))
      try db.expectFetch(
        studios, #"SELECT * FROM "studio""#,
        """
        SELECT "album".*, "album"."studioId" AS "grdb_studioId", "sleeve".* FROM "album" \
        LEFT JOIN "sleeve" ON "sleeve"."albumId" = "album"."id" WHERE "album"."studioId" IN (1, 2, 3)
        """)
      let album = try #require(try Row.fetchOne(db, studios)?.prefetchedRows["albums"]?.first)
      #expect(album.description == #"[id:1 title:"Ash" studioId:1 year:1990 sequelId:2 grdb_studioId:1]"#)
      #expect(album.scopes["sleeve"]?.description == #"[id:1 albumId:1 tint:"red"]"#)
    }
  }

  @Test func `the rows of nested prefetches belong to the prefetched rows`() throws {
    try inMusicStore { db in
      let city = try #require(
        try Row.fetchOne(db, City.including(all: City.studios.including(all: Studio.albums))))
      #expect(city.prefetchedRows.keys == ["studios"])
      #expect(city.prefetchedRows["albums"] == nil)
      #expect(city.prefetchedRows["studios"]?.map { $0.prefetchedRows["albums"]?.count } == [2, 0])
    }
  }

  @Test func `equality of rows includes prefetched rows`() throws {
    try inMusicStore { db in
      let plain = try #require(try Row.fetchOne(db, Studio.all()))
      let complete = try #require(try Row.fetchOne(db, Studio.including(all: Studio.albums)))
      #expect(plain != complete)
      #expect(plain == complete.unscoped)
      #expect(complete.copy() == complete)
      #expect(complete.copy().prefetchedRows["albums"]?.count == 2)
    }
  }
}
