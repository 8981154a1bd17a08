import Foundation
import Testing
import Tidemark

private let id = Column("id")
private let nothing: Int? = nil

private typealias Book = Shelves.Book
private typealias Author = Shelves.Author
private let (a, b, c, d) = (Column("a"), Column("b"), Column("c"), Column("d"))

/// The SQL of operators and functions.
@Suite struct ExpressionTests {
  @Test func equalityBuildsSQL() throws {
    try expectSQL("\(a == 1)", #""a" = ?"#, [1])
    try expectSQL("\(1 == a)", #"? = "a""#, [1])
    try expectSQL("\(a == b)", #""a" = "b""#)
    try expectSQL("\(a == nothing)", #""a" IS NULL"#)
    try expectSQL("\(a == nil)", #""a" IS NULL"#)
    try expectSQL("\(nil == a)", #""a" IS NULL"#)
    try expectSQL("\(a == DatabaseValue.null)", #""a" IS NULL"#)
    try expectSQL("\(a != nil)", #""a" IS NOT NULL"#)
    try expectSQL("\(nothing != a)", #""a" IS NOT NULL"#)
    try expectSQL("\(a != "x")", #""a" <> ?"#, ["x"])
    try expectSQL("\(a === 1)", #""a" IS ?"#, [1])
    try expectSQL("\(a === b)", #""a" IS "b""#)
    try expectSQL("\(a === nil)", #""a" IS NULL"#)
    try expectSQL("\(a !== 1)", #""a" IS NOT ?"#, [1])
    try expectSQL("\(1 !== a)", #"? IS NOT "a""#, [1])
  }

  @Test func booleansAreNumbers() throws {
    try expectSQL("\(a == true)", #""a" = ?"#, [1])
    try expectSQL("\(a != true)", #""a" <> ?"#, [1])
    try expectSQL("\((a == 1) == true)", #"("a" = ?) = ?"#, [1, 1])
    try expectSQL("\(true == a)", #"? = "a""#, [1])
    try expectSQL("\(false != a)", #"? <> "a""#, [0])
    try expectSQL("\(true == (a == 1))", #"? = ("a" = ?)"#, [1, 1])
  }

  @Test func comparisonBuildsSQL() throws {
    try expectSQL("\(a < 1)", #""a" < ?"#, [1])
    try expectSQL("\(1 <= a)", #"? <= "a""#, [1])
    try expectSQL("\(a > b)", #""a" > "b""#)
    try expectSQL("\(a >= "x")", #""a" >= ?"#, ["x"])
  }

  @Test func negationBuildsSQL() throws {
    try expectSQL("\(!(!a))", #"NOT (NOT "a")"#)
    try expectSQL("\(!(a == 1))", #""a" <> ?"#, [1])
    try expectSQL("\(!(a != 1))", #""a" = ?"#, [1])
    try expectSQL("\(!(a == nil))", #""a" IS NOT NULL"#)
    try expectSQL("\(!(a === 1))", #""a" IS NOT ?"#, [1])
    try expectSQL("\(!(a < 1))", #"NOT ("a" < ?)"#, [1])
    try expectSQL("\(!(a && b))", #"NOT ("a" AND "b")"#)
    try expectSQL("\(!([1, 2].contains(a)))", #""a" NOT IN (?, ?)"#, [1, 2])
    try expectSQL("\(!(!([1, 2].contains(a))))", #""a" IN (?, ?)"#, [1, 2])
    try expectSQL("\(!((1...2).contains(a)))", #""a" NOT BETWEEN ? AND ?"#, [1, 2])
    try expectSQL("\(!(a.like("x")))", #""a" NOT LIKE ?"#, ["x"])
    try expectSQL("\(!([Int]().contains(a)))", "?", [1])
    try expectSQL("\(!(a.collating(.nocase)))", #"NOT "a" COLLATE NOCASE"#)
    try expectSQL("\(!true.databaseValue.sqlExpression)", "?", [0])
    try expectSQL("\(!5.sqlExpression)", "NOT ?", [5])
    try expectSQL("\(!Book.all().exists())", #"NOT EXISTS (SELECT * FROM "book")"#)
  }

  @Test func logicBuildsSQL() throws {
    try expectSQL("\(a && b)", #""a" AND "b""#)
    try expectSQL("\(a && (b && c))", #""a" AND "b" AND "c""#)
    try expectSQL("\((a && b) && (c && d))", #""a" AND "b" AND "c" AND "d""#)
    try expectSQL("\(a && (b || c))", #""a" AND ("b" OR "c")"#)
    try expectSQL("\(a || b || c)", #""a" OR "b" OR "c""#)
    try expectSQL("\(a == 1 && b == 2)", #"("a" = ?) AND ("b" = ?)"#, [1, 2])
    try expectSQL("\(a && true)", #""a" AND ?"#, [1])
    try expectSQL("\(false || a)", #"? OR "a""#, [0])
  }

  @Test func sqlComparesColumnsThatSwiftCouldCompare() throws {
    typealias C = Author.Columns
    try expectSQL("\(a > 1 && C.id == C.name)", #"("a" > ?) AND ("id" = "name")"#, [1])
    try expectSQL("\(C.id != C.name || a > 1)", #"("id" <> "name") OR ("a" > ?)"#, [1])
    try inMemory { db in
      try db.execute(sql: Shelves.sql)
      try db.expectSQL(
        Author.filter { $0.id == $0.name && $0.name != $0.country },
        #"SELECT * FROM "author" WHERE ("id" = "name") AND ("name" <> "country")"#)
    }
  }

  @Test func arithmeticBuildsSQL() throws {
    try expectSQL("\(a + b + c)", #"("a" + "b") + "c""#)
    try expectSQL("\(a - (b - c))", #""a" - ("b" - "c")"#)
    try expectSQL("\(a * 2 / b)", #"("a" * ?) / "b""#, [2])
    try expectSQL("\(1 - a)", #"? - "a""#, [1])
    try expectSQL("\(-a)", #"-"a""#)
    try expectSQL("\(-(a + 1))", #"-("a" + ?)"#, [1])
    try expectSQL("\(-(-a))", #"-(-"a")"#)
    try expectSQL("\(-a + 1)", #"(-"a") + ?"#, [1])
    try expectSQL("\(a + 1 > 2)", #"("a" + ?) > ?"#, [1, 2])
  }

  @Test func bitwiseOperatorsBuildSQL() throws {
    try expectSQL("\(a & b & c)", #""a" & "b" & "c""#)
    try expectSQL("\(a | 1 | b)", #""a" | ? | "b""#, [1])
    try expectSQL("\(~(a & b))", #"~("a" & "b")"#)
    try expectSQL("\(a << 1)", #""a" << ?"#, [1])
    try expectSQL("\(1 >> a)", #"? >> "a""#, [1])
    try expectSQL("\((a & 1) | b)", #"("a" & ?) | "b""#, [1])
  }

  @Test func manyExpressionsAreJoined() throws {
    try expectSQL("\([a, b, c].joined(operator: .add))", #""a" + "b" + "c""#)
    try expectSQL("\([a + b, c].joined(operator: .add))", #"("a" + "b") + "c""#)
    try expectSQL("\([a, b].joined(operator: .multiply))", #""a" * "b""#)
    try expectSQL("\([a && b, c.sqlExpression].joined(operator: .and))", #""a" AND "b" AND "c""#)
    try expectSQL("\([a == 1, b == 2].joined(operator: .or))", #"("a" = ?) OR ("b" = ?)"#, [1, 2])
    try expectSQL("\(([a, "x", b] as [any SQLExpressible]).joined(operator: .concat))", #""a" || ? || "b""#, ["x"])
    try expectSQL("\(([a, b > 1] as [any SQLSpecificExpressible]).joined(operator: .and))", #""a" AND ("b" > ?)"#, [1])
    try expectSQL("\([a, b > 1].joined(operator: .and))", #""a" AND ("b" > ?)"#, [1])
    try expectSQL("\(([] as [any SQLSpecificExpressible]).joined(operator: .or))", "?", [0])
    try expectSQL("\([a, b].joined(operator: .bitwiseAnd))", #""a" & "b""#)
    try expectSQL("\([a, b].joined(operator: .bitwiseOr))", #""a" | "b""#)
    try expectSQL("\([a].joined(operator: .and))", #""a""#)
  }

  @Test func joiningNothingGivesTheNeutralValue() throws {
    let none: [Column] = []
    try expectSQL("\(none.joined(operator: .and))", "?", [1])
    try expectSQL("\(none.joined(operator: .or))", "?", [0])
    try expectSQL("\(none.joined(operator: .add))", "?", [0])
    try expectSQL("\(none.joined(operator: .multiply))", "?", [1])
    try expectSQL("\(none.joined(operator: .concat))", "?", [""])
    try expectSQL("\(none.joined(operator: .bitwiseAnd))", "?", [-1])
    try expectSQL("\(none.joined(operator: .bitwiseOr))", "?", [0])
  }

  @Test func membershipBuildsSQL() throws {
    try expectSQL("\([Int]().contains(a))", "?", [0])
    try expectSQL("\([1].contains(a))", #""a" = ?"#, [1])
    try expectSQL("\([1, 2].contains(a))", #""a" IN (?, ?)"#, [1, 2])
    try expectSQL("\([b].contains(a))", #""a" = "b""#)
    try expectSQL("\(([1, b] as [any SQLExpressible]).contains(a))", #""a" IN (?, "b")"#, [1])
    try expectSQL("\([1, 2].contains(a + 1))", #"("a" + ?) IN (?, ?)"#, [1, 1, 2])
    try expectSQL("\((1..<3).contains(a))", #"("a" >= ?) AND ("a" < ?)"#, [1, 3])
    try expectSQL("\((1...3).contains(a))", #""a" BETWEEN ? AND ?"#, [1, 3])
    try expectSQL("\((1...).contains(a))", #""a" >= ?"#, [1])
    try expectSQL("\((...3).contains(a))", #""a" <= ?"#, [3])
    try expectSQL("\((..<3).contains(a))", #""a" < ?"#, [3])
    try expectSQL("\(Book.select(id).contains(a))", #""a" IN (SELECT "id" FROM "book")"#)
    let request = SQLRequest<Int>("SELECT id FROM book WHERE year = \(3)")
    try expectSQL("\(request.contains(a))", #""a" IN (SELECT id FROM book WHERE year = ?)"#, [3])
    try expectSQL("\(!request.contains(a))", #""a" NOT IN (SELECT id FROM book WHERE year = ?)"#, [3])
  }

  @Test func collationsApplyToTheWholeComparison() throws {
    try expectSQL("\(a == b.collating(.nocase))", #""a" = "b" COLLATE NOCASE"#)
    try expectSQL("\(a.collating(.nocase) < "x")", #""a" < ? COLLATE NOCASE"#, ["x"])
    try expectSQL("\((a == "x").collating(.nocase))", #""a" = ? COLLATE NOCASE"#, ["x"])
    try expectSQL("\(["x"].contains(a.collating(.nocase)))", #""a" = ? COLLATE NOCASE"#, ["x"])
    try expectSQL("\(a.collating(.unicodeCompare) == 1)", #""a" = ? COLLATE swiftCompare"#, [1])
    try expectSQL("\(a.collating(.nocase) == 1 && b)", #"("a" = ? COLLATE NOCASE) AND "b""#, [1])
  }

  @Test func collationsStayInOtherExpressions() throws {
    try expectSQL("\([1, 2].contains(a.collating(.nocase)))", #"("a" COLLATE NOCASE) IN (?, ?)"#, [1, 2])
    try expectSQL("\(a.collating(.nocase).like("x"))", #"("a" COLLATE NOCASE) LIKE ?"#, ["x"])
    try expectSQL("\(a.collating(.nocase) + 1)", #"("a" COLLATE NOCASE) + ?"#, [1])
    try expectSQL("\(a.collating(.nocase).desc)", #""a" COLLATE NOCASE DESC"#)
  }

  @Test func patternsBuildSQL() throws {
    try expectSQL("\(a.like("%x%"))", #""a" LIKE ?"#, ["%x%"])
    try expectSQL("\(a.like(b))", #""a" LIKE "b""#)
    try expectSQL("\(a.like("%x%", escape: "\\"))", #""a" LIKE ? ESCAPE ?"#, ["%x%", "\\"])
  }

  @Test func functionsBuildSQL() throws {
    try expectSQL("\(abs(a))", #"ABS("a")"#)
    try expectSQL("\(length(a + 1) > 3)", #"LENGTH("a" + ?) > ?"#, [1, 3])
    try expectSQL("\(cast(a + b, as: .text))", #"CAST("a" + "b" AS TEXT)"#)
    try expectSQL("\(cast(a, as: .integer) + 1)", #"CAST("a" AS INTEGER) + ?"#, [1])
    try expectSQL("\((a ?? b) + 1)", #"IFNULL("a", "b") + ?"#, [1])
    try expectSQL("\(a ?? 0)", #"IFNULL("a", ?)"#, [0])
    try expectSQL("\(coalesce([a, b, 1]))", #"COALESCE("a", "b", ?)"#, [1])
    try expectSQL("\(coalesce([a]))", #""a""#)
    try expectSQL("\(coalesce([]))", "NULL")
    try expectSQL("\(max(a, b))", #"MAX("a", "b")"#)
    try expectSQL("\(min(a, 1, b))", #"MIN("a", ?, "b")"#, [1])
    try expectSQL("\(a.lowercased)", #"swiftLowercaseString("a")"#)
    try expectSQL("\(a.uppercased == "X")", #"swiftUppercaseString("a") = ?"#, ["X"])
    try expectSQL("\(a.capitalized)", #"swiftCapitalizedString("a")"#)
    try expectSQL("\(a.localizedLowercased)", #"swiftLocalizedLowercaseString("a")"#)
    try expectSQL("\(a.localizedUppercased)", #"swiftLocalizedUppercaseString("a")"#)
    try expectSQL("\(a.localizedCapitalized)", #"swiftLocalizedCapitalizedString("a")"#)
    let slug = DatabaseFunction("slug", argumentCount: 2) { $0[0] }
    try expectSQL("\(slug(a, 1))", #"slug("a", ?)"#, [1])
  }

  @Test func aggregatesBuildSQL() throws {
    try expectSQL("\(count(a))", #"COUNT("a")"#)
    try expectSQL("\(count(distinct: a))", #"COUNT(DISTINCT "a")"#)
    try expectSQL("\(sum(a))", #"SUM("a")"#)
    try expectSQL("\(total(a))", #"TOTAL("a")"#)
    try expectSQL("\(average(a))", #"AVG("a")"#)
    try expectSQL("\(min(a))", #"MIN("a")"#)
    try expectSQL("\(max(a) + 1)", #"MAX("a") + ?"#, [1])
    try expectSQL("\(max(a, filter: b == 1) > 3)", #"(MAX("a") FILTER (WHERE "b" = ?)) > ?"#, [1, 3])
    try expectSQL("\(sum(a, filter: b))", #"SUM("a") FILTER (WHERE "b")"#)
    try expectSQL("\(total(a, filter: b))", #"TOTAL("a") FILTER (WHERE "b")"#)
    try expectSQL("\(average(a, filter: b))", #"AVG("a") FILTER (WHERE "b")"#)
    try expectSQL("\(min(a, filter: b))", #"MIN("a") FILTER (WHERE "b")"#)
  }

  @Test func dateFunctionsBuildSQL() throws {
    try expectSQL(
      "\(dateTime(a, .hour(1), .minute(-5), .second(2.5), .day(-1), .month(2), .year(-1)))",
      #"DATETIME("a", ?, ?, ?, ?, ?, ?)"#,
      ["1 hours", "-5 minutes", "2.5 seconds", "-1 days", "2 months", "-1 years"])
    try expectSQL(
      "\(julianDay(a, .startOfDay, .startOfMonth, .startOfYear, .weekday(1), .unixEpoch, .localTime, .utc))",
      #"JULIANDAY("a", ?, ?, ?, ?, ?, ?, ?)"#,
      ["start of day", "start of month", "start of year", "weekday 1", "unixepoch", "localtime", "utc"])
    let evening: SQLRequest<String> = "SELECT \(dateTime("2026-01-31 10:00".sqlExpression, .startOfMonth, .day(-1)))"
    #expect(try inMemory { try evening.fetchOne($0) } == "2025-12-31 00:00:00")
  }

  @Test func orderingsBuildSQL() throws {
    try expectSQL("\(a.asc)", #""a" ASC"#)
    try expectSQL("\((a + 1).desc)", #""a" + ? DESC"#, [1])
    try expectSQL("\(a.ascNullsLast)", #""a" ASC NULLS LAST"#)
    try expectSQL("\(a.descNullsFirst)", #""a" DESC NULLS FIRST"#)
  }

  @Test func selectionsBuildSQL() throws {
    try expectSQL("\((a + 1).forKey("next"))", #""a" + ? AS "next""#, [1])
    try expectSQL("\(a.forKey(Book.CodingKeys.title))", #""a" AS "title""#)
    try expectSQL("\(AllColumns())", "*")
    try expectSQL("\(.rowID == 1)", #""rowid" = ?"#, [1])
  }

  @Test func rawSQLIsKept() throws {
    try expectSQL(
      "foo(\(a), \(b + 1), \(nil as Int?), \([1, 2]))", #"foo("a", "b" + ?, NULL, (?,?))"#, [1, 1, 2])
    try expectSQL("\(SQL("x = \(1)") && a)", #"(x = ?) AND "a""#, [1])
    try expectSQL("\(SQL(sql: "x").desc)", "x DESC")
    try expectSQL("\(length(SQL("x")))", "LENGTH(x)")
    try expectSQL("\(true) \(Date(timeIntervalSince1970: 0))", "? ?", [1, "1970-01-01 00:00:00.000"])
  }

  @Test func tablesBuildSQL() throws {
    try expectSQL("\(Book.self) \(id) \(Book.CodingKeys.title)", #""book" "id" "title""#)
    try expectSQL("\(tableOf: Book.self)", #""book""#)
    try expectSQL("\(tableOf: try Book(row: ["id": 1, "title": ""]))", #""book""#)
    try expectSQL("\(columnsOf: Book.self)", #""book".*"#)
    try expectSQL("\(columnsOf: Book.self, tableAlias: "k")", #""k".*"#)
    try expectSQL("\(Book.filter(id == 1))", #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
    try expectSQL("\(TableAlias(name: "zz")[id])", #""zz"."id""#)
  }

  @Test func interpolatedTablesBecomeTheirNames() throws {
    try expectSQL("SELECT * FROM \(Table("player"))", #"SELECT * FROM "player""#)
    try expectSQL("SELECT * FROM \(Table<Book>("my books"))", #"SELECT * FROM "my books""#)
    try expectSQL("(\(Table("player").all()))", #"(SELECT * FROM "player")"#)
    try inShelves { db throws in
      let request: SQLRequest<String> = "SELECT label FROM \(Table("shelf")) ORDER BY label"
      #expect(try request.fetchAll(db) == ["a", "b"])
    }
  }

  @Test func theColumnsOfATypeMayDependOnTheSchema() throws {
    struct Title: TableRecord {
      static let databaseTableName = "book"
      static var databaseSelection: [any SQLSelectable] { [.allColumns(excluding: ["year", "isRare"]), .rowID] }
    }
    try inShelves { db throws in
      #expect(
        try SQL("\(columnsOf: Title.self)").build(db).sql
          == #""book"."id", "book"."title", "book"."authorId", "book"."rowid""#)
      #expect(
        try SQL("\(columnsOf: Title.self, tableAlias: "b")").build(db).sql
          == #""b"."id", "b"."title", "b"."authorId", "b"."rowid""#)
    }
  }

  @Test func aSelectionOfAnyTypeMayBeInterpolated() throws {
    let selection: any SQLSelectable = (a + 1).forKey("n")
    let none: (any SQLSelectable)? = nil
    try expectSQL("\(selection)", #""a" + ? AS "n""#, [1])
    try expectSQL("\(none)", "NULL")
    try expectSQL("\(Optional(selection))", #""a" + ? AS "n""#, [1])
  }

  @Test func aPartOfATextIsBound() throws {
    try expectSQL("\("O'Brien".prefix(3))", "?", ["O'B"])
  }

  @Test func theLeftOperandMayBeGeneric() throws {
    func sum(_ value: some SQLExpressible) -> SQLExpression { value + a }
    func isEqual(_ value: some SQLExpressible) -> SQLExpression { value == a }
    let any: any SQLExpressible = 1
    try expectSQL("\(sum(1))", #"? + "a""#, [1])
    try expectSQL("\(sum(b))", #""b" + "a""#)
    try expectSQL("\(isEqual("x"))", #"? = "a""#, ["x"])
    try expectSQL("\(any < a && any != a)", #"(? < "a") AND (? <> "a")"#, [1, 1])
  }

  @Test func aggregatesAreFunctionsLikeOthers() throws {
    let functions: [(Column) -> SQLExpression] = [average, max, min, sum, total]
    let texts = try functions.map { function in try inMemory { try SQL(function(a)).build($0).sql } }
    #expect(texts == [#"AVG("a")"#, #"MAX("a")"#, #"MIN("a")"#, #"SUM("a")"#, #"TOTAL("a")"#])
  }

  @Test func namesMayContainQuotes() throws {
    try expectSQL("\(Column("a\"b") == 1)", #""a""b" = ?"#, [1])
    try expectSQL("\(Table("x\"y").filter(a == 1))", #"SELECT * FROM "x""y" WHERE "a" = ?"#, [1])
    try expectSQL("\(a.forKey("n\"m"))", #""a" AS "n""m""#)
  }
}
