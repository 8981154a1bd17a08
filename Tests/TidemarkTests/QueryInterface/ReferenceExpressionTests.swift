import Foundation
import Testing
import Tidemark

private typealias Book = Shelves.Book
private let (a, b, c, id, year) = (Column("a"), Column("b"), Column("c"), Column("id"), Column("year"))
private let title = Column("title")
private let nothing: Int? = nil

/// The expressions of the specification, and their siblings, with the SQL that it gives them.
@Suite struct ReferenceExpressionTests {
  // swift-format-ignore
  @Test(arguments: [
    // Equality
    (a == nothing, #""a" IS NULL"#, []),
    (nothing == a, #""a" IS NULL"#, []),
    (1 == a, #"? = "a""#, [1]),
    (true == a, #"? = "a""#, [1]),
    (a == true, #""a" = ?"#, [1]),
    (a == false, #""a" = ?"#, [0]),
    (a != true, #""a" <> ?"#, [1]),
    (false != a, #"? <> "a""#, [0]),
    (a === 1, #""a" IS ?"#, [1]),
    (1 === a, #"? IS "a""#, [1]),
    (nothing === a, #""a" IS NULL"#, []),
    (a !== nothing, #""a" IS NOT NULL"#, []),
    ((a == 1) == true, #"("a" = ?) = ?"#, [1, 1]),
    ((a == 1) == false, #"("a" = ?) = ?"#, [1, 0]),
    ((a == nil) == (b == nil), #"("a" IS NULL) = ("b" IS NULL)"#, []),
    (a == DatabaseValue.null, #""a" IS NULL"#, []),
    (DatabaseValue.null == a, #""a" IS NULL"#, []),
    // Negation
    (!(!a), #"NOT (NOT "a")"#, []),
    (!(a == 1), #""a" <> ?"#, [1]),
    (!(a != 1), #""a" = ?"#, [1]),
    (!(1 == a), #"? <> "a""#, [1]),
    (!(a == nothing), #""a" IS NOT NULL"#, []),
    (!(a !== b), #""a" IS "b""#, []),
    (!(a < 1), #"NOT ("a" < ?)"#, [1]),
    (!(a <= 1), #"NOT ("a" <= ?)"#, [1]),
    (!(a > 1), #"NOT ("a" > ?)"#, [1]),
    (!(a >= 1), #"NOT ("a" >= ?)"#, [1]),
    (!(a || b), #"NOT ("a" OR "b")"#, []),
    (!(a + b), #"NOT ("a" + "b")"#, []),
    (!abs(a), #"NOT ABS("a")"#, []),
    (!(a == 1).collating(.nocase), #""a" <> ? COLLATE NOCASE"#, [1]),
    (!a.like("x"), #""a" NOT LIKE ?"#, ["x"]),
    (!(1..<3).contains(a), #"NOT (("a" >= ?) AND ("a" < ?))"#, [1, 3]),
    (!Book.select(id).contains(a), #""a" NOT IN (SELECT "id" FROM "book")"#, []),
    (!SQL("a = \(1)"), "NOT (a = ?)", [1]),
    // Combination
    (a && (b && c), #""a" AND "b" AND "c""#, []),
    (a && (b || c), #""a" AND ("b" OR "c")"#, []),
    ((a || b) && c, #"("a" OR "b") AND "c""#, []),
    (a && true, #""a" AND ?"#, [1]),
    (true && a, #"? AND "a""#, [1]),
    (a == 1 && b, #"("a" = ?) AND "b""#, [1]),
    (!a && !b, #"(NOT "a") AND (NOT "b")"#, []),
    // Arithmetic
    (a + b + c, #"("a" + "b") + "c""#, []),
    (a + (b + c), #""a" + ("b" + "c")"#, []),
    (a - (b - c), #""a" - ("b" - "c")"#, []),
    (2 * a * 3, #"(? * "a") * ?"#, [2, 3]),
    (a * (a * a), #""a" * ("a" * "a")"#, []),
    (a / 2 + 1, #"("a" / ?) + ?"#, [2, 1]),
    (-a, #"-"a""#, []),
    (-(-a), #"-(-"a")"#, []),
    (a - -b, #""a" - (-"b")"#, []),
    (-(a == 1), #"-("a" = ?)"#, [1]),
    (~(a & b), #"~("a" & "b")"#, []),
    (~a | 1, #"(~"a") | ?"#, [1]),
    (1 << a, #"? << "a""#, [1]),
    ((a >> b) >> c, #"("a" >> "b") >> "c""#, []),
    (a & (b & c), #""a" & "b" & "c""#, []),
    (a | b & c, #""a" | ("b" & "c")"#, []),
    // Functions
    ((a ?? b) + 1, #"IFNULL("a", "b") + ?"#, [1]),
    (a + 1 ?? b, #"IFNULL("a" + ?, "b")"#, [1]),
    (coalesce([a]), #""a""#, []),
    (coalesce([a, 1]), #"COALESCE("a", ?)"#, [1]),
    (coalesce([]), "NULL", []),
    (abs(a + 1), #"ABS("a" + ?)"#, [1]),
    (length(a) > 3, #"LENGTH("a") > ?"#, [3]),
    (cast(a + b, as: .text), #"CAST("a" + "b" AS TEXT)"#, []),
    (cast(a, as: .real) / 2, #"CAST("a" AS REAL) / ?"#, [2]),
    (max(a, b), #"MAX("a", "b")"#, []),
    (max(a, 1, b + 1), #"MAX("a", ?, "b" + ?)"#, [1, 1]),
    (max(a, filter: b == 1) > 3, #"(MAX("a") FILTER (WHERE "b" = ?)) > ?"#, [1, 3]),
    (average(a / 2, filter: b > 0), #"AVG("a" / ?) FILTER (WHERE "b" > ?)"#, [2, 0]),
    (count(distinct: a) + 1, #"COUNT(DISTINCT "a") + ?"#, [1]),
    (julianDay(a, .day(-1)), #"JULIANDAY("a", ?)"#, ["-1 days"]),
    // Membership
    ([Int]().contains(a), "?", [0]),
    ([1].contains(a), #""a" = ?"#, [1]),
    ([nothing].contains(a), #""a" IS NULL"#, []),
    ([1, 2].contains(a + b), #"("a" + "b") IN (?, ?)"#, [1, 2]),
    ([b, c].contains(a), #""a" IN ("b", "c")"#, []),
    ([b + 1, c].contains(a), #""a" IN ("b" + ?, "c")"#, [1]),
    ((1..<3).contains(a + 1), #"(("a" + ?) >= ?) AND (("a" + ?) < ?)"#, [1, 1, 1, 3]),
    ((1...3).contains(a + 1), #"("a" + ?) BETWEEN ? AND ?"#, [1, 1, 3]),
    ([1, 2].contains(a) == true, #"("a" IN (?, ?)) = ?"#, [1, 2, 1]),
    (Book.select(id).contains(a) && b, #"("a" IN (SELECT "id" FROM "book")) AND "b""#, []),
    (Book.all().exists() || a, #"(EXISTS (SELECT * FROM "book")) OR "a""#, []),
    (Book.select(max(year)) == a, #"(SELECT MAX("year") FROM "book") = "a""#, []),
    (a > Book.select(max(year)), #""a" > (SELECT MAX("year") FROM "book")"#, []),
    // Texts
    (a.like("%x%", escape: "\\"), #""a" LIKE ? ESCAPE ?"#, ["%x%", "\\"]),
    (a.like(b) == true, #"("a" LIKE "b") = ?"#, [1]),
    ((a + b).like("x"), #"("a" + "b") LIKE ?"#, ["x"]),
    (a == b.collating(.nocase), #""a" = "b" COLLATE NOCASE"#, []),
    (a.collating(.nocase) == b.collating(.binary), #""a" = "b" COLLATE NOCASE"#, []),
    (a.collating(.nocase) + b, #"("a" COLLATE NOCASE) + "b""#, []),
    (max(a.collating(.nocase), b), #"MAX("a" COLLATE NOCASE, "b")"#, []),
    (cast(a, as: .text).collating(.rtrim) < b, #"CAST("a" AS TEXT) < "b" COLLATE RTRIM"#, []),
    // SQL
    (SQL("x = \(1)") && a, #"(x = ?) AND "a""#, [1]),
    (SQL("x") + 1, "(x) + ?", [1]),
    (SQL("\(a) \(sql: "IN") \([1, 2])") || b, #"("a" IN (?,?)) OR "b""#, [1, 2]),
    (length(SQL("x")), "LENGTH(x)", []),
  ] as [(SQLExpression, String, StatementArguments)])
  func anExpressionPrints(expression: SQLExpression, sql: String, arguments: StatementArguments) throws {
    let built = try inMemory { try SQL(expression).build($0) }
    #expect(built.sql == sql)
    #expect(built.arguments == arguments)
  }

  // swift-format-ignore
  @Test(arguments: [
    (Book.filter(year == 1 || Column("isRare")).filter(title == "x"),
      #"SELECT * FROM "book" WHERE (("year" = ?) OR "isRare") AND ("title" = ?)"#, [1, "x"]),
    (Book.filter(sql: "year = 1 OR isRare").filter(title == "x"),
      #"SELECT * FROM "book" WHERE (year = 1 OR isRare) AND ("title" = ?)"#, ["x"]),
    (Book.filter(title == 1 && id == 2).filter(year == 3),
      #"SELECT * FROM "book" WHERE ("title" = ?) AND ("id" = ?) AND ("year" = ?)"#, [1, 2, 3]),
    (Book.filter(key: ["id": nil]), #"SELECT * FROM "book" WHERE "id" IS NULL"#, []),
    (Book.filter(key: nil as Int?), #"SELECT * FROM "book" WHERE ?"#, [0]),
    (Book.filter(keys: [1, 2]), #"SELECT * FROM "book" WHERE "id" IN (?, ?)"#, [1, 2]),
    (Book.none(), #"SELECT * FROM "book" WHERE ?"#, [0]),
    (Book.select((year + 1).forKey("next")), #"SELECT "year" + ? AS "next" FROM "book""#, [1]),
    (Book.select(.allColumns(excluding: ["year", "ISRARE"])), #"SELECT "id", "title", "authorId" FROM "book""#, []),
    (Book.select(literal: "id, \(year + 1) AS n"), #"SELECT id, "year" + ? AS n FROM "book""#, [1]),
    (Book.select(SQL("\(year) * 2").forKey("dbl")), #"SELECT "year" * 2 AS "dbl" FROM "book""#, []),
    (Book.select(count(id), max(year).forKey("m")), #"SELECT COUNT("id"), MAX("year") AS "m" FROM "book""#, []),
    (Book.annotated(with: (year + 1).forKey("next")), #"SELECT *, "year" + ? AS "next" FROM "book""#, [1]),
    (Book.select(id).select(year), #"SELECT "year" FROM "book""#, []),
    (Book.select(year).distinct(), #"SELECT DISTINCT "year" FROM "book""#, []),
    (Book.all().distinct(), #"SELECT DISTINCT * FROM "book""#, []),
    (Book.select(.allColumns).distinct().order(year), #"SELECT DISTINCT * FROM "book" ORDER BY "year""#, []),
    (Book.select(year, count(id)).group(year), #"SELECT "year", COUNT("id") FROM "book" GROUP BY "year""#, []),
    (Book.all().group(sql: "year").having(sql: "COUNT(*) > ?", arguments: [1]),
      #"SELECT * FROM "book" GROUP BY year HAVING COUNT(*) > ?"#, [1]),
    (Book.all().group(year).having(count(id) > 1).having(max(id) < 9),
      #"SELECT * FROM "book" GROUP BY "year" HAVING (COUNT("id") > ?) AND (MAX("id") < ?)"#, [1, 9]),
    (Book.order(year).order(id.desc), #"SELECT * FROM "book" ORDER BY "id" DESC"#, []),
    (Book.order(year.collating(.nocase).desc), #"SELECT * FROM "book" ORDER BY "year" COLLATE NOCASE DESC"#, []),
    (Book.order(-year, abs(id)).reversed(), #"SELECT * FROM "book" ORDER BY -"year" DESC, ABS("id") DESC"#, []),
    (Book.order(year).unordered(), #"SELECT * FROM "book""#, []),
    (Book.order(sql: "year DESC").limit(2), #"SELECT * FROM "book" ORDER BY year DESC LIMIT 2"#, []),
    (Book.limit(3, offset: 5), #"SELECT * FROM "book" LIMIT 3 OFFSET 5"#, []),
  ] as [(QueryInterfaceRequest<Book>, String, StatementArguments)])
  private func aRequestPrints(request: QueryInterfaceRequest<Book>, sql: String, arguments: StatementArguments) throws {
    try inShelves { db in try db.expectSQL(request, sql, arguments) }
  }
}
