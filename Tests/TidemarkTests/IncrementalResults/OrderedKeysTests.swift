import Testing

@testable import TidemarkEssentials

/// The order of the rows of a long result, which consists of groups of rows.
@Suite struct OrderedKeysTests {
  /// Rows from 1 on, sorted by a value that is equal to the key.
  private static func keys(_ count: Int64) throws -> OrderedKeys {
    var keys = OrderedKeys(RowOrder(terms: [RowOrder.Term()]))
    for key in 1...count {
      let isBehind = keys.append(key, [key.databaseValue])
      try #require(isBehind)
    }
    return keys
  }

  private static func ranks(_ rows: [Int64], in keys: OrderedKeys) -> [Int] {
    rows.map { keys.rank(of: $0, [$0.databaseValue]) }
  }

  @Test func `rows are found at their positions after whole groups of rows were removed`() throws {
    var keys = try Self.keys(3_000)
    for key in Int64(401)...1_700 { keys.remove(at: try #require(keys.slot(of: key))) }
    #expect(Self.ranks([1, 400, 1_000, 1_701, 3_000], in: keys) == [0, 399, 400, 400, 1_699])
  }
}
