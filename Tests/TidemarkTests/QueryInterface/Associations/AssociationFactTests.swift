import Testing
import Tidemark

private let id = Column("id")
private let name = Column("name")
private let secs = Column("secs")
private let year = Column("year")

/// Limits of requests with associations: rows that are multiplied or combined, and requests that are refused.
@Suite struct AssociationFactTests {
  @Test func `a joined request has a row for each pair of rows, and its limit counts pairs`() throws {
    try inMusicStore { db throws in
      let request = Studio.joining(required: Studio.albums).order(id)
      #expect(try request.fetchAll(db).map(\.name) == ["Attic", "Attic", "Barn"])
      #expect(try request.limit(2).fetchAll(db).map(\.name) == ["Attic", "Attic"])
      #expect(try request.distinct().fetchAll(db).map(\.name) == ["Attic", "Barn"])
    }
  }

  @Test func `filtered aggregates of one key share a join with both filters`() throws {
    try inMusicStore { db in
      let counts = [Album.tracks.filter(secs > 100).count, Album.tracks.filter(secs < 150).max(secs)]
      let request = Album.annotated(with: counts)
      try db.expectFetch(
        request,
        """
        SELECT "album".*, COUNT(DISTINCT "track"."id") AS "trackCount", MAX("track"."secs") AS "maxTrackSecs" \
        FROM "album" LEFT JOIN "track" ON ("track"."albumId" = "album"."id") AND ("track"."secs" > 100) \
        AND ("track"."secs" < 150) GROUP BY "album"."id"
        """)
      #expect(try Row.fetchAll(db, request).map { $0["trackCount"] as Int } == [1, 0, 0, 0])
    }
  }

  @Test func `aggregates through one table share its join`() throws {
    let sleeves = Studio.hasMany(Sleeve.self, through: Studio.albums, using: Album.sleeve)
    try inMusicStore { db in
      try db.expectFetch(
        Studio.annotated(with: Studio.tracks.count, sleeves.count),
        """
        SELECT "studio".*, COUNT(DISTINCT "track"."id") AS "trackCount", COUNT(DISTINCT "sleeve"."id") AS "sleeveCount" \
        FROM "studio" LEFT JOIN "album" ON "album"."studioId" = "studio"."id" \
        LEFT JOIN "track" ON "track"."albumId" = "album"."id" \
        LEFT JOIN "sleeve" ON "sleeve"."albumId" = "album"."id" GROUP BY "studio"."id"
        """)
    }
  }

  @Test func `counts of several associations are exact, and sums are multiplied`() throws {
    try inMusicStore { db throws in
      let request = Album.filter(key: 1).annotated(
        with: Album.tracks.count, Album.memos.count, Album.tracks.sum(secs))
      let row = try #require(try Row.fetchOne(db, request))
      // The tracks last 60 + 120 seconds. Each of them is joined with two memos.
      #expect([row["trackCount"], row["memoCount"], row["trackSecsSum"]] as [Int] == [2, 2, 360])
    }
  }

  @Test func `rows are ordered by the name of an aggregate if it is detached`() throws {
    try inMusicStore { db throws in
      let request = Album.annotated(with: Album.tracks.count)
      #expect(
        errorText { try Row.fetchAll(db, request.order(Column("trackCount"))) }
          .hasPrefix("SQLite error 1: no such column: album.trackCount"))
      try db.expectFetch(
        request.order(Column("trackCount").detached.desc, id),
        """
        SELECT "album".*, COUNT(DISTINCT "track"."id") AS "trackCount" FROM "album" \
        LEFT JOIN "track" ON "track"."albumId" = "album"."id" GROUP BY "album"."id" \
        ORDER BY "trackCount" DESC, "album"."id"
        """)
      #expect(
        errorText { try Row.fetchAll(db, request.filter(literal: "trackCount > 1")) }.contains("misuse of aggregate"))
    }
  }

  @Test func `the filter of a prefetched association cannot use the table of the request`() throws {
    let base = TableAlias<Album>(name: "base")
    try inMusicStore { db throws in
      let request = Album.aliased(base).including(all: Album.tracks.filter(secs > base[year]))
      #expect(errorText { try Row.fetchAll(db, request) }.hasPrefix("SQLite error 1: no such column: base.year"))
      #expect(errorText { try request.databaseRegion(db) }.hasPrefix("SQLite error 1: no such column: base.year"))
    }
  }

  @Test func `assignments cannot read joined columns`() throws {
    let studio = TableAlias<Studio>()
    try inMusicStore { db throws in
      let request = Album.joining(required: Album.studio.aliased(studio))
      let text = errorText { try request.updateAll(db, year.set(to: studio[id])) }
      #expect(text.contains("a TableAlias without a name is used in a query that does not contain its table"))
      #expect(try Album.order(id).fetchAll(db).map(\.year) == [1990, 1991, 1992, 1993])
    }
  }

  @Test func `the columns of the schema are not read if all columns are given`() throws {
    try inMusicStore { db in
      let albums = Table("studio").hasMany(Table("album"), using: ForeignKey(["year"], to: ["id"]))
      try db.expectFetch(
        Table("studio").joining(required: albums),
        #"SELECT "studio".* FROM "studio" JOIN "album" ON "album"."year" = "studio"."id""#)
    }
  }

  @Test func `a foreign key with another number of columns is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let studio = Album.belongsTo(Studio.self, using: ForeignKey(["a", "b"], to: ["id"]))
      try inMusicStore { db in _ = try Row.fetchAll(db, Album.including(required: studio)) }
    }
    #expect(result.words.contains("Number of columns don't match"))
  }

  @Test func `a request for the rows of a common table expression is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let cte = CommonTableExpression(named: "c", sql: "SELECT 1 AS id")
      _ = Album(id: 1, title: "Ash", studioId: 1, year: 1990, sequelId: 2).request(for: Album.association(to: cte))
    }
    #expect(result.words.contains("Not implemented: request association without any foreign key"))
  }
}

