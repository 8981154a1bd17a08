import Testing
import Tidemark

private typealias Book = Shelves.Book
private typealias Reader = Shelves.Reader
private typealias Reading = Shelves.Reading
private let id = Column("id")
private let title = Column("title")
private let year = Column("year")
private let isRare = Column("isRare")

/// Statements that change all rows of a request.
@Suite struct RequestWritingTests {
  @Test func deletingRowsBuildsSQL() throws {
    let sql = try traced { db throws in
      #expect(try Book.filter(isRare).deleteAll(db) == 2)
      #expect(try Book.all().deleteAll(db) == 1)
      #expect(try Reader.deleteAll(db) == 2)
      #expect(try Table("shelf").deleteAll(db) == 2)
    }
    #expect(
      sql == [
        #"DELETE FROM "book" WHERE "isRare""#,
        #"DELETE FROM "book""#,
        #"DELETE FROM "reader""#,
        #"DELETE FROM "shelf""#,
      ])
  }

  @Test func deletingByKeyBuildsSQL() throws {
    let sql = try traced { db throws in
      #expect(try Book.deleteOne(db, key: 1))
      #expect(try Book.deleteOne(db, id: 1) == false)
      #expect(try Reader.deleteOne(db, key: ["email": "r@x.org"]))
      #expect(try Book.deleteAll(db, ids: [2, 3]) == 2)
      #expect(try Reading.deleteAll(db, keys: [["bookId": 2, "readerId": "s"]]) == 1)
      #expect(try Table("shelf").deleteOne(db, key: 1))
      #expect(try Table<Reader>("reader").deleteOne(db, id: "s"))
      #expect(try Table("reading").deleteOne(db, key: ["bookId": 2, "readerId": "r"]))
      #expect(try Table("author").deleteAll(db, keys: [1, 2]) == 2)
    }
    #expect(
      sql == [
        #"DELETE FROM "book" WHERE "id" = 1"#,
        #"DELETE FROM "book" WHERE "id" = 1"#,
        #"DELETE FROM "reader" WHERE "email" = 'r@x.org'"#,
        #"DELETE FROM "book" WHERE "id" IN (2, 3)"#,
        #"DELETE FROM "reading" WHERE ("bookId" = 2) AND ("readerId" = 's')"#,
        #"DELETE FROM "shelf" WHERE "rowid" = 1"#,
        #"DELETE FROM "reader" WHERE "id" = 's'"#,
        #"DELETE FROM "reading" WHERE ("bookId" = 2) AND ("readerId" = 'r')"#,
        #"DELETE FROM "author" WHERE "id" IN (1, 2)"#,
      ])
  }

  @Test func updatingRowsBuildsSQL() throws {
    let sql = try traced { db throws in
      #expect(try Book.updateAll(db, year -= 1, isRare.set(to: !isRare), Column("authorId").set(to: nil)) == 3)
      #expect(try Book.filter(id == 1).updateAll(db, [year.set(to: title)]) == 1)
      #expect(try Book.all().updateAll(db, onConflict: .ignore, title.set(to: "x")) == 3)
      #expect(try Book.updateAll(db, onConflict: .abort, title.set(to: "y"), year.noOverwrite) == 3)
      #expect(try Book.updateAll(db) { $0.year.set(to: 1) } == 3)
      #expect(try Book.updateAll(db) { [$0.year += 1, $0.title.set(to: $0.year)] } == 3)
      #expect(try Book.filter(id == 1).updateAll(db) { $0.year *= 2 } == 1)
      #expect(try Table("book").updateAll(db, year.set(to: 1)) == 3)
      #expect(try Table<Book>("book").updateAll(db) { [$0.year.set(to: 1)] } == 3)
    }
    #expect(
      sql == [
        #"UPDATE "book" SET "year" = "year" - 1, "isRare" = NOT "isRare", "authorId" = NULL"#,
        #"UPDATE "book" SET "year" = "title" WHERE "id" = 1"#,
        #"UPDATE OR IGNORE "book" SET "title" = 'x'"#,
        #"UPDATE "book" SET "title" = 'y'"#,
        #"UPDATE "book" SET "year" = 1"#,
        #"UPDATE "book" SET "year" = "year" + 1, "title" = "year""#,
        #"UPDATE "book" SET "year" = "year" * 2 WHERE "id" = 1"#,
        #"UPDATE "book" SET "year" = 1"#,
        #"UPDATE "book" SET "year" = 1"#,
      ])
  }

  @Test func relativeAssignmentsBuildSQL() throws {
    func check(_ assignment: ColumnAssignment, _ sql: String) throws {
      #expect(try traced { try Book.updateAll($0, assignment) } == [#"UPDATE "book" SET "# + sql])
    }
    try check(year += 2, #""year" = "year" + 2"#)
    try check(year -= id, #""year" = "year" - "id""#)
    try check(year *= 2, #""year" = "year" * 2"#)
    try check(year /= 2, #""year" = "year" / 2"#)
    try check(year &= 2, #""year" = "year" & 2"#)
    try check(year |= 2, #""year" = "year" | 2"#)
    try check(year <<= 2, #""year" = "year" << 2"#)
    try check(year >>= 2, #""year" = "year" >> 2"#)
    try check(year += id + 1, #""year" = "year" + ("id" + 1)"#)
  }

  @Test(arguments: [
    (Database.ConflictResolution.rollback, "ROLLBACK"), (.fail, "FAIL"), (.ignore, "IGNORE"), (.replace, "REPLACE"),
  ])
  func unusualConflictPoliciesAreWritten(resolution: Database.ConflictResolution, word: String) throws {
    #expect(
      try traced { try Book.updateAll($0, onConflict: resolution, year.set(to: 1)) }
        == [#"UPDATE OR \#(word) "book" SET "year" = 1"#])
  }

  @Test func orderNeedsALimit() throws {
    try inShelves { db in
      let hasLimitedWrites = try db.hasLimitedWrites
      try #require(hasLimitedWrites, "This libsqlite3 has no UPDATE and DELETE with LIMIT")
      let sql = try trace(db) { () throws in
        #expect(try Book.order(year).updateAll(db, year += 1) == 3)
        #expect(try Book.order(year).limit(1).updateAll(db, year += 1) == 1)
        #expect(try Book.order(year).limit(2).deleteAll(db) == 2)
        #expect(try Book.order(year).deleteAll(db) == 1)
      }
      #expect(
        sql == [
          #"UPDATE "book" SET "year" = "year" + 1"#,
          #"UPDATE "book" SET "year" = "year" + 1 ORDER BY "year" LIMIT 1"#,
          #"DELETE FROM "book" ORDER BY "year" LIMIT 2"#,
          #"DELETE FROM "book""#,
        ])
    }
  }

  @Test func changedRowsAreFetched() throws {
    let sql = try traced { db throws in
      #expect(try Book.filter(isRare).deleteAndFetchAll(db).map(\.title) == ["Rocannon", "Eden"])
      #expect(try Book.all().updateAndFetchAll(db, [title.set(to: "x")]).map(\.title) == ["x"])
      #expect(try Book.all().updateAndFetchSet(db, onConflict: .fail, [title.set(to: "y")]).map(\.title) == ["y"])
      #expect(try Book.all().updateAndFetchCursor(db, [year += 1]).next()?.title == "y")
      #expect(try Book.all().updateAndFetchAll(db) { [$0.title.set(to: "z")] }.map(\.title) == ["z"])
      #expect(try Book.all().deleteAndFetchIds(db) == [2])
    }
    #expect(
      sql == [
        #"DELETE FROM "book" WHERE "isRare" RETURNING *"#,
        #"UPDATE "book" SET "title" = 'x' RETURNING *"#,
        #"UPDATE OR FAIL "book" SET "title" = 'y' RETURNING *"#,
        #"UPDATE "book" SET "year" = "year" + 1 RETURNING *"#,
        #"UPDATE "book" SET "title" = 'z' RETURNING *"#,
        #"DELETE FROM "book" RETURNING "id""#,
      ])
  }

  @Test func writesReturnTheirSelection() throws {
    try inShelves { db in
      let deleting = try Book.filter(id == 1).deleteAndFetchStatement(db, selection: [title, year + 1])
      #expect(deleting.sql == #"DELETE FROM "book" WHERE "id" = ? RETURNING "title", "year" + ?"#)
      #expect(try Row.fetchAll(deleting) == [["title": "Rocannon", "\"year\" + ?": 1967]])
      let updating = try Book.all().updateAndFetchStatement(
        db, onConflict: .ignore, [year.set(to: 1)], selection: [.allColumns(excluding: ["year"])])
      #expect(
        updating.sql
          == #"UPDATE OR IGNORE "book" SET "year" = ? RETURNING "id", "title", "authorId", "isRare""#)
      let closures = try Book.all().updateAndFetchStatement(
        db, assignments: { [$0.year.set(to: 1)] }, select: { [$0.id] })
      #expect(closures.sql == #"UPDATE "book" SET "year" = ? RETURNING "id""#)
      #expect(try Book.all().deleteAndFetchStatement(db) { [$0.id] }.sql == #"DELETE FROM "book" RETURNING "id""#)
    }
  }

  @Test func groupsByAUniqueKeyAreRows() throws {
    let sql = try traced { db throws in
      #expect(try Book.all().groupByPrimaryKey().having(max(year) > 1960).deleteAll(db) == 2)
      #expect(try Reading.all().group(Column("bookId"), Column("readerId")).updateAll(db, Column("score") += 1) == 3)
    }
    #expect(
      sql == [
        #"DELETE FROM "book" WHERE "id" IN (SELECT "id" FROM "book" GROUP BY "id" HAVING MAX("year") > 1960)"#,
        """
        UPDATE "reading" SET "score" = "score" + 1 WHERE "rowid" IN \
        (SELECT "rowid" FROM "reading" GROUP BY "bookId", "readerId")
        """,
      ])
  }

  @Test func groupsMayHaveMoreThanAUniqueKey() throws {
    let sql = try traced { db throws in
      #expect(try Book.all().group(id, year).deleteAll(db) == 3)
      #expect(try Shelves.Author.all().group(-id).deleteAll(db) == 2)
      #expect(try Shelves.Shelf.all().group(Column.rowID).deleteAll(db) == 2)
      #expect(try Reading.all().groupByPrimaryKey().deleteAll(db) == 3)
    }
    #expect(
      sql == [
        #"DELETE FROM "book" WHERE "id" IN (SELECT "id" FROM "book" GROUP BY "id", "year")"#,
        #"DELETE FROM "author" WHERE "id" IN (SELECT "id" FROM "author" GROUP BY -"id")"#,
        #"DELETE FROM "shelf" WHERE "rowid" IN (SELECT "rowid" FROM "shelf" GROUP BY "rowid")"#,
        #"DELETE FROM "reading" WHERE "rowid" IN (SELECT "rowid" FROM "reading" GROUP BY "rowid")"#,
      ])
  }

  @Test func negatedTextsAreNotKeys() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inShelves { db in _ = try Shelves.Reader.all().group(-id).deleteAll(db) }
    }
    #expect(result.words.contains("Can't delete query with GROUP BY clause"))
  }

  @Test func otherGroupsCannotBeDeleted() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inShelves { db in _ = try Book.all().group(year).deleteAll(db) }
    }
    #expect(result.words.contains("Can't delete query with GROUP BY clause"))
  }

  @Test func otherGroupsCannotBeUpdated() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inShelves { db in _ = try Book.all().group(year).updateAll(db, year += 1) }
    }
    #expect(result.words.contains("Can't update query with GROUP BY clause"))
  }

  @Test func updatesWithoutAssignmentTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try inShelves { db in _ = try Book.all().updateAndFetchAll(db, []) }
    }
    #expect(result.words.contains("an UPDATE statement needs at least one assignment"))
  }
}

extension Database {
  fileprivate var hasLimitedWrites: Bool {
    get throws {
      try Bool.fetchOne(self, sql: "SELECT sqlite_compileoption_used('ENABLE_UPDATE_DELETE_LIMIT')") ?? false
    }
  }
}
