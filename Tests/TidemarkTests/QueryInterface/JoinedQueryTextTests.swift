import Testing

import Tidemark
@testable import TidemarkEssentials

/// The SQL of a joined request, and the adapter of its rows, are the same for all requests of its shape: see
/// `QueryShape`.
@Suite struct JoinedQueryTextTests {
  private func printCount(_ db: Database) -> Int { db.moduleState(QueryTexts.self).printCount }

  @Test func `joined requests that differ in their values are printed once, and find their own rows`() throws {
    try inMusicStore { db throws in
      let names = try (1...4).map { id throws in
        try Row.fetchOne(db, Album.filter(key: id).including(optional: Album.studio))?.scopes["studio"]?["name"]
          as String?
      }
      #expect(names == ["Attic", "Attic", "Barn", nil])
      #expect(printCount(db) == 1)
    }
  }

  @Test func `aliases of two requests are the same in their shapes`() throws {
    try inMusicStore { db throws in
      let titles = try ["Attic", "Barn"].map { name throws in
        let studio = TableAlias<Studio>()
        let request = Album.joining(required: Album.studio.aliased(studio)).filter(studio[Column("name")] == name)
        return try request.fetchAll(db).map(\.title)
      }
      #expect(titles == [["Ash", "Birch"], ["Cedar"]])
      #expect(printCount(db) == 1)
    }
  }

  @Test func `the same condition on another table has another shape`() throws {
    try inMusicStore { db throws in
      let (album, studio) = (TableAlias<Album>(), TableAlias<Studio>())
      let request = Track.joining(
        required: Track.album.aliased(album).joining(required: Album.studio.aliased(studio)))
      let conditions = try [album["id"] == 1, studio["id"] == 1].map { condition throws in
        let sql = try request.filter(condition).makePreparedRequest(db, forSingleResult: false).statement.sql
        return sql.split(separator: " WHERE ").last
      }
      #expect(conditions == [#""album"."id" = ?"#, #""studio"."id" = ?"#])
    }
  }

  @Test func `values of selections, joins and filters are in the order of the SQL`() throws {
    try inMusicStore { db throws in
      for (year, name, bonus) in [(1991, "Attic", 5), (1992, "Barn", 6)] {
        let studio = Album.studio.filter(Column("name") == name).select((Column("id") + bonus).forKey("sum"))
        let row = try Row.fetchOne(db, Album.filter(Column("year") == year).including(required: studio))
        #expect(row?["year"] == year && row?.scopes["studio"]?["sum"] == (name == "Attic" ? 6 : 8))
      }
      #expect(printCount(db) == 1)
    }
  }

  @Test func `scopes with other keys have another shape`() throws {
    try inMusicStore { db throws in
      for key in ["a", "b", "a"] {
        let row = try Row.fetchOne(db, Album.filter(key: 1).including(required: Album.studio.forKey(key)))
        #expect(row?.scopes[key]?["name"] == "Attic")
      }
    }
  }

  @Test func `the scopes of a new request have the columns of the current schema`() throws {
    try inMusicStore { db throws in
      // The SQL of a request for all rows does not depend on the schema.
      func row() throws -> Row? { try Row.fetchAll(db, Album.filter(key: 1).including(required: Album.studio)).first }
      #expect(try row()?.scopes["studio"] == ["id": 1, "name": "Attic", "cityId": 1])
      try db.execute(sql: "ALTER TABLE album ADD COLUMN price DEFAULT 9")
      #expect(try row()?.scopes["studio"] == ["id": 1, "name": "Attic", "cityId": 1])
      #expect(try row()?["price"] == 9)
    }
  }

  // MARK: - Random requests

  @Test func `random joined requests have the SQL, the arguments and the scopes that a printer without a cache writes`()
    throws
  {
    var random = SeededRandom()
    var requests = RandomRequests(values: SeededRandom(seed: random.next()), random: random)
    try inMusicStore { db throws in
      for number in 0..<3000 {
        // Three requests in turn differ in their values only.
        if number % 3 == 0 { random = requests.random } else { requests.random = random }
        let request = requests.next()
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        let query = try SQLQuery(request.relation, db)
        var printer = SQLPrinter(db)
        try printer.print(query)
        #expect(prepared.statement.sql == printer.sql)
        #expect(prepared.arguments == printer.arguments)
        let columns = RowLayout(prepared.statement.columns)
        let (layout, expected) = (
          try prepared.adapter?._layout(of: columns), try query.rowAdapter(db)?._layout(of: columns)
        )
        #expect(layout.map(describe) == expected.map(describe))
      }
      // Otherwise, the test would compare nothing.
      #expect(printCount(db) < 2500)
    }
  }

