import Testing
import Tidemark

private let id = Column("id")
private let name = Column("name")
private let year = Column("year")

/// Common table expressions: names, columns and errors.
@Suite struct CommonTableExpressionFactTests {
  @Test func `a common table expression hides the table of its name`() throws {
    let cte = CommonTableExpression(named: "studio", request: Album.select(id, Column("title").forKey("name")))
    try inMusicStore { db throws in
      let request = Studio.with(cte).filter(id > 2).select(name, as: String.self)
      try db.expectFetch(
        request,
        """
        WITH "studio" AS (SELECT "id", "title" AS "name" FROM "album") SELECT "name" FROM "studio" WHERE "id" > 2
        """)
      #expect(try request.fetchAll(db) == ["Cedar", "Drift"])
    }
  }

  @Test func `a joined request defines the columns of all tables`() throws {
    let cte = CommonTableExpression(named: "pair", request: Album.including(required: Album.studio).filter(id == 1))
    try inMusicStore { db in
      let row = try #require(try cte.all().with(cte).fetchOne(db))
      #expect(
        row.description
          == #"[id:1 title:"Ash" studioId:1 year:1990 sequelId:2 id:1:1 name:"Attic" cityId:1]"#)
    }
  }

  @Test func `an ordered and limited request defines a table`() throws {
    let cte = CommonTableExpression<Album>(named: "last", request: Album.order(year.desc).limit(1))
    try inMusicStore { db throws in
      try db.expectFetch(
        cte.all().with(cte),
        #"WITH "last" AS (SELECT * FROM "album" ORDER BY "year" DESC LIMIT 1) SELECT * FROM "last""#)
      #expect(try cte.all().with(cte).fetchAll(db).map(\.title) == ["Drift"])
    }
  }

  @Test func `a searched table has one column`() throws {
    let cte = CommonTableExpression(named: "c", request: City.all())
    try inMusicStore { db throws in
      let text = errorText { try Studio.with(cte).filter(cte.contains(Column("cityId"))).fetchAll(db) }
      #expect(text.hasPrefix("SQLite error 1: sub-select returns 3 columns - expected 1"))
      let request = Studio.with(cte).filter(cte.all().select(id).contains(Column("cityId")))
      #expect(try request.fetchAll(db).map(\.name) == ["Attic", "Cave"])
    }
  }

  @Test func `a subquery keeps its own definitions`() throws {
    let cte = CommonTableExpression(named: "ids", request: Album.select(id))
    try inMusicStore { db in
      try db.expectFetch(
        Studio.filter(cte.all().with(cte).exists()),
        #"SELECT * FROM "studio" WHERE EXISTS (WITH "ids" AS (SELECT "id" FROM "album") SELECT * FROM "ids")"#)
    }
  }

  @Test func `the last condition of one key applies`() throws {
    let cte = CommonTableExpression(named: "ids", request: City.select(id))
    let first = Studio.association(to: cte) { $0.id == $1["id"] }
    let second = Studio.association(to: cte) { $0["cityId"] == $1["id"] }
    try inMusicStore { db in
      try db.expectFetch(
        Studio.with(cte).joining(required: first).joining(required: second),
        """
        WITH "ids" AS (SELECT "id" FROM "city") SELECT "studio".* FROM "studio" \
        JOIN "ids" ON "studio"."cityId" = "ids"."id"
        """)
    }
  }

  @Test func `columns of a joined definition are added to the row`() throws {
    let cte = CommonTableExpression(named: "answers", request: City.select(id, name.forKey("city")))
    let association = Studio.association(to: cte) { $0["cityId"] == $1["id"] }
    try inMusicStore { db throws in
      let request = Studio.with(cte).annotated(withOptional: association.select(Column("city")))
      try db.expectFetch(
        request,
        """
        WITH "answers" AS (SELECT "id", "name" AS "city" FROM "city") SELECT "studio".*, "answers"."city" \
        FROM "studio" LEFT JOIN "answers" ON "studio"."cityId" = "answers"."id"
        """)
      let rows = try Row.fetchAll(db, request.order(id))
      #expect(rows.map { $0["city"] as String? } == ["Oslo", nil, "Oslo"])
      // The name of the scope is singular.
      let included = try Row.fetchOne(db, Studio.with(cte).including(required: association))
      #expect(included.map { Array($0.scopes.names) } == ["answer"])
    }
  }

  @Test func `a table is associated with a definition`() throws {
    let cte = CommonTableExpression(named: "ids", request: City.select(id))
    try inMusicStore { db in
      try db.expectFetch(
        Table("studio").with(cte).joining(required: Table("studio").association(to: cte) { $0["cityId"] == $1["id"] }),
        """
        WITH "ids" AS (SELECT "id" FROM "city") SELECT "studio".* FROM "studio" \
        JOIN "ids" ON "studio"."cityId" = "ids"."id"
        """)
    }
  }

  @Test func `a prefetched definition needs its own WITH clause`() throws {
    let cte = CommonTableExpression(named: "c", request: Track.select(Column("albumId"), Column("secs")))
    let toTracks = Album.association(to: cte) { $0.id == $1["albumId"] }
    try inMusicStore { db throws in
      let without = Studio.hasMany(Row.self, through: Studio.albums, using: toTracks)
      #expect(
        errorText { try Row.fetchAll(db, Studio.with(cte).including(all: without)) }
          .hasPrefix("SQLite error 1: no such table: c"))
      let rows = try Row.fetchAll(db, Studio.including(all: without.with(cte)).order(id))
      #expect(rows.map { $0.prefetchedRows["cs"]?.count } == [3, 0, 0])
    }
  }

  @Test func `a definition has no primary key`() throws {
    let cte = CommonTableExpression(named: "best", request: City.select(id))
    try inMusicStore { db throws in
      let requests = [
        cte.all().with(cte).orderByPrimaryKey(), cte.all().with(cte).filter(key: 1),
        cte.all().with(cte).including(optional: cte.association(to: cte)).order(id).withStableOrder(),
      ]
      for request in requests {
        #expect(errorText { try request.fetchAll(db) }.hasPrefix("SQLite error 1: no such table: best"))
      }
    }
  }

  @Test func `a view can be defined by a request with a definition`() throws {
    let cte = CommonTableExpression(named: "recent", request: Album.filter(year > 1991))
    try inMusicStore { db throws in
      try db.create(view: "recentAlbum", as: cte.all().with(cte))
      let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'recentAlbum'")
      #expect(
        sql == """
          CREATE VIEW "recentAlbum" AS WITH "recent" AS (SELECT * FROM "album" WHERE "year" > 1991) SELECT * FROM "recent"
          """)
      #expect(try Table("recentAlbum").fetchCount(db) == 2)
    }
  }

  /// The schema does not contain the columns of a definition.
  @Test func `columns of a definition cannot be excluded`() throws {
    let cte = CommonTableExpression(named: "c", request: City.all())
    try inMusicStore { db in
      let request = cte.all().with(cte).select(.allColumns(excluding: ["name"]))
      #expect(errorText { try request.fetchAll(db) }.hasPrefix("SQLite error 1: no such table: c"))
    }
  }
}
