import Testing
import Tidemark

/// Database values, and names of collations, where SQL wants an expression.
@Suite struct DatabaseValueExpressionTests {
  private let a = Column("a")

  private func sql(_ expression: some SQLSpecificExpressible) throws -> String {
    try inMemory { db in
      let (sql, arguments) = try SQL(expression).build(db)
      return "\(sql)  \(arguments)"
    }
  }

  @Test func aDatabaseValueStandsWhereAColumnDoes() throws {
    #expect(try sql(!true.databaseValue) == "?  [0]")
    #expect(try sql(DatabaseValue.null == a) == #""a" IS NULL  []"#)
    #expect(try sql(1.databaseValue != a) == #"? <> "a"  [1]"#)
    #expect(try sql(a > 1.databaseValue) == #""a" > ?  [1]"#)
    #expect(try sql([a, " ".databaseValue].joined(operator: .concat)) == #""a" || ?  [" "]"#)
  }

  @Test func aDatabaseValueFilters() throws {
    try inLibrary { db in
      #expect(try Table("book").filter(false.databaseValue).fetchCount(db) == 0)
      #expect(try Table("book").filter(true.databaseValue).fetchCount(db) == 3)
    }
  }

  @Test func theNameOfACollationIsInterpolated() throws {
    try inMemory { db in
      #expect(try ("ORDER BY name COLLATE \(.nocase)" as SQL).build(db).sql == "ORDER BY name COLLATE NOCASE")
      #expect(
        try ("ORDER BY name COLLATE \(DatabaseCollation.localizedCompare)" as SQL).build(db).sql
          == "ORDER BY name COLLATE swiftLocalizedCompare")
    }
  }

  @Test func theNameOfACollationIsNothingElse() throws {
    let collation = Database.CollationName(rawValue: "x\"; DROP TABLE book")
    #expect(try sql(a.collating(collation)) == #""a" COLLATE "x""; DROP TABLE book"  []"#)
  }
}
