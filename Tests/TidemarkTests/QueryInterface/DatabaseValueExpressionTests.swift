import Testing
import Tidemark

/// Database values and collations as SQL expressions.
@Suite struct DatabaseValueExpressionTests {
  private let a = Column("a")

  private func sql(_ expression: some SQLSpecificExpressible) throws -> String {
    try inMemory { db in
      let (sql, arguments) = try SQL(expression).build(db)
      return "\(sql)  \(arguments)"
    }
  }

  @Test func databaseValuesActAsExpressions() throws {
    #expect(try sql(!true.databaseValue) == "?  [0]")
    #expect(try sql(DatabaseValue.null == a) == #""a" IS NULL  []"#)
    #expect(try sql(1.databaseValue != a) == #"? <> "a"  [1]"#)
    #expect(try sql(a > 1.databaseValue) == #""a" > ?  [1]"#)
    #expect(try sql([a, " ".databaseValue].joined(operator: .concat)) == #""a" || ?  [" "]"#)
  }

  @Test func databaseValuesFilter() throws {
    try inLibrary { db in
      let counts = try [false, true].map { try Table("book").filter($0.databaseValue).fetchCount(db) }
      #expect(counts == [0, 3])
    }
  }

  @Test func collationNamesAreInterpolated() throws {
    try inMemory { db in
      let literals: [SQL] = ["COLLATE \(.nocase)", "COLLATE \(DatabaseCollation.localizedCompare)"]
      let texts = try literals.map { try $0.build(db).sql }
      #expect(texts == ["COLLATE NOCASE", "COLLATE swiftLocalizedCompare"])
    }
  }

  @Test func collationNamesAreQuoted() throws {
    let collation = Database.CollationName(rawValue: "x\"; DROP TABLE book")
    #expect(try sql(a.collating(collation)) == #""a" COLLATE "x""; DROP TABLE book"  []"#)
  }
}
