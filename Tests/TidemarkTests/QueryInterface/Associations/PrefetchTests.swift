import Testing
import Tidemark

private let country = Column("country")
private let catno = Column("catno")
private let qty = Column("qty")
private let title = Column("title")
private let name = Column("name")
private let year = Column("year")
private let id = Column("id")

/// Fetching all rows of associations: `including(all:)`.
@Suite struct PrefetchTests {
  @Test func `one query fetches the associated rows of all rows`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Studio.including(all: Studio.albums), #"SELECT * FROM "studio""#,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" IN (1, 2, 3)"#)
      try db.expectFetch(
        Studio.including(all: Studio.albums.filter(year > 1990).order(title)), #"SELECT * FROM "studio""#,
        """
        SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE ("year" > 1990) AND ("studioId" IN (1, 2, 3)) \
        ORDER BY "title"
        """)
      let titles = try Row.fetchAll(db, Studio.including(all: Studio.albums)).map { row in
        row.prefetchedRows["albums"]?.map { $0["title"] as String }
      }
      #expect(titles == [["Ash", "Birch"], ["Cedar"], []])
    }
  }

  @Test func `nested associations are fetched after their parents`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Studio.including(all: Studio.albums.including(all: Album.tracks).including(all: Album.memos))
          .including(all: Studio.siblings),
        #"SELECT * FROM "studio""#,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" IN (1, 2, 3)"#,
        #"SELECT *, "albumId" AS "grdb_albumId" FROM "track" WHERE "albumId" IN (1, 2, 3)"#,
        #"SELECT *, "albumId" AS "grdb_albumId" FROM "memo" WHERE "albumId" IN (1, 2, 3)"#,
        """
        SELECT "studio".*, "city"."id" AS "grdb_id" FROM "studio" \
        JOIN "city" ON ("city"."id" = "studio"."cityId") AND ("city"."id" = 1)
        """)
    }
  }

  @Test func `without rows nothing more is fetched`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Studio.none().including(all: Studio.albums.including(all: Album.tracks)), #"SELECT * FROM "studio" WHERE 0"#)
      try db.expectFetch(
        Studio.filter(key: 3).including(all: Studio.albums.including(all: Album.tracks)),
        #"SELECT * FROM "studio" WHERE "id" = 3"#,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" = 3"#)
    }
  }

  @Test func `rows without foreign key have no associated rows`() throws {
    try inMusicStore { db in
      let request = Studio.filter(key: 2).including(all: Studio.siblings)
      try db.expectFetch(
        request, #"SELECT * FROM "studio" WHERE "id" = 2"#,
        """
        SELECT "studio".*, "city"."id" AS "grdb_id" FROM "studio" \
        JOIN "city" ON ("city"."id" = "studio"."cityId") AND 0
        """)
      #expect(try Row.fetchOne(db, request)?.prefetchedRows["siblings"] == [])
    }
  }

  @Test func `counting and changing rows prefetches nothing`() throws {
    try inMusicStore { db in
      let request = Studio.including(all: Studio.albums)
      try db.expectTrace(#"SELECT COUNT(*) FROM "studio""#) { db in _ = try request.fetchCount(db) }
      try db.expectTrace(#"SELECT EXISTS (SELECT * FROM "studio")"#) { db in _ = try request.isEmpty(db) }
      try db.expectTrace(#"SELECT "name" FROM "studio""#) { db in
        _ = try request.select(name, as: String.self).fetchAll(db)
      }
      try db.expectTrace(#"SELECT "id" FROM "studio""#) { db in
        _ = try request.selectPrimaryKey(as: Int64.self).fetchSet(db)
      }
      try db.expectTrace(#"DELETE FROM "memo""#) { db in
        _ = try Memo.including(all: Memo.hasMany(Track.self, using: ForeignKey(["albumId"], to: ["albumId"])))
          .deleteAll(db)
      }
    }
  }

  @Test func `one row is completed like all rows`() throws {
    try inMusicStore { db in
      let request = Studio.including(all: Studio.albums)
      try db.expectTrace(
        #"SELECT * FROM "studio" LIMIT 1"#,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" = 1"#
      ) { db in _ = try request.fetchOne(db) }
      try db.expectTrace(
        #"SELECT * FROM "studio" WHERE "id" = 1"#,
        #"SELECT *, "studioId" AS "grdb_studioId" FROM "album" WHERE "studioId" = 1"#
      ) { db in _ = try request.filter(key: 1).fetchOne(db) }
      #expect(try request.fetchSet(db).count == 3)
    }
  }

  @Test func `the associated table is joined backwards through other tables`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Track.including(all: Track.musicians), #"SELECT * FROM "track""#,
        """
        SELECT "musician".*, "credit"."trackId" AS "grdb_trackId" FROM "musician" JOIN "credit" ON \
        ("credit"."musicianId" = "musician"."id") AND ("credit"."trackId" IN (1, 2, 3, 4))
        """)
      try db.expectFetch(
        City.including(all: City.tracks), #"SELECT * FROM "city""#,
        """
        SELECT "track".*, "studio"."cityId" AS "grdb_cityId" FROM "track" \
        JOIN "album" ON "album"."id" = "track"."albumId" \
        JOIN "studio" ON ("studio"."id" = "album"."studioId") AND ("studio"."cityId" IN (1, 2))
        """)
      try db.expectFetch(
        Tag.including(all: Tag.albums), #"SELECT * FROM "tag""#,
        """
        SELECT "album".*, "albumTag"."tagName" AS "grdb_tagName" FROM "album" JOIN "albumTag" ON \
        ("albumTag"."albumId" = "album"."id") AND ("albumTag"."tagName" IN ('folk', 'jazz'))
        """)
      try db.expectFetch(
        Album.including(required: Album.studio.including(all: Studio.albums)),
        #"SELECT "album".*, "studio".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId""#,
        """
        SELECT "album".*, "studio"."id" AS "grdb_id" FROM "album" \
        JOIN "studio" ON ("studio"."id" = "album"."studioId") AND ("studio"."id" IN (1, 2))
        """)
      let names = try Row.fetchAll(db, Track.including(all: Track.musicians.order(name))).map { row in
        row.prefetchedRows["musicians"]?.map { $0["name"] as String }
      }
      #expect(names == [["Ada"], ["Ada", "Bob"], ["Cyd"], []])
    }
  }

  @Test func `joined tables on the way to prefetched rows are joined once`() throws {
    try inMusicStore { db in
      let albums = Studio.albums.including(all: Album.tracks)
      let request = City.including(required: City.studios.including(required: albums))
      try db.expectFetch(
        request,
        """
        SELECT "city".*, "studio".*, "album".* FROM "city" JOIN "studio" ON "studio"."cityId" = "city"."id" \
        JOIN "album" ON "album"."studioId" = "studio"."id"
        """,
        """
        SELECT "track".*, "studio"."cityId" AS "grdb_cityId" FROM "track" \
        JOIN "album" ON "album"."id" = "track"."albumId" \
        JOIN "studio" ON ("studio"."id" = "album"."studioId") AND ("studio"."cityId" = 1)
        """)
      let names = try Row.fetchAll(db, request).map { row in row.prefetchedRows["tracks"]?.map { $0["name"] as String }
      }
      #expect(names == [["One", "Two", "Three"], ["One", "Two", "Three"]])
      // With an alias, a second join was a fatal error.
      let studio = Track.studio.aliased(TableAlias<Studio>()).including(all: Studio.albums)
      let tracks = try Row.fetchAll(db, Track.including(required: studio).order(id))
      #expect(tracks.map { $0.prefetchedRows["albums"]?.count } == [2, 2, 2])
    }
  }

  @Test func `filters and orders of the table in between apply`() throws {
    try inMusicStore { db in
      let albums = Studio.albums.filter(year > 1990).order(title)
      let tracks = Studio.hasMany(Track.self, through: albums, using: Album.tracks.order(name))
      try db.expectFetch(
        Studio.including(all: tracks), #"SELECT * FROM "studio""#,
        """
        SELECT "track".*, "album"."studioId" AS "grdb_studioId" FROM "track" JOIN "album" ON \
        ("album"."id" = "track"."albumId") AND ("album"."year" > 1990) AND ("album"."studioId" IN (1, 2, 3)) \
        ORDER BY "track"."name", "album"."title"
        """)
    }
  }

  @Test func `a composite key is compared with the request as a common table expression`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Pressing.including(all: Pressing.shipments), #"SELECT * FROM "pressing""#,
        """
        WITH "grdb_base" AS (SELECT "country", "catno" FROM "pressing") \
        SELECT *, "country" AS "grdb_country", "catno" AS "grdb_catno" FROM "shipment" \
        WHERE ("country", "catno") IN "grdb_base"
        """)
      try db.expectFetch(
        Pressing.including(all: Pressing.stops), #"SELECT * FROM "pressing""#,
        """
        WITH "grdb_base" AS (SELECT "country", "catno" FROM "pressing") \
        SELECT "stop".*, "shipment"."country" AS "grdb_country", "shipment"."catno" AS "grdb_catno" FROM "stop" \
        JOIN "shipment" ON ("shipment"."id" = "stop"."shipmentId") \
        AND (("shipment"."country", "shipment"."catno") IN "grdb_base")
        """)
      try db.expectFetch(
        Pressing.filter(country == "NO").order(catno).including(all: Pressing.shipments.filter(qty > 3).order(qty)),
        #"SELECT * FROM "pressing" WHERE "country" = 'NO' ORDER BY "catno""#,
        """
        WITH "grdb_base" AS (SELECT "country", "catno" FROM "pressing" WHERE "country" = 'NO') \
        SELECT *, "country" AS "grdb_country", "catno" AS "grdb_catno" FROM "shipment" \
        WHERE ("qty" > 3) AND (("country", "catno") IN "grdb_base") ORDER BY "qty"
        """)
      // With a limit, the request could have other rows when it runs again.
      try db.expectFetch(
        Pressing.order(country).limit(1).including(all: Pressing.shipments),
        #"SELECT * FROM "pressing" ORDER BY "country" LIMIT 1"#,
        """
        WITH "grdb_base" AS (VALUES ('FR', 'x1')) \
        SELECT *, "country" AS "grdb_country", "catno" AS "grdb_catno" FROM "shipment" \
        WHERE ("country", "catno") IN "grdb_base"
        """)
      let counts = try Row.fetchAll(db, Pressing.including(all: Pressing.shipments)).map { row in
        row.prefetchedRows["shipments"]?.map { $0["id"] as Int }
      }
      #expect(counts == [[1, 2], [], [3]])
    }
  }

  @Test func `the rows of a composite key belong to the rows that a limit has selected`() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, UNIQUE (a, b));
          CREATE TABLE child (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, FOREIGN KEY (a, b) REFERENCES parent (a, b));
          CREATE TABLE tag (parentId INTEGER REFERENCES parent);
          INSERT INTO parent VALUES (1, 9, 9), (2, 8, 8), (3, 1, 1), (4, 2, NULL);
          INSERT INTO child VALUES (1, 9, 9), (2, 8, 8), (3, 1, 1), (4, 9, 9);
          INSERT INTO tag VALUES (1), (1), (1), (2), (3), (4);
          """)
      let (parent, tag) = (Table("parent"), Table("tag"))
      let children = parent.hasMany(Table("child"), key: "children")
      let tags = parent.hasMany(tag, key: "tags")
      func childIDs(_ request: QueryInterfaceRequest<Row>) throws -> [[Int]] {
        try request.including(all: children).fetchAll(db).map { row in
          row.prefetchedRows["children"]?.map { $0["id"] }.sorted() ?? []
        }
      }
      // SQLite reads the table, and would read the index of (a, b) for these columns alone.
      #expect(try childIDs(parent.limit(2)) == [[1, 4], [2]])
      #expect(try childIDs(parent.joining(required: tags).distinct().order(Column("id")).limit(2)) == [[1, 4], [2]])
      let byTags = parent.annotated(with: tags.count).order(Column("tagCount").detached.desc, Column("id"))
      #expect(try childIDs(byTags.limit(1)) == [[1, 4]])
      #expect(try childIDs(parent.order(Column("id")).limit(2, offset: 2)) == [[3], []])
      #expect(try childIDs(parent.filter(Column("id") > 4).limit(2)) == [])
      #expect(try childIDs(parent.filter(Column("id") == 4).limit(2)) == [[]])
    }
  }

  @Test func `the rows of a composite key are found if the request depends on a selected expression`() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, UNIQUE (a, b));
          CREATE TABLE child (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, FOREIGN KEY (a, b) REFERENCES parent (a, b));
          CREATE TABLE tag (parentId INTEGER REFERENCES parent, rank INTEGER);
          INSERT INTO parent VALUES (1, 5, 7), (2, 5, 9), (3, 6, 8);
          INSERT INTO child VALUES (1, 5, 7), (2, 5, 9), (3, 6, 8), (4, 5, 9);
          INSERT INTO tag VALUES (2, 4), (2, 5), (3, 1);
          """)
      let (parent, tag, b) = (Table("parent"), Table("tag"), Column("b"))
      let children = parent.hasMany(Table("child"), key: "children")
      let (tags, tagOf) = (parent.hasMany(tag, key: "tags"), parent.hasOne(tag, key: "tag"))
      func childIDs(_ request: QueryInterfaceRequest<Row>) throws -> [[Int]] {
        try request.including(all: children).fetchAll(db).map { row in
          row.prefetchedRows["children"]?.map { $0["id"] }.sorted() ?? []
        }
      }
      let doubled = parent.annotated(with: (b * 2).forKey("twice"))
      #expect(try childIDs(doubled.filter(sql: "twice > 15")) == [[2, 4], [3]])
      #expect(try childIDs(parent.select(sql: "a, b, b % 3 AS rest").filter(sql: "rest = 1")) == [[1]])
      #expect(try childIDs(parent.annotated(with: (b & 1).forKey("odd")).group(sql: "odd").order(b)).count == 2)
      #expect(try childIDs(parent.annotated(with: tags.count.forKey("count")).having(sql: "count > 1")) == [[2, 4]])
      let ranked = parent.annotated(withRequired: tagOf.select(Column("rank").forKey("tagRank")))
      #expect(try childIDs(ranked.filter(sql: "tagRank < 4")) == [[3]])
      // SQLite takes the values of a group from the row with the maximum.
      #expect(try childIDs(parent.annotated(with: max(b)).group(Column("a")).order(Column("a"))) == [[2, 4], [3]])
    }
  }

  @Test func `more rows of a composite key than SQLite has parameters are found`() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE parent (a INTEGER, b INTEGER, PRIMARY KEY (a, b));
          CREATE TABLE child (a INTEGER, b INTEGER, FOREIGN KEY (a, b) REFERENCES parent);
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
            INSERT INTO parent SELECT i, i FROM n;
          INSERT INTO child SELECT * FROM parent;
          """)
      let children = Table("parent").hasMany(Table("child"), key: "children")
      let rows = try Table("parent").limit(18_000).including(all: children).fetchAll(db)
      #expect(rows.count == 18_000)
      #expect(rows.allSatisfy { $0.prefetchedRows["children"]?.count == 1 })
    }
  }

  @Test func `a composite key is found below joins and prefetches`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Pressing.including(required: Pressing.album).including(all: Pressing.shipments),
        #"SELECT "pressing".*, "album".* FROM "pressing" JOIN "album" ON "album"."id" = "pressing"."albumId""#,
        """
        WITH "grdb_base" AS (SELECT "pressing"."country", "pressing"."catno" FROM "pressing" \
        JOIN "album" ON "album"."id" = "pressing"."albumId") \
        SELECT *, "country" AS "grdb_country", "catno" AS "grdb_catno" FROM "shipment" \
        WHERE ("country", "catno") IN "grdb_base"
        """)
      try db.expectFetch(
        Album.including(all: Album.pressings.including(all: Pressing.shipments)), #"SELECT * FROM "album""#,
        #"SELECT *, "albumId" AS "grdb_albumId" FROM "pressing" WHERE "albumId" IN (1, 2, 3, 4)"#,
        """
        WITH "grdb_base" AS (SELECT "country", "catno" FROM "pressing" WHERE "albumId" IN (1, 2, 3, 4)) \
        SELECT *, "country" AS "grdb_country", "catno" AS "grdb_catno" FROM "shipment" \
        WHERE ("country", "catno") IN "grdb_base"
        """)
      try db.expectFetch(
        Shipment.including(optional: Shipment.pressing.including(all: Pressing.shipments)),
        """
        SELECT "shipment".*, "pressing".* FROM "shipment" LEFT JOIN "pressing" ON \
        ("pressing"."country" = "shipment"."country") AND ("pressing"."catno" = "shipment"."catno")
        """,
        """
        WITH "grdb_base" AS (SELECT "shipment"."country", "shipment"."catno" FROM "shipment" LEFT JOIN "pressing" ON \
        ("pressing"."country" = "shipment"."country") AND ("pressing"."catno" = "shipment"."catno")) \
        SELECT "shipment".*, "pressing"."country" AS "grdb_country", "pressing"."catno" AS "grdb_catno" \
        FROM "shipment" JOIN "pressing" ON ("pressing"."country" = "shipment"."country") \
        AND ("pressing"."catno" = "shipment"."catno") \
        AND (("pressing"."country", "pressing"."catno") IN "grdb_base")
        """)
    }
  }

  @Test func `more rows than SQLite has arguments are prefetched`() throws {
    try inMemory { db in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY);
          CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author);
          WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 40000)
          INSERT INTO author SELECT x FROM c;
          INSERT INTO book SELECT id * 10, id FROM author;
          """)
      let authors = Table("author")
      let rows = try authors.including(all: authors.hasMany(Table("book"))).fetchAll(db)
      #expect(rows.count == 40_000)
      #expect(rows.allSatisfy { $0.prefetchedRows["books"]?.map { $0["id"] as Int } == [$0["id"] * 10] })
    }
  }

  @Test func `rows that appear several times have their associated rows each time`() throws {
    try inMusicStore { db in
      let rows = try Row.fetchAll(
        db, Studio.joining(required: Studio.albums).including(all: Studio.albums).order(Column("id")))
      #expect(rows.map { $0.prefetchedRows["albums"]?.count } == [2, 2, 1])
    }
  }

  @Test func `a request without the column of the foreign key throws an error`() throws {
    let error = #expect(throws: DatabaseError.self) {
      try inMusicStore { db in try Row.fetchAll(db, Studio.select(name).including(all: Studio.albums)) }
    }
    #expect(error?.message?.hasPrefix("Missing column: id.") == true)
  }

  /// The process ended: a live query fetches again when another process has renamed the column.
  @Test func `a request throws an error if the column that leads to associated rows was renamed`() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE author (code TEXT); INSERT INTO author VALUES ('a');
          CREATE TABLE book (authorCode TEXT); INSERT INTO book VALUES ('a');
          """)
      let books = Table("author").hasMany(Table("book"), using: ForeignKey(["authorCode"], to: ["code"]))
      let request = Table("author").including(all: books)
      #expect(try request.fetchAll(db).first?.prefetchedRows["books"]?.count == 1)
      try db.execute(sql: "ALTER TABLE author RENAME COLUMN code TO sign")
      let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
      #expect(error?.message?.hasPrefix("Missing column: code.") == true)
    }
  }

  @Test func `a cursor over prefetched rows is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inMusicStore { db in _ = try Studio.including(all: Studio.albums).fetchCursor(db) }
    }
    #expect(result.words.contains("use fetchAll, fetchSet or fetchOne instead of fetchCursor"))
  }
}
