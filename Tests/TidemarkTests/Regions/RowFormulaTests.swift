import Testing
import Tidemark

@testable import TidemarkEssentials

/// Formulas, evaluated for a row with the columns `a` and `b`.
@Suite struct RowFormulaTests {
  private static let (a, b) = (RowFormula.column("a"), RowFormula.column("b"))

  private static func function(_ function: RowFunction, _ column: String) -> RowFormula { .function(function, column) }

  private static func lowercase(_ comparison: ValueComparison) -> RowFormula {
    .comparison(comparison, function(.lower, "a"), function(.lower, "b"))
  }

  // swift-format-ignore
  @Test(arguments: [
    (.arithmetic(.remainder, a, b), "(a % b)", 7.databaseValue, 4.databaseValue, .integer(3)),
    (.arithmetic(.remainder, a, b), "(a % b)", 7.databaseValue, 0.databaseValue, .null),
    (.arithmetic(.quotient, a, b), "(a / b)", 7.databaseValue, 0.databaseValue, .null),
    (.comparison(.greater, a, b), "a > b", 2.databaseValue, 1.databaseValue, .integer(1)),
    (.comparison(.greater, a, b), "a > b", 1.databaseValue, .null, .null),
    (lowercase(.equal), "lower(a) = lower(b)", "X".databaseValue, "x".databaseValue, .integer(1)),
    (lowercase(.identical), "lower(a) is lower(b)", "X".databaseValue, "y".databaseValue, .integer(0)),
    (lowercase(.different), "lower(a) <> lower(b)", "X".databaseValue, "y".databaseValue, .integer(1)),
    (function(.abs, "a"), "abs(a)", (-5).databaseValue, .null, .integer(5)),
    (function(.length, "a"), "length(a)", "é€".databaseValue, .null, .integer(2)),
    // An e and an accent.
    (function(.length, "a"), "length(a)", "e\u{301}".databaseValue, .null, .integer(2)),
  ] as [(RowFormula, String, DatabaseValue, DatabaseValue, RowFormula.Outcome)])
  func `a formula has the value that SQLite computes`(
    formula: RowFormula, sql: String, a: DatabaseValue, b: DatabaseValue, outcome: RowFormula.Outcome
  ) throws {
    let value = formula.value { $0 == "a" ? a : b }
    #expect(formula.description == sql)
    #expect(formula.outcome { $0 == "a" ? a : b } == outcome)
    try inMemory { db in
      let row = try Row.fetchOne(db, sql: "SELECT \(sql) FROM (SELECT ? AS a, ? AS b)", arguments: [a, b])
      #expect(row?.databaseValues.first == value)
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    // The order of texts depends on the encoding of the database.
    (lowercase(.less), "a".databaseValue, "b".databaseValue),
    (lowercase(.greaterOrEqual), "a".databaseValue, "b".databaseValue),
    // SQLite throws an error.
    (function(.abs, "a"), Int64.min.databaseValue, .null),
    (.arithmetic(.remainder, a, b), Int64.min.databaseValue, (-1).databaseValue),
    // The bytes of a repaired text are unknown, and a NUL character ends a text.
    (function(.length, "a"), "a\u{FFFD}".databaseValue, .null),
    (function(.length, "a"), "a\0b".databaseValue, .null),
    (function(.lower, "a"), "A\u{FFFD}".databaseValue, .null),
    (function(.upper, "a"), "a\0b".databaseValue, .null),
    (.comparison(.equal, a, .parameter(1)), 1.databaseValue, .null),
  ] as [(RowFormula, DatabaseValue, DatabaseValue)])
  func `a value that is not certain is unknown`(formula: RowFormula, a: DatabaseValue, b: DatabaseValue) {
    #expect(formula.outcome { $0 == "a" ? a : b } == .unknown)
    #expect(formula.admits { $0 == "a" ? a : b } == nil)
  }

  @Test func `a formula without the value of its parameter is described by its index`() {
    let formula = RowFormula.comparison(.greater, .column("a"), .parameter(2))
    #expect(formula.description == "a > ?2")
    #expect(formula.with(parameters: [1.databaseValue, 5.databaseValue])?.description == "a > 5")
    #expect(formula.with(parameters: [1.databaseValue]) == nil)
  }
}
