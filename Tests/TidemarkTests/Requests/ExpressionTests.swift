import Foundation
import Testing
import Tidemark

private let id = Column("id")
private let nothing: Int? = nil

private typealias Book = Shelves.Book
private typealias Author = Shelves.Author
private let (a, b, c, d) = (Column("a"), Column("b"), Column("c"), Column("d"))

/// What operators and functions print.
@Suite struct ExpressionTests {
  @Test func equality() throws {
    try expect("\(a == 1)", #""a" = ?"#, [1])
    try expect("\(1 == a)", #"? = "a""#, [1])
    try expect("\(a == b)", #""a" = "b""#)
    try expect("\(a == nothing)", #""a" IS NULL"#)
    try expect("\(a == nil)", #""a" IS NULL"#)
    try expect("\(nil == a)", #""a" IS NULL"#)
    try expect("\(a == DatabaseValue.null)", #""a" IS NULL"#)
    try expect("\(a != nil)", #""a" IS NOT NULL"#)
    try expect("\(nothing != a)", #""a" IS NOT NULL"#)
    try expect("\(a != "x")", #""a" <> ?"#, ["x"])
    try expect("\(a === 1)", #""a" IS ?"#, [1])
    try expect("\(a === b)", #""a" IS "b""#)
    try expect("\(a === nil)", #""a" IS NULL"#)
    try expect("\(a !== 1)", #""a" IS NOT ?"#, [1])
    try expect("\(1 !== a)", #"? IS NOT "a""#, [1])
  }

  @Test func aBooleanIsANumber() throws {
    try expect("\(a == true)", #""a" = ?"#, [1])
    try expect("\(a != true)", #""a" <> ?"#, [1])
    try expect("\((a == 1) == true)", #"("a" = ?) = ?"#, [1, 1])
  }

  @Test func order() throws {
    try expect("\(a < 1)", #""a" < ?"#, [1])
    try expect("\(1 <= a)", #"? <= "a""#, [1])
    try expect("\(a > b)", #""a" > "b""#)
    try expect("\(a >= "x")", #""a" >= ?"#, ["x"])
  }

  @Test func negation() throws {
    try expect("\(!(!a))", #"NOT (NOT "a")"#)
    try expect("\(!(a == 1))", #""a" <> ?"#, [1])
    try expect("\(!(a != 1))", #""a" = ?"#, [1])
    try expect("\(!(a == nil))", #""a" IS NOT NULL"#)
    try expect("\(!(a === 1))", #""a" IS NOT ?"#, [1])
    try expect("\(!(a < 1))", #"NOT ("a" < ?)"#, [1])
    try expect("\(!(a && b))", #"NOT ("a" AND "b")"#)
    try expect("\(!([1, 2].contains(a)))", #""a" NOT IN (?, ?)"#, [1, 2])
    try expect("\(!(!([1, 2].contains(a))))", #""a" IN (?, ?)"#, [1, 2])
    try expect("\(!((1...2).contains(a)))", #""a" NOT BETWEEN ? AND ?"#, [1, 2])
    try expect("\(!(a.like("x")))", #""a" NOT LIKE ?"#, ["x"])
    try expect("\(!([Int]().contains(a)))", "?", [1])
    try expect("\(!(a.collating(.nocase)))", #"NOT "a" COLLATE NOCASE"#)
    try expect("\(!true.databaseValue.sqlExpression)", "?", [0])
    try expect("\(!5.sqlExpression)", "NOT ?", [5])
    try expect("\(!Book.all().exists())", #"NOT EXISTS (SELECT * FROM "book")"#)
  }

  @Test func logic() throws {
    try expect("\(a && b)", #""a" AND "b""#)
    try expect("\(a && (b && c))", #""a" AND "b" AND "c""#)
    try expect("\((a && b) && (c && d))", #""a" AND "b" AND "c" AND "d""#)
    try expect("\(a && (b || c))", #""a" AND ("b" OR "c")"#)
    try expect("\(a || b || c)", #""a" OR "b" OR "c""#)
    try expect("\(a == 1 && b == 2)", #"("a" = ?) AND ("b" = ?)"#, [1, 2])
    try expect("\(a && true)", #""a" AND ?"#, [1])
    try expect("\(false || a)", #"? OR "a""#, [0])
  }

  @Test func columnsThatSwiftCouldCompareAreComparedBySQL() throws {
    typealias C = Author.Columns
    try expect("\(a > 1 && C.id == C.name)", #"("a" > ?) AND ("id" = "name")"#, [1])
    try expect("\(C.id != C.name || a > 1)", #"("id" <> "name") OR ("a" > ?)"#, [1])
    try inMemory { db in
      try db.execute(sql: Shelves.sql)
      try db.expect(
        Author.filter { $0.id == $0.name && $0.name != $0.country },
        #"SELECT * FROM "author" WHERE ("id" = "name") AND ("name" <> "country")"#)
    }
  }

  @Test func arithmetic() throws {
    try expect("\(a + b + c)", #"("a" + "b") + "c""#)
    try expect("\(a - (b - c))", #""a" - ("b" - "c")"#)
    try expect("\(a * 2 / b)", #"("a" * ?) / "b""#, [2])
    try expect("\(1 - a)", #"? - "a""#, [1])
    try expect("\(-a)", #"-"a""#)
    try expect("\(-(a + 1))", #"-("a" + ?)"#, [1])
    try expect("\(-(-a))", #"-(-"a")"#)
    try expect("\(-a + 1)", #"(-"a") + ?"#, [1])
    try expect("\(a + 1 > 2)", #"("a" + ?) > ?"#, [1, 2])
  }

  @Test func bits() throws {
    try expect("\(a & b & c)", #""a" & "b" & "c""#)
    try expect("\(a | 1 | b)", #""a" | ? | "b""#, [1])
    try expect("\(~(a & b))", #"~("a" & "b")"#)
    try expect("\(a << 1)", #""a" << ?"#, [1])
    try expect("\(1 >> a)", #"? >> "a""#, [1])
    try expect("\((a & 1) | b)", #"("a" & ?) | "b""#, [1])
  }

  @Test func manyExpressionsAreJoined() throws {
    try expect("\([a, b, c].joined(operator: .add))", #""a" + "b" + "c""#)
    try expect("\([a + b, c].joined(operator: .add))", #"("a" + "b") + "c""#)
    try expect("\([a, b].joined(operator: .multiply))", #""a" * "b""#)
    try expect("\([a && b, c.sqlExpression].joined(operator: .and))", #""a" AND "b" AND "c""#)
    try expect("\([a == 1, b == 2].joined(operator: .or))", #"("a" = ?) OR ("b" = ?)"#, [1, 2])
    try expect("\(([a, "x", b] as [any SQLExpressible]).joined(operator: .concat))", #""a" || ? || "b""#, ["x"])
    try expect("\([a, b].joined(operator: .bitwiseAnd))", #""a" & "b""#)
    try expect("\([a, b].joined(operator: .bitwiseOr))", #""a" | "b""#)
    try expect("\([a].joined(operator: .and))", #""a""#)
  }

  @Test func nothingJoinedIsTheNeutralValue() throws {
    let none: [Column] = []
    try expect("\(none.joined(operator: .and))", "?", [1])
    try expect("\(none.joined(operator: .or))", "?", [0])
    try expect("\(none.joined(operator: .add))", "?", [0])
    try expect("\(none.joined(operator: .multiply))", "?", [1])
    try expect("\(none.joined(operator: .concat))", "?", [""])
    try expect("\(none.joined(operator: .bitwiseAnd))", "?", [-1])
    try expect("\(none.joined(operator: .bitwiseOr))", "?", [0])
  }

  @Test func membership() throws {
    try expect("\([Int]().contains(a))", "?", [0])
    try expect("\([1].contains(a))", #""a" = ?"#, [1])
    try expect("\([1, 2].contains(a))", #""a" IN (?, ?)"#, [1, 2])
    try expect("\([b].contains(a))", #""a" = "b""#)
    try expect("\(([1, b] as [any SQLExpressible]).contains(a))", #""a" IN (?, "b")"#, [1])
    try expect("\([1, 2].contains(a + 1))", #"("a" + ?) IN (?, ?)"#, [1, 1, 2])
    try expect("\((1..<3).contains(a))", #"("a" >= ?) AND ("a" < ?)"#, [1, 3])
    try expect("\((1...3).contains(a))", #""a" BETWEEN ? AND ?"#, [1, 3])
    try expect("\((1...).contains(a))", #""a" >= ?"#, [1])
    try expect("\((...3).contains(a))", #""a" <= ?"#, [3])
    try expect("\((..<3).contains(a))", #""a" < ?"#, [3])
    try expect("\(Book.select(id).contains(a))", #""a" IN (SELECT "id" FROM "book")"#)
    let request = SQLRequest<Int>("SELECT id FROM book WHERE year = \(3)")
    try expect("\(request.contains(a))", #""a" IN (SELECT id FROM book WHERE year = ?)"#, [3])
    try expect("\(!request.contains(a))", #""a" NOT IN (SELECT id FROM book WHERE year = ?)"#, [3])
  }

  @Test func aCollationIsThatOfTheWholeComparison() throws {
    try expect("\(a == b.collating(.nocase))", #""a" = "b" COLLATE NOCASE"#)
    try expect("\(a.collating(.nocase) < "x")", #""a" < ? COLLATE NOCASE"#, ["x"])
    try expect("\((a == "x").collating(.nocase))", #""a" = ? COLLATE NOCASE"#, ["x"])
    try expect("\((1...3).contains(a.collating(.nocase)))", #""a" BETWEEN ? AND ? COLLATE NOCASE"#, [1, 3])
    try expect("\(["x"].contains(a.collating(.nocase)))", #""a" = ? COLLATE NOCASE"#, ["x"])
    try expect("\(a.collating(.unicodeCompare) == 1)", #""a" = ? COLLATE swiftCompare"#, [1])
    try expect("\(a.collating(.nocase) == 1 && b)", #"("a" = ? COLLATE NOCASE) AND "b""#, [1])
  }

  @Test func aCollationStaysWhereItIsInOtherExpressions() throws {
    try expect("\([1, 2].contains(a.collating(.nocase)))", #"("a" COLLATE NOCASE) IN (?, ?)"#, [1, 2])
    try expect("\(a.collating(.nocase).like("x"))", #"("a" COLLATE NOCASE) LIKE ?"#, ["x"])
    try expect("\(a.collating(.nocase) + 1)", #"("a" COLLATE NOCASE) + ?"#, [1])
    try expect("\(a.collating(.nocase).desc)", #""a" COLLATE NOCASE DESC"#)
  }

  @Test func patterns() throws {
    try expect("\(a.like("%x%"))", #""a" LIKE ?"#, ["%x%"])
    try expect("\(a.like(b))", #""a" LIKE "b""#)
    try expect("\(a.like("%x%", escape: "\\"))", #""a" LIKE ? ESCAPE ?"#, ["%x%", "\\"])
  }

  @Test func functions() throws {
    try expect("\(abs(a))", #"ABS("a")"#)
    try expect("\(length(a + 1) > 3)", #"LENGTH("a" + ?) > ?"#, [1, 3])
    try expect("\(cast(a + b, as: .text))", #"CAST("a" + "b" AS TEXT)"#)
    try expect("\(cast(a, as: .integer) + 1)", #"CAST("a" AS INTEGER) + ?"#, [1])
    try expect("\((a ?? b) + 1)", #"IFNULL("a", "b") + ?"#, [1])
    try expect("\(a ?? 0)", #"IFNULL("a", ?)"#, [0])
    try expect("\(coalesce([a, b, 1]))", #"COALESCE("a", "b", ?)"#, [1])
    try expect("\(coalesce([a]))", #""a""#)
    try expect("\(coalesce([]))", "NULL")
    try expect("\(max(a, b))", #"MAX("a", "b")"#)
    try expect("\(min(a, 1, b))", #"MIN("a", ?, "b")"#, [1])
    try expect("\(a.lowercased)", #"swiftLowercaseString("a")"#)
    try expect("\(a.uppercased == "X")", #"swiftUppercaseString("a") = ?"#, ["X"])
    try expect("\(a.capitalized)", #"swiftCapitalizedString("a")"#)
    try expect("\(a.localizedLowercased)", #"swiftLocalizedLowercaseString("a")"#)
    try expect("\(a.localizedUppercased)", #"swiftLocalizedUppercaseString("a")"#)
    try expect("\(a.localizedCapitalized)", #"swiftLocalizedCapitalizedString("a")"#)
    let slug = DatabaseFunction("slug", argumentCount: 2) { $0[0] }
    try expect("\(slug(a, 1))", #"slug("a", ?)"#, [1])
  }

  @Test func aggregates() throws {
    try expect("\(count(a))", #"COUNT("a")"#)
    try expect("\(count(distinct: a))", #"COUNT(DISTINCT "a")"#)
    try expect("\(sum(a))", #"SUM("a")"#)
    try expect("\(total(a))", #"TOTAL("a")"#)
    try expect("\(average(a))", #"AVG("a")"#)
    try expect("\(min(a))", #"MIN("a")"#)
    try expect("\(max(a) + 1)", #"MAX("a") + ?"#, [1])
    try expect("\(max(a, filter: b == 1) > 3)", #"(MAX("a") FILTER (WHERE "b" = ?)) > ?"#, [1, 3])
    try expect("\(sum(a, filter: b))", #"SUM("a") FILTER (WHERE "b")"#)
    try expect("\(total(a, filter: b))", #"TOTAL("a") FILTER (WHERE "b")"#)
    try expect("\(average(a, filter: b))", #"AVG("a") FILTER (WHERE "b")"#)
    try expect("\(min(a, filter: b))", #"MIN("a") FILTER (WHERE "b")"#)
  }

  @Test func dates() throws {
    try expect(
      "\(dateTime(a, .hour(1), .minute(-5), .second(2.5), .day(-1), .month(2), .year(-1)))",
      #"DATETIME("a", ?, ?, ?, ?, ?, ?)"#,
      ["1 hours", "-5 minutes", "2.5 seconds", "-1 days", "2 months", "-1 years"])
    try expect(
      "\(julianDay(a, .startOfDay, .startOfMonth, .startOfYear, .weekday(1), .unixEpoch, .localTime, .utc))",
      #"JULIANDAY("a", ?, ?, ?, ?, ?, ?, ?)"#,
      ["start of day", "start of month", "start of year", "weekday 1", "unixepoch", "localtime", "utc"])
    let evening: SQLRequest<String> = "SELECT \(dateTime("2026-01-31 10:00".sqlExpression, .startOfMonth, .day(-1)))"
    #expect(try inMemory { try evening.fetchOne($0) } == "2025-12-31 00:00:00")
  }

  @Test func orderings() throws {
    try expect("\(a.asc)", #""a" ASC"#)
    try expect("\((a + 1).desc)", #""a" + ? DESC"#, [1])
    try expect("\(a.ascNullsLast)", #""a" ASC NULLS LAST"#)
    try expect("\(a.descNullsFirst)", #""a" DESC NULLS FIRST"#)
  }

  @Test func selections() throws {
    try expect("\((a + 1).forKey("next"))", #""a" + ? AS "next""#, [1])
    try expect("\(a.forKey(Book.CodingKeys.title))", #""a" AS "title""#)
    try expect("\(AllColumns())", "*")
    try expect("\(.rowID == 1)", #""rowid" = ?"#, [1])
  }

  @Test func rawSQL() throws {
    try expect(
      "foo(\(a), \(b + 1), \(nil as Int?), \([1, 2]))", #"foo("a", "b" + ?, NULL, (?,?))"#, [1, 1, 2])
    try expect("\(SQL("x = \(1)") && a)", #"(x = ?) AND "a""#, [1])
    try expect("\(SQL(sql: "x").desc)", "x DESC")
    try expect("\(length(SQL("x")))", "LENGTH(x)")
    try expect("\(true) \(Date(timeIntervalSince1970: 0))", "? ?", [1, "1970-01-01 00:00:00.000"])
  }

  @Test func tables() throws {
    try expect("\(Book.self) \(id) \(Book.CodingKeys.title)", #""book" "id" "title""#)
    try expect("\(tableOf: Book.self)", #""book""#)
    try expect("\(tableOf: try Book(row: ["id": 1, "title": ""]))", #""book""#)
    try expect("\(columnsOf: Book.self)", #""book".*"#)
    try expect("\(columnsOf: Book.self, tableAlias: "k")", #""k".*"#)
    try expect("\(Book.filter(id == 1))", #"SELECT * FROM "book" WHERE "id" = ?"#, [1])
    try expect("\(TableAlias(name: "zz")[id])", #""zz"."id""#)
  }

  @Test func aNameMayHaveQuotes() throws {
    try expect("\(Column("a\"b") == 1)", #""a""b" = ?"#, [1])
    try expect("\(Table("x\"y").filter(a == 1))", #"SELECT * FROM "x""y" WHERE "a" = ?"#, [1])
    try expect("\(a.forKey("n\"m"))", #""a" AS "n""m""#)
  }
}