  private func describe(_ layout: RowLayout) -> String {
    let scopes = layout.scopes.sorted { $0.key < $1.key }.map { "\($0.key): \(describe($0.value))" }
    return "\(layout.columns.names) \(layout.mapping) \(scopes)"
  }

  private struct RandomRequests {
    var values: SeededRandom
    var random: SeededRandom

    mutating func next() -> QueryInterfaceRequest<Row> {
      switch below(4) {
      case 0: transfer().asRequest(of: Row.self)
      case 1: musician().asRequest(of: Row.self)
      default: track().asRequest(of: Row.self)
      }
    }

    private mutating func track() -> QueryInterfaceRequest<Track> {
      let studioAlias = TableAlias<Studio>()
      let albumAlias = TableAlias<Album>(name: below(4) == 0 ? random.pick(["a", "studio"]) : nil)
      let isAlbumRequired = below(2) == 0
      let isStudioRequired = isAlbumRequired && below(2) == 0
      var studio = part(Album.studio, "name").aliased(studioAlias)
      if below(3) == 0 { studio = join(studio, part(Studio.city, "name"), isStudioRequired && below(2) == 0) }
      let album = join(part(Track.album, "year").aliased(albumAlias), studio, isStudioRequired)
      var request = join(part(Track.all(), "secs"), album, isAlbumRequired)
      if below(3) == 0 { request = request.filter((below(2) == 0 ? studioAlias["id"] : albumAlias["id"]) == value()) }
      if below(6) == 0 { request = request.order(albumAlias["id"], studioAlias["id"].desc) }
      if below(6) == 0 { request = request.annotated(with: (albumAlias["id"] + value()).forKey("sum")) }
      if below(6) == 0 { request = request.limit(below(3)) }
      return request
    }

    private mutating func musician() -> QueryInterfaceRequest<Musician> {
      let alias = TableAlias<Musician>()
      let isRequired = below(2) == 0
      let mentor = join(part(Musician.mentor, "name"), part(Musician.mentor, "name"), isRequired && below(2) == 0)
      return join(part(Musician.all(), "name"), mentor, isRequired).aliased(alias).filter(alias["id"] > value())
    }

    private mutating func transfer() -> QueryInterfaceRequest<Transfer> {
      let (from, to) = (part(Transfer.from, "region"), part(Transfer.to.forKey(random.pick(["to", "x"])), "region"))
      return join(join(part(Transfer.all(), "toCityId"), from, below(2) == 0), to, below(2) == 0)
    }

    private mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }

    private mutating func value() -> SQLExpression {
      let list: [DatabaseValue] = [
        1.databaseValue, 2.databaseValue, 2.5.databaseValue, "A".databaseValue, "".databaseValue,
      ]
      return Int.random(in: 0..<8, using: &values) == 0
        ? DatabaseValue.null.sqlExpression : values.pick(list).sqlExpression
    }

    private mutating func part<Part: DerivableRequest>(_ part: Part, _ column: String) -> Part {
      var part = part
      let column = Column(random.pick([column, "id"]))
      if below(3) == 0 { part = part.filter(column == value()) }
      if below(6) == 0 { part = part.filter(column > value() || Column("id") == value()) }
      if below(5) == 0 { part = part.order(below(2) == 0 ? column.asc : column.desc) }
      if below(6) == 0 { part = part.select(column, (column + value()).forKey(random.pick(["m", "n"]))) }
      return part
    }

    private mutating func join<Request: JoinableRequest, Other: Association>(
      _ request: Request, _ association: Other, _ isRequired: Bool
    ) -> Request where Other.OriginRowDecoder == Request.RowDecoder {
      let isIncluded = below(3) > 0
      if isRequired {
        return isIncluded ? request.including(required: association) : request.joining(required: association)
      }
      return isIncluded ? request.including(optional: association) : request.joining(optional: association)
    }
  }
}