/// Keys of decoded records that stand for columns, scopes, prefetched rows, or the row itself.
@Suite struct AssociationDecodingKeyTests {
  @Test func `only one key is decoded from the row itself`() throws {
    struct Info: Decodable, FetchableRecord {
      var album: Album
      var other: Album
    }
    try inMusicStore { db in
      let text = errorText { try Album.all().asRequest(of: Info.self).fetchAll(db) }
      #expect(text.contains("No such key: album or other"))
    }
  }

  @Test func `a column has precedence over a scope, and a scope over prefetched rows`() throws {
    struct Named: Decodable, FetchableRecord {
      var title: String
    }
    struct Info: Decodable, FetchableRecord {
      var studio: Studio
      var albums: Studio
    }
    try inMusicStore { db throws in
      let request = Album.including(required: Album.studio.forKey("title"))
      #expect(try request.asRequest(of: Named.self).fetchAll(db).map(\.title) == ["Ash", "Birch", "Cedar"])
      let both = Album.including(required: Album.studio.including(all: Studio.albums))
        .including(required: Album.studio.forKey("albums"))
      #expect(try both.asRequest(of: Info.self).fetchAll(db).map(\.albums.name) == ["Attic", "Attic", "Barn"])
    }
  }

  @Test func `a value cannot be decoded from a scope`() throws {
    struct Info: Decodable, FetchableRecord {
      var album: Album
      var studio: String
    }
    try inMusicStore { db in
      let text = errorText { try Album.including(required: Album.studio).asRequest(of: Info.self).fetchAll(db) }
      #expect(text.hasPrefix(#"column not found: "studio""#))
    }
  }

  @Test func `keys of scopes and prefetched rows are not converted`() throws {
    struct Info: Decodable, FetchableRecord {
      static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
      enum CodingKeys: String, CodingKey {
        case studio = "home_studio"
        case tracks = "all_tracks"
        case firstYear
      }
      var studio: Studio
      var tracks: [Track]
      var firstYear: Int
    }
    try inMusicStore { db throws in
      let request = Album.select(id, year.forKey("first_year"))
        .including(required: Album.studio.forKey("home_studio"))
        .including(all: Album.tracks.forKey("all_tracks"))
      let infos = try request.asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map(\.studio.name) == ["Attic", "Attic", "Barn"])
      #expect(infos.map(\.tracks.count) == [2, 1, 0])
      #expect(infos.map(\.firstYear) == [1990, 1991, 1992])
    }
  }

  @Test func `a property that decodes an array itself needs prefetched rows`() throws {
    struct Titles: Decodable {
      var count = 0
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
          _ = try container.decode(Album.self)
          count += 1
        }
      }
    }
    struct Info: Decodable, FetchableRecord {
      var name: String
      var works: Titles
    }
    try inMusicStore { db throws in
      let request = Studio.including(all: Studio.albums.forKey("works")).order(id).asRequest(of: Info.self)
      #expect(try request.fetchAll(db).map(\.works.count) == [2, 1, 0])
      let without = errorText { try Studio.all().asRequest(of: Info.self).fetchAll(db) }
      #expect(without.contains("No available prefetched rows"))
      let other = errorText {
        try Studio.including(all: Studio.albums).asRequest(of: Info.self).fetchAll(db)
      }
      #expect(other.contains(#"Available keys for prefetched rows: ["albums"]"#))
    }
  }
}
