import Testing

import Tidemark
@testable import TidemarkEssentials

private enum Columns: String, ColumnExpression { case id }

private enum Keys: String, CodingKey, ColumnExpression { case id }

private enum Grape: String, DatabaseValueConvertible { case merlot }

@Suite struct RawRepresentableTests {
  @Test func rawRepresentableColumnsAreColumns() throws {
    for expression in [
      Columns.id.sqlExpression, Keys.id.sqlExpression, (Columns.id as any SQLExpressible).sqlExpression,
    ] {
      guard case .column("id", _) = expression.node else {
        Issue.record("\(expression)")
        continue
      }
    }
  }

  @Test func rawRepresentableValuesAreArguments() throws {
    for expression in [Grape.merlot.sqlExpression, (Grape.merlot as any SQLExpressible).sqlExpression] {
      guard case .value(let value) = expression.node else {
        Issue.record("\(expression)")
        continue
      }
      #expect(value == "merlot".databaseValue)
    }
    #expect(try bound(Grape.merlot) == "'merlot'")
  }
}
