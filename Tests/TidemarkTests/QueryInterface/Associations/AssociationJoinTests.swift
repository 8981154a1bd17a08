import Testing
import Tidemark

private let id = Column("id")
private let title = Column("title")
private let name = Column("name")
private let year = Column("year")

/// The SQL of requests that join associated tables.
@Suite struct AssociationJoinTests {
  @Test func `each kind of association is joined by its foreign key`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Album.including(required: Album.studio),
        #"SELECT "album".*, "studio".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId""#)
      try db.expectFetch(
        Album.including(optional: Album.studio),
        #"SELECT "album".*, "studio".* FROM "album" LEFT JOIN "studio" ON "studio"."id" = "album"."studioId""#)
      try db.expectFetch(
        Album.joining(required: Album.studio),
        #"SELECT "album".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId""#)
      try db.expectFetch(
        Album.joining(optional: Album.studio),
        #"SELECT "album".* FROM "album" LEFT JOIN "studio" ON "studio"."id" = "album"."studioId""#)
      try db.expectFetch(
        Album.including(required: Album.sleeve),
        #"SELECT "album".*, "sleeve".* FROM "album" JOIN "sleeve" ON "sleeve"."albumId" = "album"."id""#)
      try db.expectFetch(
        Studio.including(required: Studio.albums),
        #"SELECT "studio".*, "album".* FROM "studio" JOIN "album" ON "album"."studioId" = "studio"."id""#)
      try db.expectFetch(
        Album.including(optional: Album.city),
        """
        SELECT "album".*, "city".* FROM "album" LEFT JOIN "studio" ON "studio"."id" = "album"."studioId" \
        LEFT JOIN "city" ON "city"."id" = "studio"."cityId"
        """)
      try db.expectFetch(
        Track.including(required: Track.musicians),
        """
        SELECT "track".*, "musician".* FROM "track" JOIN "credit" ON "credit"."trackId" = "track"."id" \
        JOIN "musician" ON "musician"."id" = "credit"."musicianId"
        """)
      try db.expectFetch(
        City.including(required: City.tracks),
        """
        SELECT "city".*, "track".* FROM "city" JOIN "studio" ON "studio"."cityId" = "city"."id" \
        JOIN "album" ON "album"."studioId" = "studio"."id" JOIN "track" ON "track"."albumId" = "album"."id"
        """)
      try db.expectFetch(
        Shipment.including(required: Shipment.pressing),
        """
        SELECT "shipment".*, "pressing".* FROM "shipment" JOIN "pressing" ON \
        ("pressing"."country" = "shipment"."country") AND ("pressing"."catno" = "shipment"."catno")
        """)
    }
  }

  @Test func `a table that is joined several times is numbered`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Musician.including(optional: Musician.mentor.including(optional: Musician.mentor)),
        """
        SELECT "musician1".*, "musician2".*, "musician3".* FROM "musician" "musician1" \
        LEFT JOIN "musician" "musician2" ON "musician2"."id" = "musician1"."mentorId" \
        LEFT JOIN "musician" "musician3" ON "musician3"."id" = "musician2"."mentorId"
        """)
      try db.expectFetch(
        Studio.including(required: Studio.siblings),
        """
        SELECT "studio1".*, "studio2".* FROM "studio" "studio1" JOIN "city" ON "city"."id" = "studio1"."cityId" \
        JOIN "studio" "studio2" ON "studio2"."cityId" = "city"."id"
        """)
      try db.expectFetch(
        Transfer.including(required: Transfer.from).including(required: Transfer.to),
        """
        SELECT "transfer".*, "city1".*, "city2".* FROM "transfer" \
        JOIN "city" "city1" ON "city1"."id" = "transfer"."fromCityId" \
        JOIN "city" "city2" ON "city2"."id" = "transfer"."toCityId"
        """)
    }
  }

