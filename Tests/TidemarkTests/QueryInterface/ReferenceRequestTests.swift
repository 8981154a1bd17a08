import Foundation
import Testing
import Tidemark

private typealias Book = Shelves.Book
private typealias Reader = Shelves.Reader
private typealias Shelf = Shelves.Shelf
private let (a, b) = (Column("a"), Column("b"))
private let (id, title, year, isRare) = (Column("id"), Column("title"), Column("year"), Column("isRare"))

/// Further requests with the exact SQL that the compatible API specifies.
@Suite struct ReferenceRequestTests {
  /// The executed SQL, without values.
  private func executed(_ body: (Database) throws -> Void) throws -> [String] {
    try inShelves { db in
      let recorder = TraceRecorder()
      db.trace { event in
        if case .statement(let statement) = event { recorder.append(statement.sql) }
      }
      defer { db.trace(nil) }
      try body(db)
      return recorder.lines.filter { !$0.hasPrefix("PRAGMA") && !$0.contains("sqlite_") }
    }
  }

  @Test func countsBuildSQL() throws {
    let lines = try executed { db in
      _ = try Book.fetchCount(db)
      _ = try Book.order(year).filter(isRare).fetchCount(db)
      _ = try Book.select(year + 1).fetchCount(db)
      _ = try Book.select(year + 1).distinct().fetchCount(db)
      _ = try Book.select(year, title).distinct().fetchCount(db)
      _ = try Book.all().distinct().fetchCount(db)
      _ = try Book.limit(3).fetchCount(db)
      _ = try Book.order(year).limit(3).fetchCount(db)
      _ = try Book.select(sql: "year").fetchCount(db)
      _ = try Book.all().group(year).having(count(id) > 1).fetchCount(db)
      _ = try Book.order(year).limit(1).isEmpty(db)
    }
    #expect(
      lines == [
        #"SELECT COUNT(*) FROM "book""#, #"SELECT COUNT(*) FROM "book" WHERE "isRare""#,
        #"SELECT COUNT(*) FROM "book""#, #"SELECT COUNT(DISTINCT "year" + ?) FROM "book""#,
        #"SELECT COUNT(*) FROM (SELECT DISTINCT "year", "title" FROM "book")"#,
        #"SELECT COUNT(*) FROM (SELECT DISTINCT * FROM "book")"#,
        #"SELECT COUNT(*) FROM (SELECT * FROM "book" LIMIT 3)"#,
        #"SELECT COUNT(*) FROM (SELECT * FROM "book" LIMIT 3)"#, #"SELECT COUNT(*) FROM (SELECT year FROM "book")"#,
        #"SELECT COUNT(*) FROM (SELECT * FROM "book" GROUP BY "year" HAVING COUNT("id") > ?)"#,
        #"SELECT EXISTS (SELECT * FROM "book" ORDER BY "year" LIMIT 1)"#,
      ])
  }

  @Test func rowsThatAreFilteredByANameOfTheSelectionAreCounted() throws {
    let alt = Column("alt")
    let named = Book.annotated(with: title.forKey("alt"))
    let lines = try executed { db throws in
      #expect(try named.filter(alt.detached == "Eden").fetchCount(db) == 1)
      #expect(try named.filter(sql: "ALT = 'Eden'").fetchCount(db) == 1)
      #expect(try named.filter(alt.detached != nil && year > 1960).order(alt.detached).fetchCount(db) == 2)
      #expect(try Book.select(title.forKey("alt")).distinct().filter(alt.detached > "E").fetchCount(db) == 3)
      #expect(try named.filter(year > 1960).fetchCount(db) == 2)
    }
    #expect(
      lines == [
        #"SELECT COUNT(*) FROM (SELECT *, "title" AS "alt" FROM "book" WHERE "alt" = ?)"#,
        #"SELECT COUNT(*) FROM (SELECT *, "title" AS "alt" FROM "book" WHERE ALT = 'Eden')"#,
        #"SELECT COUNT(*) FROM (SELECT *, "title" AS "alt" FROM "book" WHERE ("alt" IS NOT NULL) AND ("year" > ?))"#,
        #"SELECT COUNT(*) FROM (SELECT DISTINCT "title" AS "alt" FROM "book" WHERE "alt" > ?)"#,
        #"SELECT COUNT(*) FROM "book" WHERE "year" > ?"#,
      ])
  }

  @Test func updatesOfSeveralRowsBuildSQL() throws {
    let lines = try executed { db in
      try Book.updateAll(db, year -= 1, isRare.set(to: !isRare), title.set(to: "x"))
      try Book.updateAll(db, [])
      try Book.filter(isRare).order(id).updateAll(db, onConflict: .replace, year += 1, year *= 2, year /= 3)
      try Book.updateAll(db, year &= 1, year |= 2, year <<= 3, year >>= 4)
      try Shelf.updateAll(db, Column("room").set(to: nil), Column("label").noOverwrite)
    }
    #expect(
      lines == [
        #"UPDATE "book" SET "year" = "year" - ?, "isRare" = NOT "isRare", "title" = ?"#,
        #"UPDATE OR REPLACE "book" SET "year" = "year" + ?, "year" = "year" * ?, "year" = "year" / ? WHERE "isRare""#,
        #"UPDATE "book" SET "year" = "year" & ?, "year" = "year" | ?, "year" = "year" << ?, "year" = "year" >> ?"#,
        #"UPDATE "shelf" SET "room" = NULL"#,
      ])
  }

  @Test func emptyKeysRunNoQuery() throws {
    let lines = try executed { db in
      try #expect(Book.fetchAll(db, keys: [Int]()).isEmpty)
      try #expect(Book.deleteAll(db, keys: [Int]()) == 0)
      try #expect(Book.fetchOne(db, key: nil as Int?) == nil)
      try #expect(!Book.deleteOne(db, key: nil as Int?))
      try #expect(Book.fetchAll(db, ids: []).isEmpty)
      #expect(throws: RecordError.self) { try Book.find(db, key: nil as Int?) }
    }
    #expect(lines == [])
  }

  @Test func singleRowsAreLimitedUnlessTheKeyIsUnique() throws {
    try inShelves { db in
      try db.expectOne(Book.filter(id == 1 && isRare), #"SELECT * FROM "book" WHERE ("id" = ?) AND "isRare""#, [1])
      try db.expectOne(
        Book.filter(id == 1 || isRare), #"SELECT * FROM "book" WHERE ("id" = ?) OR "isRare" LIMIT 1"#, [1])
      try db.expectOne(Book.filter(id == nil as Int?), #"SELECT * FROM "book" WHERE "id" IS NULL"#)
      try db.expectOne(
        Reader.filter(Column("email") == id), #"SELECT * FROM "reader" WHERE "email" = "id" LIMIT 1"#)
      try db.expectOne(Reader.filter(Column("email") == "x"), #"SELECT * FROM "reader" WHERE "email" = ?"#, ["x"])
      try db.expectOne(Book.filter([1].contains(id)), #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
      try db.expectOne(Book.filter(.rowID == 1), #"SELECT * FROM "book" WHERE "rowid" = ?"#, [1])
      try db.expectOne(Book.select(max(year)), #"SELECT MAX("year") FROM "book""#)
      try db.expectOne(Book.select(max(year)).group(title), #"SELECT MAX("year") FROM "book" GROUP BY "title" LIMIT 1"#)
      try db.expectOne(Book.limit(5), #"SELECT * FROM "book" LIMIT 5"#)
      try db.expectOne(SQLRequest<Row>(sql: "SELECT * FROM book"), "SELECT * FROM book")
    }
  }

  @Test func emptyArraysInLiteralsSelectNothing() throws {
    try expectSQL("x IN \([Int]())", "x IN (SELECT NULL WHERE NULL)")
    try expectSQL("x IN \([1, nil, 2])", "x IN (?,NULL,?)", [1, 2])
    try expectSQL("x IN \(Set([1]))", "x IN (?)", [1])
    try expectSQL("x IN \(1...3)", "x IN (?,?,?)", [1, 2, 3])
  }

  @Test func dateModifiersBuildSQL() throws {
    try expectSQL(
      "\(dateTime(a, .startOfDay, .startOfMonth, .startOfYear, .weekday(1), .unixEpoch, .localTime, .utc))",
      #"DATETIME("a", ?, ?, ?, ?, ?, ?, ?)"#,
      ["start of day", "start of month", "start of year", "weekday 1", "unixepoch", "localtime", "utc"])
    try expectSQL(
      "\(dateTime(a, .hour(1), .minute(-5), .second(2.5), .day(-1), .month(2), .year(-1)))",
      #"DATETIME("a", ?, ?, ?, ?, ?, ?)"#,
      ["1 hours", "-5 minutes", "2.5 seconds", "-1 days", "2 months", "-1 years"])
    try expectSQL("\(julianDay(a, .utc))", #"JULIANDAY("a", ?)"#, ["utc"])
  }

  @Test func joinsOfNoneAndOneBuildSQL() throws {
    let none: [SQLExpression] = []
    try expectSQL("\(none.joined(operator: .and))", "?", [1])
    try expectSQL("\(none.joined(operator: .or))", "?", [0])
    try expectSQL("\(none.joined(operator: .add))", "?", [0])
    try expectSQL("\(none.joined(operator: .multiply))", "?", [1])
    try expectSQL("\(none.joined(operator: .concat))", "?", [""])
    try expectSQL("\(none.joined(operator: .bitwiseAnd))", "?", [-1])
    try expectSQL("\(none.joined(operator: .bitwiseOr))", "?", [0])
    try expectSQL("\([a].joined(operator: .and))", #""a""#)
    try expectSQL("\([a, b, a * 2].joined(operator: .add))", #""a" + "b" + ("a" * ?)"#, [2])
    try expectSQL("\([a, [a, b].joined(operator: .add)].joined(operator: .add))", #""a" + ("a" + "b")"#)
    try expectSQL("\([a, [a, b].joined(operator: .concat)].joined(operator: .concat))", #""a" || "a" || "b""#)
    try expectSQL("\([a & b, a].joined(operator: .bitwiseAnd))", #""a" & "b" & "a""#)
  }
}
