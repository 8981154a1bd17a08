import Testing
import Tidemark

/// Declarations and calls as programs write them for GRDB.
@Suite struct AssociationSpellingTests {
  @Test func `associations are declared in many ways`() throws {
    try inPress { db in
      try db.expectFetch(
        Novel.including(required: Novel.writer),
        #"SELECT "novel".*, "writer".* FROM "novel" JOIN "writer" ON "writer"."id" = "novel"."writerId""#)
      for editor in [Novel.editor, Novel.editor2, Novel.editor3, Novel.editor4, Novel.editor5] {
        try db.expectFetch(
          Novel.including(optional: editor.forKey("e")),
          #"SELECT "novel".*, "writer".* FROM "novel" LEFT JOIN "writer" ON "writer"."id" = "novel"."editorId""#)
      }
      try db.expectFetch(
        Writer.including(all: Writer.edited).filter { $0.id == 1 }, #"SELECT * FROM "writer" WHERE "id" = 1"#,
        #"SELECT *, "editorId" AS "grdb_editorId" FROM "novel" WHERE "editorId" = 1"#)
      try db.expectFetch(
        Writer.joining(required: Writer.editors),
        """
        SELECT "writer1".* FROM "writer" "writer1" JOIN "novel" ON "novel"."writerId" = "writer1"."id" \
        JOIN "writer" "writer2" ON "writer2"."id" = "novel"."editorId"
        """)
    }
  }

  @Test func `derivable requests are extended`() throws {
    try inPress { db in
      try db.expectFetch(
        Novel.all().byWriter(named: "Ann").recentFirst(),
        """
        SELECT "novel".* FROM "novel" JOIN "writer" ON "writer"."id" = "novel"."writerId" \
        WHERE "writer"."name" = 'Ann' ORDER BY "novel"."year" DESC
        """)
      try db.expectFetch(
        Writer.including(all: Writer.novels.byWriter(named: "Ann").recentFirst()).filter(id: 1),
        #"SELECT * FROM "writer" WHERE "id" = 1"#,
        """
        SELECT "novel".*, "novel"."writerId" AS "grdb_writerId" FROM "novel" \
        JOIN "writer" ON "writer"."id" = "novel"."writerId" \
        WHERE ("writer"."name" = 'Ann') AND ("novel"."writerId" = 1) ORDER BY "novel"."year" DESC
        """)
      try db.expectFetch(
        Writer.all().withNovels(),
        """
        SELECT "writer".* FROM "writer" LEFT JOIN "novel" ON "novel"."writerId" = "writer"."id" \
        GROUP BY "writer"."id" HAVING COUNT(DISTINCT "novel"."id") > 0
        """)
    }
  }

  @Test func `closures and key paths name columns`() throws {
    try inPress { db in
      try db.expectFetch(
        Writer.annotated(with: Writer.novels.max { $0.year }, Writer.novels.min(\.year)),
        """
        SELECT "writer".*, MAX("novel"."year") AS "maxNovelYear", MIN("novel"."year") AS "minNovelYear" FROM "writer" \
        LEFT JOIN "novel" ON "novel"."writerId" = "writer"."id" GROUP BY "writer"."id"
        """)
      try db.expectFetch(
        Writer.annotated(with: [Writer.novels.count.forKey(WriterInfo.CodingKeys.works)]).order(\.name.desc),
        """
        SELECT "writer".*, COUNT(DISTINCT "novel"."id") AS "works" FROM "writer" \
        LEFT JOIN "novel" ON "novel"."writerId" = "writer"."id" GROUP BY "writer"."id" ORDER BY "writer"."name" DESC
        """)
      let writer = TableAlias<Writer>()
      try db.expectFetch(
        Novel.joining(required: Novel.writer.aliased(writer)).filter { _ in writer.name == "Ann" && writer.id > 0 }
          .order { [writer.name.desc, $0.year] },
        """
        SELECT "novel".* FROM "novel" JOIN "writer" ON "writer"."id" = "novel"."writerId" \
        WHERE ("writer"."name" = 'Ann') AND ("writer"."id" > 0) ORDER BY "writer"."name" DESC, "novel"."year"
        """)
    }
  }

  @Test func `requests are erased, stored and generic`() throws {
    try inPress { db in
      let erased: any FetchRequest<NovelInfo> = NovelInfo.request
      #expect(try NovelInfo.fetchAll(db, erased).map(\.writer.name) == ["Ann", "Ann"])
      let any = AnyFetchRequest(Writer.including(all: Writer.novels).asRequest(of: WriterNovels.self))
      #expect(try any.fetchAll(db).map(\.novels.count) == [2, 0])
      #expect(try any.fetchOne(db)?.novels.map(\.title) == ["A", "B"])
      #expect(try any.fetchSet(db).count == 2)
      #expect(try count(Novel.all(), of: Novel.writer, db) == 2)
      let requests: [QueryInterfaceRequest<Writer>] = [Writer.joining(required: Writer.novels), Writer.all()]
      #expect(try requests.map { try $0.fetchCount(db) } == [2, 2])
      let annotated = try Writer.annotated(with: Writer.novels.count.forKey("works")).asRequest(of: WriterInfo.self)
        .fetchAll(db)
      #expect(annotated == [WriterInfo(id: 1, name: "Ann", works: 2), WriterInfo(id: 2, name: "Bob", works: 0)])
    }
  }

  private func count<A: AssociationToOne>(
    _ request: QueryInterfaceRequest<A.OriginRowDecoder>, of one: A, _ db: Database
  )
    throws -> Int
  {
    try request.joining(required: one).fetchCount(db)
  }

  @Test func `tables are associated`() throws {
    try inPress { db in
      let novels = Table<Novel>("novel")
      let writers = Table("writer")
      try db.expectFetch(
        writers.including(all: writers.hasMany(novels, using: ForeignKey(["writerId"]))).filter(Column("id") == 1),
        #"SELECT * FROM "writer" WHERE "id" = 1"#,
        #"SELECT *, "writerId" AS "grdb_writerId" FROM "novel" WHERE "writerId" = 1"#)
      try db.expectFetch(
        novels.including(required: novels.belongsTo(Writer.self, using: ForeignKey(["writerId"]))),
        #"SELECT "novel".*, "writer".* FROM "novel" JOIN "writer" ON "writer"."id" = "novel"."writerId""#)
      try db.expectFetch(
        Writer.including(optional: Writer.hasOne(novels, key: "first", using: ForeignKey(["writerId"]))),
        #"SELECT "writer".*, "novel".* FROM "writer" LEFT JOIN "novel" ON "novel"."writerId" = "writer"."id""#)
      let editors = writers.hasMany(
        Writer.self, through: writers.hasMany(novels, using: ForeignKey(["writerId"])), using: Novel.editor,
        key: "editors")
      try db.expectFetch(
        writers.annotated(with: editors.count),
        """
        SELECT "writer1".*, COUNT(DISTINCT "writer2"."id") AS "editorCount" FROM "writer" "writer1" \
        LEFT JOIN "novel" ON "novel"."writerId" = "writer1"."id" \
        LEFT JOIN "writer" "writer2" ON "writer2"."id" = "novel"."editorId" GROUP BY "writer1"."id"
        """)
    }
  }
}

private struct Writer: Codable, Equatable, Hashable, Identifiable, FetchableRecord, PersistableRecord {
  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
  }
  var id: Int64
  var name: String

  static let novels = hasMany(Novel.self, using: Novel.writerKey)
  static let edited: HasManyAssociation<Writer, Novel> = hasMany(
    Novel.self, key: "edited", using: .init([Novel.Columns.editorId]))
  static let editors: HasManyThroughAssociation<Writer, Writer> = hasMany(
    Writer.self, through: novels, using: Novel.editor, key: "editors")
}

private protocol Written: TableRecord {}

extension Written {
  fileprivate static var writer: BelongsToAssociation<Self, Writer> {
    belongsTo(Writer.self, using: ForeignKey(["writerId"]))
  }
}

private struct Novel: Codable, Hashable, Identifiable, FetchableRecord, PersistableRecord, Written {
  enum CodingKeys: String, CodingKey, ColumnExpression { case id, title, year, writerId, editorId }
  enum Columns {
    static let id = Column(CodingKeys.id)
    static let year = Column(CodingKeys.year)
    static let editorId = Column(CodingKeys.editorId)
  }
  var id: Int64
  var title: String
  var year: Int
  var writerId: Int64
  var editorId: Int64?

  static let writerKey = ForeignKey([CodingKeys.writerId])
  static let editor = belongsTo(Writer.self, key: "editor", using: ForeignKey(["editorId"]))
  static let editor2 = belongsTo(Writer.self, key: "editor", using: ForeignKey([Column("editorId")]))
  static let editor3 = belongsTo(Writer.self, using: ForeignKey(["editorId"], to: ["id"])).forKey("editor")
  static let editor4 = belongsTo(
    Writer.self, using: ForeignKey([Columns.editorId], to: [Writer.Columns.id])
  ).forKey(NovelInfo.CodingKeys.writer)
  static var editor5: BelongsToAssociation<Novel, Writer> {
    belongsTo(Writer.self, key: "editor", using: .init([CodingKeys.editorId]))
  }
}

private struct NovelInfo: Codable, FetchableRecord {
  enum CodingKeys: String, CodingKey { case novel, writer }
  var novel: Novel
  var writer: Writer

  static var request: some FetchRequest<NovelInfo> {
    Novel.including(required: Novel.writer).order(\.id).asRequest(of: NovelInfo.self)
  }
}

private struct WriterNovels: Codable, Hashable, FetchableRecord {
  var writer: Writer
  var novels: [Novel]
}

private struct WriterInfo: Codable, Equatable, FetchableRecord {
  enum CodingKeys: String, CodingKey { case id, name, works }
  var id: Int64
  var name: String
  var works: Int
}

extension DerivableRequest<Novel> {
  fileprivate func byWriter(named name: String) -> Self {
    let writer = TableAlias<Writer>()
    return joining(required: Novel.writer.aliased(writer)).filter(writer.name == name)
  }
  fileprivate func recentFirst() -> Self { order { $0.year.desc } }
}

extension DerivableRequest where RowDecoder == Writer {
  fileprivate func withNovels() -> Self { having(!Writer.novels.isEmpty) }
}

private func inPress(_ body: (Database) throws -> Void) throws {
  try inMemory { db in
    try db.execute(
      sql: """
        CREATE TABLE writer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE novel (
          id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER NOT NULL, writerId INTEGER NOT NULL REFERENCES writer,
          editorId INTEGER REFERENCES writer);
        INSERT INTO writer VALUES (1, 'Ann'), (2, 'Bob');
        INSERT INTO novel VALUES (1, 'A', 1990, 1, 2), (2, 'B', 1991, 1, NULL);
        """)
    try body(db)
  }
}
