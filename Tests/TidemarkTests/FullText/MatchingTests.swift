import Testing
import Tidemark

private let pattern3 = FTS3Pattern(matchingAllPrefixesIn: "fo")
private let pattern5 = FTS5Pattern(matchingAllPrefixesIn: "fo")

/// Requests that search full-text tables, and rank what they find.
@Suite struct MatchingTests {
  private struct Doc4: TableRecord { static let databaseTableName = "doc4" }

  // swift-format-ignore
  @Test func `requests match patterns`() throws {
    try inDocuments { db in
      func sql(_ request: some FetchRequest) throws -> String { try db.expandedSQL(request) }
      try #expect(sql(Doc.matching(pattern5)) == #"SELECT * FROM "doc5" WHERE "doc5" MATCH 'fo*'"#)
      try #expect(sql(Doc4.matching(pattern3)) == #"SELECT * FROM "doc4" WHERE "doc4" MATCH 'fo*'"#)
      try #expect(sql(Doc.all().matching(pattern5)) == #"SELECT * FROM "doc5" WHERE "doc5" MATCH 'fo*'"#)
      try #expect(sql(Table("doc5").matching(pattern5)) == #"SELECT * FROM "doc5" WHERE "doc5" MATCH 'fo*'"#)
      try #expect(sql(Table<Doc>("doc4").matching(pattern3)) == #"SELECT * FROM "doc4" WHERE "doc4" MATCH 'fo*'"#)
      try #expect(sql(Table("doc5").matching(nil as FTS5Pattern?)) == #"SELECT * FROM "doc5" WHERE 0"#)
      try #expect(sql(Table("doc5").all().matching(pattern5)) == #"SELECT * FROM "doc5" WHERE "doc5" MATCH 'fo*'"#)
      try #expect(sql(Table("doc4").all().matching(pattern3)) == #"SELECT * FROM "doc4" WHERE "doc4" MATCH 'fo*'"#)
      try #expect(sql(Doc.matching(nil as FTS5Pattern?)) == #"SELECT * FROM "doc5" WHERE 0"#)
      try #expect(sql(Doc4.matching(nil as FTS3Pattern?)) == #"SELECT * FROM "doc4" WHERE 0"#)
      try #expect(sql(Doc.matching(pattern5).order(Column.rank))
        == #"SELECT * FROM "doc5" WHERE "doc5" MATCH 'fo*' ORDER BY "rank""#)
      try #expect(sql(Doc.filter(Column("title").match(#require(pattern5))))
        == #"SELECT * FROM "doc5" WHERE "title" MATCH 'fo*'"#)
      try #expect(sql(Doc4.filter(Column("title").match(pattern3))) == #"SELECT * FROM "doc4" WHERE "title" MATCH 'fo*'"#)
      try #expect(sql(Doc4.filter(Column("title").match(nil as FTS3Pattern?)))
        == #"SELECT * FROM "doc4" WHERE "title" MATCH NULL"#)
      try #expect(sql(Doc.matching(pattern5).select(Column.rank.forKey("r")).order(Column.rank.desc))
        == #"SELECT "rank" AS "r" FROM "doc5" WHERE "doc5" MATCH 'fo*' ORDER BY "rank" DESC"#)
      try #expect(sql(Doc.matching(pattern5).order(sql: "bm25(doc5, 10.0, 5.0)"))
        == #"SELECT * FROM "doc5" WHERE "doc5" MATCH 'fo*' ORDER BY bm25(doc5, 10.0, 5.0)"#)
    }
  }

  @Test func `counts and single rows match patterns`() throws {
    let recorder = TraceRecorder()
    try inDocuments { db in
      db.trace { recorder.append($0.expandedDescription) }
      try #expect(Doc.matching(pattern5).fetchCount(db) == 2)
      try #expect(Doc.matching(pattern5).fetchOne(db)?.title == "Moby Dick")
      db.trace(nil)
    }
    #expect(
      recorder.lines.filter { $0.contains("MATCH") && !$0.hasPrefix("--") } == [
        #"SELECT COUNT(*) FROM "doc5" WHERE "doc5" MATCH 'fo*'"#,
        #"SELECT * FROM "doc5" WHERE "doc5" MATCH 'fo*' LIMIT 1"#,
      ])
  }

  @Test func `results are ranked, and shown in excerpts`() throws {
    try inDocuments { db in
      let ranked = try Doc.matching(pattern5).order(Column.rank).fetchAll(db)
      #expect(ranked.map(\.title) == ["Foxes", "Moby Dick"])
      let ranks = try Double.fetchAll(db, Doc.matching(pattern5).select(Column.rank).order(Column.rank))
      #expect(ranks.count == 2 && ranks[0] < ranks[1] && ranks[1] < 0)
      let excerpts = try String.fetchAll(
        db,
        Doc.matching(FTS5Pattern(matchingPhrase: "the whale"))
          .select(literal: "snippet(doc5, 1, '<b>', '</b>', '…', 4) AS s"))
      #expect(excerpts == ["…fox to <b>the whale</b>"])
      try #expect(Doc.matching(nil as FTS5Pattern?).fetchAll(db) == [])
      try #expect(Doc4.filter(Column("title").match(nil as FTS3Pattern?)).fetchCount(db) == 0)
      try #expect(Doc4.filter(Column("title").match(pattern3)).fetchCount(db) == 1)
    }
  }

  @Test func `a match cannot be negated`() throws {
    try inDocuments { db in
      let request = Doc.filter(!Column("title").match(try #require(pattern5)))
      #expect(
        message { _ = try request.fetchAll(db) }.hasPrefix(
          "SQLite error 1: unable to use function MATCH in the requested context"))
      let statement = try request.makePreparedRequest(db).statement
      #expect(statement.sql == #"SELECT * FROM "doc5" WHERE NOT ("title" MATCH ?)"#)
    }
  }

  @Test func `associated records match patterns`() throws {
    struct Book: TableRecord {
      static let doc = belongsTo(Doc.self, using: ForeignKey(["id"], to: ["rowid"]))
    }
    try inDocuments { db in
      let request = Book.joining(required: Book.doc.matching(pattern5))
      try #expect(
        db.expandedSQL(request)
          == #"SELECT "book".* FROM "book" JOIN "doc5" ON ("doc5"."rowid" = "book"."id") AND ("doc5" MATCH 'fo*')"#)
      try #expect(request.asRequest(of: Row.self).fetchAll(db).map { $0["id"] as Int } == [1, 2])
      let row = try #require(
        try Book.including(required: Book.doc.matching(pattern5)).order(Column("id")).asRequest(of: Row.self)
          .fetchOne(db))
      #expect(row.scopes["doc5"]?["title"] == "Moby Dick")
    }
  }

  @Test func `a table can be renamed with an alias`() throws {
    try inDocuments { db in
      let alias = TableAlias<Doc>(name: "k")
      let request = Doc.aliased(alias).matching(pattern5)
      let statement = try request.makePreparedRequest(db).statement
      #expect(statement.sql == #"SELECT "k".* FROM "doc5" "k" WHERE "k"."doc5" MATCH ?"#)
      try #expect(request.order(Column.rank).fetchAll(db).map(\.title) == ["Foxes", "Moby Dick"])
    }
  }

  @Test func `the region contains the index`() throws {
    try inDocuments { db in
      let region = "doc5(body,doc5,title),doc5_config(*),doc5_content(*),doc5_data(*),doc5_docsize(*),doc5_idx(*)"
      try #expect(Doc.matching(pattern5).databaseRegion(db).description == region)
    }
  }
}