  @Test func `associations of associations are joined depth first`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Track.including(required: Track.album.including(optional: Album.studio.including(optional: Studio.city))),
        """
        SELECT "track".*, "album".*, "studio".*, "city".* FROM "track" \
        JOIN "album" ON "album"."id" = "track"."albumId" \
        LEFT JOIN "studio" ON "studio"."id" = "album"."studioId" LEFT JOIN "city" ON "city"."id" = "studio"."cityId"
        """)
      try db.expectFetch(
        Track.including(
          optional: Track.album.including(optional: Album.sleeve).including(optional: Album.studio)),
        """
        SELECT "track".*, "album".*, "sleeve".*, "studio".* FROM "track" \
        LEFT JOIN "album" ON "album"."id" = "track"."albumId" \
        LEFT JOIN "sleeve" ON "sleeve"."albumId" = "album"."id" \
        LEFT JOIN "studio" ON "studio"."id" = "album"."studioId"
        """)
    }
  }

  @Test func `tables are associated like records`() throws {
    try inMusicStore { db in
      let request = Table("album").including(required: Table("album").belongsTo(Table("studio")))
      try db.expectFetch(
        request, #"SELECT "album".*, "studio".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId""#)
      #expect(try request.fetchAll(db).map { $0.scopes["studio"]?["name"] as String? } == ["Attic", "Attic", "Barn"])
      try db.expectFetch(
        Table<Album>("album").including(all: Table<Album>("album").hasMany(Track.self)).filter(key: 1),
        #"SELECT * FROM "album" WHERE "id" = 1"#,
        #"SELECT *, "albumId" AS "grdb_albumId" FROM "track" WHERE "albumId" = 1"#)
    }
  }

  @Test func `filters of an association are conditions of the join`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Album.including(optional: Album.studio.filter(name == "Attic")),
        """
        SELECT "album".*, "studio".* FROM "album" \
        LEFT JOIN "studio" ON ("studio"."id" = "album"."studioId") AND ("studio"."name" = 'Attic')
        """)
      try db.expectFetch(
        Album.including(required: Album.studio.filter(name == "Attic")).filter(year > 1990),
        """
        SELECT "album".*, "studio".* FROM "album" \
        JOIN "studio" ON ("studio"."id" = "album"."studioId") AND ("studio"."name" = 'Attic') \
        WHERE "album"."year" > 1990
        """)
      try db.expectFetch(
        Album.joining(required: Album.studio.filter(key: 1)),
        """
        SELECT "album".* FROM "album" JOIN "studio" ON ("studio"."id" = "album"."studioId") AND ("studio"."id" = 1)
        """)
      try db.expectFetch(
        Album.joining(required: Album.studio.filter(literal: "name = \("Attic")")),
        """
        SELECT "album".* FROM "album" JOIN "studio" ON ("studio"."id" = "album"."studioId") AND (name = 'Attic')
        """)
      try db.expectFetch(
        Album.joining(required: Album.studio.none()),
        #"SELECT "album".* FROM "album" JOIN "studio" ON ("studio"."id" = "album"."studioId") AND 0"#)
    }
  }

  @Test func `orders of associations follow the order of the request`() throws {
    try inMusicStore { db in
      let head = """
        SELECT "album".*, "studio".* FROM "album" LEFT JOIN "studio" ON "studio"."id" = "album"."studioId"
        """
      let request = Album.including(optional: Album.studio.order(name)).order(title.desc)
      try db.expectFetch(request, head + #" ORDER BY "album"."title" DESC, "studio"."name""#)
      try db.expectFetch(request.reversed(), head + #" ORDER BY "album"."title" ASC, "studio"."name" DESC"#)
      try db.expectFetch(request.unordered(), head)
      try db.expectFetch(request.order(year), head + #" ORDER BY "album"."year", "studio"."name""#)
      try db.expectFetch(
        Album.including(optional: Album.studio.order(name)).order(title).withStableOrder(),
        head + #" ORDER BY "album"."title", "album"."id", "studio"."name", "studio"."id""#)
      try db.expectFetch(
        Album.including(optional: Album.studio.order(name).reversed()), head + #" ORDER BY "studio"."name" DESC"#)
      try db.expectFetch(
        Album.including(optional: Album.studio.orderByPrimaryKey()), head + #" ORDER BY "studio"."id""#)
      let albums = Studio.hasMany(Album.self).order(title)
      try db.expectFetch(
        Studio.joining(required: Studio.hasMany(Track.self, through: albums, using: Album.tracks.order(name))),
        """
        SELECT "studio".* FROM "studio" JOIN "album" ON "album"."studioId" = "studio"."id" \
        JOIN "track" ON "track"."albumId" = "album"."id" ORDER BY "album"."title", "track"."name"
        """)
    }
  }

  @Test func `an association selects what the program or the record type selects`() throws {
    struct Slim: TableRecord {
      static let databaseTableName = "studio"
      static var databaseSelection: [any SQLSelectable] { [Column("name")] }
    }
    let join = #" FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId""#
    try inMusicStore { db in
      try db.expectFetch(
        Album.including(required: Album.belongsTo(Slim.self)), #"SELECT "album".*, "studio"."name""# + join)
      try db.expectFetch(
        Album.including(required: Album.studio.select(name)), #"SELECT "album".*, "studio"."name""# + join)
      try db.expectFetch(Album.including(required: Album.studio.select([])), #"SELECT "album".*"# + join)
      try db.expectFetch(
        Album.including(required: Album.studio).select(title), #"SELECT "album"."title", "studio".*"# + join)
      try db.expectFetch(
        Album.including(required: Album.studio.select(.allColumns(excluding: ["name"]), .rowID)),
        #"SELECT "album".*, "studio"."id", "studio"."cityId", "studio"."rowid""# + join)
      try db.expectFetch(
        Album.including(required: Album.studio.annotated(with: (id + 1).forKey("nxt"))),
        #"SELECT "album".*, "studio".*, "studio"."id" + 1 AS "nxt""# + join)
    }
  }

  @Test func `annotations are columns of the request`() throws {
    let join = #" JOIN "studio" ON "studio"."id" = "album"."studioId""#
    try inMusicStore { db in
      let request = Album.annotated(withRequired: Album.studio.select(name))
      try db.expectFetch(request, #"SELECT "album".*, "studio"."name" FROM "album""# + join)
      let row = try #require(try Row.fetchOne(db, request))
      #expect(row.description == #"[id:1 title:"Ash" studioId:1 year:1990 sequelId:2 name:"Attic"]"#)
      #expect(row.scopes.isEmpty)
      try db.expectFetch(
        Album.annotated(withOptional: Album.studio), #"SELECT "album".*, "studio".* FROM "album" LEFT"# + join)
      try db.expectFetch(
        Album.annotated(withOptional: Album.sequel.select(title.forKey("sequelTitle"))),
        """
        SELECT "album1".*, "album2"."title" AS "sequelTitle" FROM "album" "album1" \
        LEFT JOIN "album" "album2" ON "album2"."id" = "album1"."sequelId"
        """)
      try db.expectFetch(
        request.annotated(withRequired: Album.studio.select(id.forKey("sid"))),
        #"SELECT "album".*, "studio"."name", "studio"."id" AS "sid" FROM "album""# + join)
      try db.expectFetch(
        request.including(required: Album.studio), #"SELECT "album".*, "studio"."name", "studio".* FROM "album""# + join
      )
      try db.expectFetch(request.select(title), #"SELECT "album"."title" FROM "album""# + join)
      let nested = Track.annotated(withRequired: Track.album.select(title).including(required: Album.studio))
      try db.expectFetch(
        nested,
        """
        SELECT "track".*, "album"."title", "studio".* FROM "track" JOIN "album" ON "album"."id" = "track"."albumId" \
        JOIN "studio" ON "studio"."id" = "album"."studioId"
        """)
      let scopes = try #require(try Row.fetchOne(db, nested)).scopesTree
      #expect(scopes["album"]?.description == "[]")
      #expect(scopes["studio"]?.description == #"[id:1 name:"Attic" cityId:1]"#)
    }
  }

  @Test func `an extension of derivable requests serves requests and associations`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Album.all().since(1992).titled(), #"SELECT * FROM "album" WHERE "year" >= 1992 ORDER BY "title""#)
      try db.expectFetch(
        Track.joining(required: Track.album.since(1992).titled()),
        """
        SELECT "track".* FROM "track" JOIN "album" ON ("album"."id" = "track"."albumId") AND ("album"."year" >= 1992) \
        ORDER BY "album"."title"
        """)
      try db.expectFetch(
        Studio.including(all: Studio.albums.since(1992).titled()), #"SELECT * FROM "studio""#,
        """
        SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE ("year" >= 1992) AND ("studioId" IN (1, 2, 3)) \
        ORDER BY "title"
        """)
    }
  }
}

extension DerivableRequest<Album> {
  fileprivate func since(_ year: Int) -> Self { filter { $0.year >= year } }
  fileprivate func titled() -> Self { order { $0.title } }
}
