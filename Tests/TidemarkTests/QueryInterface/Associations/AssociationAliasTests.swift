import Testing
import Tidemark

private let id = Column("id")
private let title = Column("title")
private let name = Column("name")
private let secs = Column("secs")
private let year = Column("year")

/// Aliases in requests that join associated tables.
@Suite struct AssociationAliasTests {
  @Test func `an alias makes the columns of a joined table available`() throws {
    let a = TableAlias<Studio>()
    try inMusicStore { db in
      try db.expectFetch(
        Album.joining(required: Album.studio.aliased(a)).filter(a[name] == "Attic").order(a[name])
          .select(title, a[name], a["cityId"]).annotated(with: a[name].forKey("sn")),
        """
        SELECT "album"."title", "studio"."name", "studio"."cityId", "studio"."name" AS "sn" FROM "album" \
        JOIN "studio" ON "studio"."id" = "album"."studioId" WHERE "studio"."name" = 'Attic' ORDER BY "studio"."name"
        """)
      try db.expectFetch(
        Album.joining(required: Album.studio.aliased(a)).filter(a.name == "Attic"),
        """
        SELECT "album".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId" \
        WHERE "studio"."name" = 'Attic'
        """)
    }
  }

  @Test func `an alias of the request is available in the filter of a joined association`() throws {
    let base = TableAlias<Album>()
    try inMusicStore { db in
      try db.expectFetch(
        Album.aliased(base).joining(required: Album.tracks.filter(secs > base.year)),
        """
        SELECT "album".* FROM "album" \
        JOIN "track" ON ("track"."albumId" = "album"."id") AND ("track"."secs" > "album"."year")
        """)
    }
  }

  @Test func `a named table keeps its name`() throws {
    try inMusicStore { db in
      try db.expectFetch(
        Musician.aliased(TableAlias(name: "m")).joining(
          optional: Musician.mentor.joining(optional: Musician.mentor)),
        """
        SELECT "m".* FROM "musician" "m" LEFT JOIN "musician" "musician1" ON "musician1"."id" = "m"."mentorId" \
        LEFT JOIN "musician" "musician2" ON "musician2"."id" = "musician1"."mentorId"
        """)
      try db.expectFetch(
        Album.joining(optional: Album.sequel.aliased(TableAlias(name: "next"))),
        #"SELECT "album".* FROM "album" LEFT JOIN "album" "next" ON "next"."id" = "album"."sequelId""#)
      try db.expectFetch(
        Album.joining(optional: Album.sequel).joining(required: Album.studio.aliased(TableAlias(name: "album1"))),
        """
        SELECT "album2".* FROM "album" "album2" LEFT JOIN "album" "album3" ON "album3"."id" = "album2"."sequelId" \
        JOIN "studio" "album1" ON "album1"."id" = "album2"."studioId"
        """)
    }
  }

  @Test func `numbers replace the digits at the end of a name`() throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t2 (id INTEGER PRIMARY KEY, upId INTEGER REFERENCES t2)")
      let t2 = Table("t2")
      try db.expectFetch(
        t2.joining(required: t2.belongsTo(t2, key: "up")),
        #"SELECT "t1".* FROM "t2" "t1" JOIN "t2" ON "t2"."id" = "t1"."upId""#)
    }
  }

