import Testing
import Tidemark

private let id = Column("id")
private let title = Column("title")
private let name = Column("name")
private let year = Column("year")

/// Associations that are added several times with the same key.
@Suite struct AssociationMergingTests {
  private let join = #"JOIN "studio" ON "studio"."id" = "album"."studioId""#

  @Test func `a required and an optional association become a required one`() throws {
    try inMusicStore { db in
      for request in [
        Album.including(optional: Album.studio).including(required: Album.studio),
        Album.including(required: Album.studio).including(optional: Album.studio),
      ] {
        try db.expectFetch(request, #"SELECT "album".*, "studio".* FROM "album" "# + join)
      }
      try db.expectFetch(
        Album.including(optional: Album.studio).including(optional: Album.studio),
        #"SELECT "album".*, "studio".* FROM "album" LEFT "# + join)
      try db.expectFetch(
        Studio.including(all: Studio.albums).including(all: Studio.albums), #"SELECT * FROM "studio""#,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" IN (1, 2, 3)"#)
    }
  }

  @Test func `filters are combined, and the last order and selection apply`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Album.including(required: Album.studio.filter(id > 0).order(id).select(id))
          .including(required: Album.studio.filter(name == "Attic").order(name).select(name)),
        """
        SELECT "album".*, "studio"."name" FROM "album" JOIN "studio" ON ("studio"."id" = "album"."studioId") \
        AND ("studio"."id" > 0) AND ("studio"."name" = 'Attic') ORDER BY "studio"."name"
        """)
      try db.expectFetch(
        Album.including(required: Album.studio).joining(required: Album.studio),
        #"SELECT "album".*, "studio".* FROM "album" "# + join)
    }
  }

  @Test func `associations of associations are merged`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Track.including(required: Track.album.including(optional: Album.studio))
          .joining(required: Track.album.joining(required: Album.studio)),
        #"SELECT "track".*, "album".*, "studio".* FROM "track" JOIN "album" ON "album"."id" = "track"."albumId" "#
          + join)
      try db.expectFetch(
        Track.including(required: Track.album.including(required: Album.studio)).including(required: Track.studio),
        #"SELECT "track".*, "album".*, "studio".* FROM "track" JOIN "album" ON "album"."id" = "track"."albumId" "#
          + join)
    }
  }

  @Test func `a merged association is joined last`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Album.including(required: Album.studio).including(optional: Album.sleeve).including(optional: Album.studio),
        """
        SELECT "album".*, "sleeve".*, "studio".* FROM "album" LEFT JOIN "sleeve" ON "sleeve"."albumId" = "album"."id" \
        JOIN "studio" ON "studio"."id" = "album"."studioId"
        """)
    }
  }

  @Test func `a join and a prefetch of the same association do not affect each other`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Studio.joining(required: Studio.albums.filter(year > 1991)).including(all: Studio.albums),
        """
        SELECT "studio".* FROM "studio" JOIN "album" ON ("album"."studioId" = "studio"."id") AND ("album"."year" > 1991)
        """,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" = 2"#)
      try db.expectFetch(
        Studio.joining(required: Studio.albums.filter(year > 1991)).including(all: Studio.tracks),
        """
        SELECT "studio".* FROM "studio" JOIN "album" ON ("album"."studioId" = "studio"."id") AND ("album"."year" > 1991)
        """,
        """
        SELECT "track".*, "album"."studioId" AS "grdb_studioId" FROM "track" \
        JOIN "album" ON ("album"."id" = "track"."albumId") AND ("album"."studioId" = 2)
        """)
    }
  }

  @Test func `prefetches through the same table have one query each`() throws {
    let first = Studio.hasOne(Album.self)
    let firstTracks = Studio.hasMany(
      Track.self, through: first.filter(year < 1993), using: Album.tracks, key: "firstTracks")
    try inMusicStore { db in
      try db.expectFetch(
        Studio.including(all: firstTracks).including(all: Studio.albums), #"SELECT * FROM "studio""#,
        """
        SELECT "track".*, "album"."studioId" AS "grdb_studioId" FROM "track" JOIN "album" ON \
        ("album"."id" = "track"."albumId") AND ("album"."year" < 1993) AND ("album"."studioId" IN (1, 2, 3))
        """,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" IN (1, 2, 3)"#)
    }
  }

  @Test func `the pivot of a prefetch is not merged with a join of the same key`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Studio.including(all: Studio.tracks.including(required: Track.album)).filter(key: 1),
        #"SELECT * FROM "studio" WHERE "id" = 1"#,
        """
        SELECT "track".*, "album2"."studioId" AS "grdb_studioId", "album1".* FROM "track" \
        JOIN "album" "album1" ON "album1"."id" = "track"."albumId" \
        JOIN "album" "album2" ON ("album2"."id" = "track"."albumId") AND ("album2"."studioId" = 1)
        """)
    }
  }

  @Test func `one key for two foreign keys is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Transfer.including(required: Transfer.from.forKey("city")).including(required: Transfer.to.forKey("city"))
    }
    #expect(result.words.contains(#"The association key "city" is ambiguous."#))
  }

  @Test func `a join and a prefetch under one key are a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let albums = Studio.albums.forKey("x")
      _ = Studio.including(all: albums).including(optional: albums)
    }
    #expect(result.words.contains(#"The association key "x" is ambiguous."#))
  }

  @Test func `a direct and an indirect prefetch under one key are a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Studio.including(all: Studio.albums).including(all: Studio.tracks)
    }
    #expect(result.words.contains("merging a direct association and an indirect one with including(all:)"))
  }
}
