import Testing
import Tidemark

@testable import TidemarkEssentials

/// Text that SQLite rejects, so that no statement contains it.
@Suite struct RejectedTextTests {
  private static var binder: ConditionBinder {
    ConditionBinder(names: SourceNames(), number: { _ in .null }, parameterIndexes: [], isBuiltIn: { _ in true })
  }

  private static let occurrenceID = RowEquality.OccurrenceID(table: TableKey("t"), number: 0)

  @Test(arguments: ["0", "123", "0g", "é"])
  func `a malformed blob literal has an unknown value`(digits: String) throws {
    #expect(try Self.binder.constant(.constant(.blob(digits))) == nil)
    let condition = try Self.binder.bind(.constant(.blob(digits)), to: Self.occurrenceID)
    #expect(condition == .unknown)
    let negation = try Self.binder.bind(.not(.constant(.blob(digits))), to: Self.occurrenceID)
    #expect(negation == .unknown)
  }

  @Test func `a blob literal has the bytes of its digits`() throws {
    let constant = try Self.binder.constant(.constant(.blob("00fFa0")))
    let bytes = try inMemory { try DatabaseValue.fetchOne($0, sql: "SELECT x'00fFa0'") }
    #expect(constant == bytes.map { .value($0) })
  }

  @Test(arguments: ["PRAGMA", "PRAGMA ;"]) func `a pragma without a name reads nothing`(sql: String) {
    #expect(PragmaStatement(sql)?.region == DatabaseRegion())
  }

  @Test func `other statements are no pragmas`() {
    #expect(PragmaStatement("SELECT 1")?.region == nil)
    #expect(PragmaStatement("PRAGMA 'user_version")?.region == nil)
  }

  @Test func `a disjunction without conditions excludes no rows`() {
    let rows = RowCondition.any([]).rows(ConditionArguments(isTextOrderKnown: true))
    #expect(rows.filters == [.all])
    #expect(!rows.isExact)
  }
}