  @Test func `an alias reports whether a row was found`() throws {
    func condition(_ request: some FetchRequest) throws -> String {
      try inMusicStore { db in
        let sql = try request.makePreparedRequest(db).statement.sql
        return String(sql.split(separator: " WHERE ")[1])
      }
    }
    let studio = TableAlias<Studio>()
    let memo = TableAlias<Memo>()
    let albumTag = TableAlias<AlbumTag>()
    let albums = Album.joining(optional: Album.studio.aliased(studio))
    #expect(try condition(albums.filter(studio.exists)) == #""studio"."id" IS NOT NULL"#)
    #expect(try condition(albums.filter(!studio.exists)) == #""studio"."id" IS NULL"#)
    #expect(
      try condition(Album.joining(optional: Album.memos.aliased(memo)).filter(memo.exists))
        == #""memo"."rowid" IS NOT NULL"#)
    let tagged = Album.joining(optional: Album.albumTags.aliased(albumTag))
    #expect(
      try condition(tagged.filter(albumTag.exists))
        == #"("albumTag"."albumId" IS NOT NULL) OR ("albumTag"."tagName" IS NOT NULL)"#)
    #expect(
      try condition(tagged.filter(!albumTag.exists))
        == #"("albumTag"."albumId" IS NULL) AND ("albumTag"."tagName" IS NULL)"#)
  }

  @Test func `aliases of merged associations stand for the same table`() throws {
    let (a, b) = (TableAlias<Studio>(), TableAlias<Studio>(name: "s"))
    try inMusicStore { db in
      try db.expectFetch(
        Album.joining(required: Album.studio.aliased(a)).joining(required: Album.studio.aliased(b))
          .filter(a.name == b.name),
        """
        SELECT "album".* FROM "album" JOIN "studio" "s" ON "s"."id" = "album"."studioId" WHERE "s"."name" = "s"."name"
        """)
      for _ in 0..<2 {
        try db.expectFetch(
          Album.joining(required: Album.studio.aliased(a)).order(a.id),
          """
          SELECT "album".* FROM "album" JOIN "studio" ON "studio"."id" = "album"."studioId" ORDER BY "studio"."id"
          """)
      }
    }
  }

  @Test func `aliases of one table are equal`() {
    let (a, b, c) = (TableAlias<Studio>(), TableAlias<Studio>(name: "s"), TableAlias<Studio>())
    #expect(a == a && a != b && b != c)
    _ = Album.joining(required: Album.studio.aliased(a)).joining(optional: Album.studio.aliased(b))
    #expect(a == b && a.hashValue == b.hashValue && a != c)
    _ = Studio.aliased(c).aliased(b)
    #expect(a == c && Set([a, b, c]).count == 1)
    let (outer, inner) = (TableAlias<Album>(), TableAlias<Album>())
    _ = Album.aliased(outer).joining(optional: Album.sequel.aliased(inner))
    #expect(outer != inner)
  }

  @Test func `equal aliases can be given to different tables`() throws {
    let (a, b) = (TableAlias<Album>(), TableAlias<Album>())
    _ = Album.aliased(a).aliased(b)
    try inMusicStore { db in
      try db.expectFetch(
        Album.aliased(a).joining(required: Album.sequel.aliased(b)).filter(a.year < b.year),
        """
        SELECT "album1".* FROM "album" "album1" JOIN "album" "album2" ON "album2"."id" = "album1"."sequelId" \
        WHERE "album1"."year" < "album2"."year"
        """)
    }
  }

  @Test func `a subquery can use an alias of the outer request`() throws {
    let a = TableAlias<Album>()
    try inMusicStore { db in
      try db.expectFetch(
        Album.aliased(a).filter(Track.filter(Column("albumId") == a.id).exists()),
        #"SELECT * FROM "album" WHERE EXISTS (SELECT * FROM "track" WHERE "albumId" = "album"."id")"#)
    }
  }

  @Test func `two tables of the same name are a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inMusicStore { db in
        let request = Album.aliased(TableAlias(name: "n")).joining(
          required: Album.studio.aliased(TableAlias(name: "N")))
        _ = try Row.fetchAll(db, request)
      }
    }
    #expect(result.words.contains("ambiguous alias: N"))
  }

  @Test func `one alias of two tables is a programming error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inMusicStore { db in
        let a = TableAlias()
        _ = try Row.fetchAll(db, Album.all().aliased(a).joining(required: Album.studio.aliased(a)))
      }
    }
    #expect(result.words.contains("A TableAlias must not be used to refer to multiple tables"))
  }
}
