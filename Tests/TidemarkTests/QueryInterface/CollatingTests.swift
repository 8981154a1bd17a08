import Testing
import Tidemark

private let name = Column("name")
private let other = Column("other")

/// The position of a collation in SQL, and the comparison to which it applies.
@Suite struct CollatingTests {
  private static let names: SQLRequest<String> = "SELECT 'arthur'"

  // swift-format-ignore
  @Test(arguments: [
    (["a", "b"].contains(name).collating(.nocase), #"("name" COLLATE NOCASE) IN (?, ?)"#, ["a", "b"]),
    (["a", "b"].contains(name.collating(.nocase)), #"("name" COLLATE NOCASE) IN (?, ?)"#, ["a", "b"]),
    ((["a", "b"] as ContiguousArray).contains(name).collating(.nocase),
      #"("name" COLLATE NOCASE) IN (?, ?)"#, ["a", "b"]),
    (["a"].contains(name).collating(.nocase), #""name" = ? COLLATE NOCASE"#, ["a"]),
    (!(["a", "b"].contains(name)).collating(.nocase), #"("name" COLLATE NOCASE) NOT IN (?, ?)"#, ["a", "b"]),
    (!(["a", "b"].contains(name).collating(.nocase)), #"("name" COLLATE NOCASE) NOT IN (?, ?)"#, ["a", "b"]),
    ((["a", other] as [any SQLExpressible]).contains(name).collating(.nocase),
      #"("name" COLLATE NOCASE) IN (?, "other")"#, ["a"]),
    (names.contains(name).collating(.nocase), #"("name" COLLATE NOCASE) IN (SELECT 'arthur')"#, []),
    (names.contains(name.collating(.nocase)), #"("name" COLLATE NOCASE) IN (SELECT 'arthur')"#, []),
    (("a"..<"m").contains(name).collating(.nocase),
      #"("name" >= ? COLLATE NOCASE) AND ("name" < ? COLLATE NOCASE)"#, ["a", "m"]),
    (("a"..<"m").contains(name.collating(.nocase)),
      #"("name" >= ? COLLATE NOCASE) AND ("name" < ? COLLATE NOCASE)"#, ["a", "m"]),
    (!("a"..<"m").contains(name).collating(.nocase),
      #"NOT (("name" >= ? COLLATE NOCASE) AND ("name" < ? COLLATE NOCASE))"#, ["a", "m"]),
    ((!("a"..<"m").contains(name)).collating(.nocase),
      #"NOT (("name" >= ? COLLATE NOCASE) AND ("name" < ? COLLATE NOCASE))"#, ["a", "m"]),
    (("a"..."m").contains(name).collating(.nocase), #"("name" COLLATE NOCASE) BETWEEN ? AND ?"#, ["a", "m"]),
    (("a"..."m").contains(name.collating(.nocase)), #"("name" COLLATE NOCASE) BETWEEN ? AND ?"#, ["a", "m"]),
    (!("a"..."m").contains(name.collating(.nocase)), #"("name" COLLATE NOCASE) NOT BETWEEN ? AND ?"#, ["a", "m"]),
    (("a"...).contains(name).collating(.nocase), #""name" >= ? COLLATE NOCASE"#, ["a"]),
    ((..."m").contains(name).collating(.nocase), #""name" <= ? COLLATE NOCASE"#, ["m"]),
    ((..<"m").contains(name.collating(.nocase)), #""name" < ? COLLATE NOCASE"#, ["m"]),
    ((name == "a" || name == other).collating(.nocase),
      #"("name" = ? COLLATE NOCASE) OR ("name" = "other" COLLATE NOCASE)"#, ["a"]),
    ((name && other).collating(.nocase), #""name" AND "other" COLLATE NOCASE"#, []),
    ((name.collating(.nocase) == "a") == other, #"("name" = ? COLLATE NOCASE) = "other""#, ["a"]),
    (other == (name.collating(.nocase) < "a"), #""other" = ("name" < ? COLLATE NOCASE)"#, ["a"]),
    (!(name.collating(.nocase) < "a"), #"NOT ("name" < ? COLLATE NOCASE)"#, ["a"]),
    ((!(name == "a")).collating(.nocase) == other, #"("name" <> ? COLLATE NOCASE) = "other""#, ["a"]),
    ((name == "a").collating(.localizedCompare), #""name" = ? COLLATE swiftLocalizedCompare"#, ["a"]),
  ] as [(SQLExpression, String, StatementArguments)])
  func collationsAreAppendedToComparisons(
    expression: SQLExpression, sql: String, arguments: StatementArguments
  ) throws {
    let built = try inMemory { try SQL(expression).build($0) }
    #expect(built.sql == sql)
    #expect(built.arguments == arguments)
  }

  /// What each of them finds among `Arthur`, `barbara` and `Craig`.
  @Test(
    arguments: [
      (["arthur", "BARBARA"].contains(name).collating(.nocase), ["Arthur", "barbara"]),
      (["arthur"].contains(name).collating(.nocase), ["Arthur"]),
      (("ARTHUR"..<"c").contains(name).collating(.nocase), ["Arthur", "barbara"]),
      (("B"..."CRAIG").contains(name).collating(.nocase), ["barbara", "Craig"]),
      (("a"..."b").contains(name.collating(.nocase)), ["Arthur"]),
      (SQLRequest<String>(sql: "SELECT 'CRAIG'").contains(name).collating(.nocase), ["Craig"]),
      (!["arthur", "BARBARA"].contains(name).collating(.nocase), ["Craig"]),
      ((name.collating(.nocase) == "arthur") == true, ["Arthur"]),
      ((name.collating(.nocase) == "arthur") != (name.collating(.nocase) == "CRAIG"), ["Arthur", "Craig"]),
      (!(name.collating(.nocase) < "B"), ["barbara", "Craig"]),
    ] as [(SQLExpression, [String])])
  func collationsDetermineMatchingRows(condition: SQLExpression, found: [String]) throws {
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('Arthur'), ('barbara'), ('Craig')")
      #expect(try Table("t").filter(condition).select(name, as: String.self).fetchAll(db) == found)
    }
  }
}
