import Testing
import Tidemark

private let id = Column("id")
private let name = Column("name")
private let secs = Column("secs")
private let year = Column("year")

/// Counts, sums, and so on, of associated rows.
@Suite struct AssociationAggregateTests {
  private let join = #" FROM "album" LEFT JOIN "track" ON "track"."albumId" = "album"."id" GROUP BY "album"."id""#

  @Test func `an aggregate is a column of a grouped join`() throws {
    try inMusicStore { db in
      let columns: [(AssociationAggregate<Album>, String)] = [
        (Album.tracks.count, #"COUNT(DISTINCT "track"."id") AS "trackCount""#),
        (Album.tracks.isEmpty, #"COUNT(DISTINCT "track"."id") = 0 AS "hasNoTrack""#),
        (Album.tracks.average(secs), #"AVG("track"."secs") AS "averageTrackSecs""#),
        (Album.tracks.min(secs), #"MIN("track"."secs") AS "minTrackSecs""#),
        (Album.tracks.max(secs), #"MAX("track"."secs") AS "maxTrackSecs""#),
        (Album.tracks.sum(secs), #"SUM("track"."secs") AS "trackSecsSum""#),
        (Album.tracks.total(secs), #"TOTAL("track"."secs") AS "trackSecsSum""#),
        (Album.tracks.max { $0.secs }, #"MAX("track"."secs") AS "maxTrackSecs""#),
        (Album.tracks.sum(secs * 2), #"SUM("track"."secs" * 2)"#),
        (
          (Album.tracks.count + Album.tracks.count).forKey("n"),
          #"COUNT(DISTINCT "track"."id") + COUNT(DISTINCT "track"."id") AS "n""#
        ),
        (Album.tracks.average(secs) ?? 0, #"IFNULL(AVG("track"."secs"), 0) AS "averageTrackSecs""#),
        (
          cast(Album.tracks.average(secs), as: .integer), #"CAST(AVG("track"."secs") AS INTEGER) AS "averageTrackSecs""#
        ),
        (-Album.tracks.count, #"-COUNT(DISTINCT "track"."id")"#),
        (Album.tracks.count * 2, #"COUNT(DISTINCT "track"."id") * 2"#),
        (10 - Album.tracks.count, #"10 - COUNT(DISTINCT "track"."id")"#),
        (Album.tracks.sum(secs) / Album.tracks.count, #"SUM("track"."secs") / COUNT(DISTINCT "track"."id")"#),
        (abs(Album.tracks.min(secs)), #"ABS(MIN("track"."secs"))"#),
        (length(Album.tracks.max(name)), #"LENGTH(MAX("track"."name"))"#),
      ]
      for (aggregate, column) in columns {
        try db.expectFetch(Album.annotated(with: aggregate), #"SELECT "album".*, "# + column + join)
      }
    }
  }

  @Test func `conditions on aggregates are HAVING clauses`() throws {
    let count = #"COUNT(DISTINCT "track"."id")"#
    try inMusicStore { db in
      let conditions: [(AssociationAggregate<Album>, String)] = [
        (Album.tracks.isEmpty, "\(count) = 0"),
        (!Album.tracks.isEmpty, "\(count) > 0"),
        (Album.tracks.isEmpty == false, "\(count) > 0"),
        (Album.tracks.isEmpty != true, "\(count) > 0"),
        (Album.tracks.isEmpty == true, "\(count) = 0"),
        (true == Album.tracks.isEmpty, "\(count) = 0"),
        (Album.tracks.count > 1, "\(count) > 1"),
        (Album.tracks.count == 1, "\(count) = 1"),
        (1 == Album.tracks.count, "1 = \(count)"),
        (Album.tracks.max(secs) == nil, #"MAX("track"."secs") IS NULL"#),
        (Album.tracks.max(secs) === 5, #"MAX("track"."secs") IS 5"#),
        (Album.tracks.max(secs) !== 5, #"MAX("track"."secs") IS NOT 5"#),
        (Album.tracks.max(secs) == Album.tracks.min(secs), #"MAX("track"."secs") = MIN("track"."secs")"#),
        (year > 3 || Album.tracks.count > 1, #"("album"."year" > 3) OR (\#(count) > 1)"#),
        (Album.tracks.count > 1 && year > 3, #"(\#(count) > 1) AND ("album"."year" > 3)"#),
      ]
      for (condition, sql) in conditions {
        try db.expectFetch(Album.having(condition), #"SELECT "album".*"# + join + " HAVING " + sql)
      }
      try db.expectFetch(
        Album.having(Album.tracks.count > 1).having(Album.tracks.count < 9),
        #"SELECT "album".*"# + join + " HAVING (\(count) > 1) AND (\(count) < 9)")
      #expect(try Album.having(Album.tracks.count > 1).fetchAll(db).map(\.id) == [1])
      #expect(try Album.having(Album.tracks.isEmpty).fetchAll(db).map(\.id) == [3, 4])
    }
  }

  @Test func `aggregates of several associations are combined`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Album.having(Album.tracks.count > 1 && Album.memos.isEmpty),
        """
        SELECT "album".* FROM "album" LEFT JOIN "track" ON "track"."albumId" = "album"."id" \
        LEFT JOIN "memo" ON "memo"."albumId" = "album"."id" GROUP BY "album"."id" \
        HAVING (COUNT(DISTINCT "track"."id") > 1) AND (COUNT(DISTINCT "memo"."rowid") = 0)
        """)
      let request = Album.annotated(with: Album.tracks.count, Album.memos.count)
      let rows = try Row.fetchAll(db, request)
      #expect(rows.map { [$0["trackCount"], $0["memoCount"]] as [Int] } == [[2, 2], [1, 0], [0, 0], [0, 0]])
    }
  }

  @Test func `filtered aggregates with keys of their own have joins of their own`() throws {
    let long = Album.tracks.filter(secs > 100).forKey("longTracks")
    let short = Album.tracks.filter(secs <= 100).forKey("shortTracks")
    try inMusicStore { db in
      try db.expectFetch(
        Album.annotated(with: Album.tracks.filter(secs > 150).count),
        """
        SELECT "album".*, COUNT(DISTINCT "track"."id") AS "trackCount" FROM "album" \
        LEFT JOIN "track" ON ("track"."albumId" = "album"."id") AND ("track"."secs" > 150) GROUP BY "album"."id"
        """)
      try db.expectFetch(
        Album.annotated(with: long.count, short.count),
        """
        SELECT "album".*, COUNT(DISTINCT "track1"."id") AS "longTrackCount", \
        COUNT(DISTINCT "track2"."id") AS "shortTrackCount" FROM "album" \
        LEFT JOIN "track" "track1" ON ("track1"."albumId" = "album"."id") AND ("track1"."secs" > 100) \
        LEFT JOIN "track" "track2" ON ("track2"."albumId" = "album"."id") AND ("track2"."secs" <= 100) \
        GROUP BY "album"."id"
        """)
    }
  }

  @Test func `aggregates go through other tables`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Studio.annotated(with: Studio.tracks.count),
        """
        SELECT "studio".*, COUNT(DISTINCT "track"."id") AS "trackCount" FROM "studio" \
        LEFT JOIN "album" ON "album"."studioId" = "studio"."id" \
        LEFT JOIN "track" ON "track"."albumId" = "album"."id" GROUP BY "studio"."id"
        """)
      try db.expectFetch(
        Album.annotated(with: Album.tracks.order(secs).count),
        #"SELECT "album".*, COUNT(DISTINCT "track"."id") AS "trackCount""# + join + #" ORDER BY "track"."secs""#)
      try db.expectFetch(
        Musician.annotated(with: Musician.pupils.count),
        """
        SELECT "musician1".*, COUNT(DISTINCT "musician2"."id") AS "pupilCount" FROM "musician" "musician1" \
        LEFT JOIN "musician" "musician2" ON "musician2"."mentorId" = "musician1"."id" GROUP BY "musician1"."id"
        """)
      try db.expectFetch(
        Album.including(required: Album.studio).annotated(with: Album.tracks.count),
        """
        SELECT "album".*, COUNT(DISTINCT "track"."id") AS "trackCount", "studio".* FROM "album" \
        JOIN "studio" ON "studio"."id" = "album"."studioId" LEFT JOIN "track" ON "track"."albumId" = "album"."id" \
        GROUP BY "album"."id"
        """)
    }
  }

  @Test func `rows are grouped and counted by the cheapest key`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Pressing.annotated(with: Pressing.shipments.count),
        """
        SELECT "pressing".*, COUNT(DISTINCT "shipment"."id") AS "shipmentCount" FROM "pressing" \
        LEFT JOIN "shipment" ON ("shipment"."country" = "pressing"."country") \
        AND ("shipment"."catno" = "pressing"."catno") GROUP BY "pressing"."rowid"
        """)
      try db.expectFetch(
        Tag.annotated(with: Tag.albums.count),
        """
        SELECT "tag".*, COUNT(DISTINCT "album"."id") AS "albumCount" FROM "tag" \
        LEFT JOIN "albumTag" ON "albumTag"."tagName" = "tag"."name" \
        LEFT JOIN "album" ON "album"."id" = "albumTag"."albumId" GROUP BY "tag"."name"
        """)
    }
  }

  @Test func `rows without row ID are counted by all columns of their key`() throws {
    try inMusicStore { db in
      try db.execute(
        sql: "INSERT INTO tag VALUES ('a'',''b'), ('a'); INSERT INTO albumTag VALUES (3, 'a'',''b'), (3, 'a')")
      let counts = try Row.fetchAll(db, Album.annotated(with: Album.albumTags.count, Album.tracks.count))
      #expect(counts.map { $0["albumTagCount"] as Int } == [1, 2, 2, 0])
      #expect(counts.map { $0["trackCount"] as Int } == [2, 1, 0, 0])
    }
  }

  @Test func `a view has no key to count or to group by`() throws {
    try inMusicStore { db throws in
      let longTracks = Table<Album>("album").hasMany(
        Table("longTrack"), using: ForeignKey(["albumId"], to: ["id"]))
      let text = errorText { try Row.fetchAll(db, Album.annotated(with: longTracks.count)) }
      #expect(text.contains("longTrack has no primary key"))
      #expect(
        try Row.fetchAll(db, Album.annotated(with: longTracks.max(secs))).map { $0["maxLongTrackSecs"] as Int? }
          == [120, 180, nil, nil])
    }
  }

  @Test func `aggregates of nothing are NULL, zero or true`() throws {
    try inMusicStore { db in
      let row = try #require(
        try Row.fetchOne(
          db,
          Album.filter(key: 4).annotated(
            with: Album.tracks.sum(secs), Album.tracks.average(secs), Album.tracks.isEmpty, Album.tracks.count,
            Album.tracks.total(secs).forKey("total"))))
      #expect(row["trackSecsSum"] as Int? == nil)
      #expect(row["averageTrackSecs"] as Double? == nil)
      #expect(row["hasNoTrack"] as Bool)
      #expect(row["trackCount"] as Int == 0)
      #expect(row["total"] as Double == 0)
    }
  }

  @Test func `an annotated association is prefetched with its aggregates`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Studio.including(all: Studio.albums.annotated(with: Album.tracks.count)), #"SELECT * FROM "studio""#,
        """
        SELECT "album".*, COUNT(DISTINCT "track"."id") AS "trackCount", "album"."studioId" AS "grdb_studioId" \
        FROM "album" LEFT JOIN "track" ON "track"."albumId" = "album"."id" WHERE "album"."studioId" IN (1, 2, 3) \
        GROUP BY "album"."id"
        """)
    }
  }

  @Test func `prefetched rows that are grouped are found for each row`() throws {
    try inMusicStore { db in
      let tags = Album.tags.order(Column("name"))
      let request = Album.including(all: tags.annotated(with: Tag.albumTags.count)).order(Album.Columns.id)
      let counts = try Row.fetchAll(db, request).map { row in
        row.prefetchedRows["tags"]?.map { "\($0["name"] as String) \($0["albumTagCount"] as Int)" }
      }
      #expect(counts == [["folk 2"], ["folk 2", "jazz 1"], [], []])
      let albums = Studio.albums.select(max(Album.Columns.title).forKey("title")).group(Album.Columns.year > 1980)
      let titles = try Row.fetchAll(db, Studio.including(all: albums).order(Studio.Columns.id)).map { row in
        row.prefetchedRows["albums"]?.map { $0["title"] as String }
      }
      #expect(titles == [["Birch"], ["Cedar"], []])
    }
  }

  @Test func `joining a grouped association is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inMusicStore { db in
        _ = try Row.fetchAll(db, Studio.joining(required: Studio.albums.annotated(with: Album.tracks.count)))
      }
    }
    #expect(result.words.contains("Not implemented: join an association with a GROUP BY clause"))
  }

  @Test func `joining distinct rows is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inMusicStore { db in _ = try Row.fetchAll(db, Studio.joining(required: Studio.albums.distinct())) }
    }
    #expect(result.words.contains("Not implemented: join an association that selects DISTINCT rows"))
  }

  @Test func `a required association behind an optional one is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inMusicStore { db in
        _ = try Row.fetchAll(db, Studio.having(Studio.albums.joining(required: Album.tracks).isEmpty))
      }
    }
    #expect(result.words.contains("chaining a required association behind an optional association"))
  }
}
