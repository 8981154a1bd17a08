import Testing
import Tidemark

/// Any sequence of names finds the same columns as a plain search.
@Suite struct ColumnLookupTests {
  private static func randomCase(_ name: String, _ generator: inout SeededRandom) -> String {
    String(name.map { Character(Bool.random(using: &generator) ? $0.uppercased() : $0.lowercased()) })
  }

  @Test(arguments: [3, 8, 9, 40])
  func columnLookupMatchesALinearSearch(columnCountMax: Int) throws {
    var generator = SeededRandom()
    let stems = ["a", "b", "id", "title", "été", "name", "x1", "ÿ", "long_column_name", "авто", "", " ", "a\"b"]
    try inMemory { db throws in
      for _ in 0..<60 {
        let names = (0..<Int.random(in: 1...columnCountMax, using: &generator)).map { _ in
          Self.randomCase(generator.pick(stems), &generator)
        }
        let columns = names.enumerated().map { "\($0.offset) AS \($0.element.quotedDatabaseIdentifier)" }
        let sql = "SELECT \(columns.joined(separator: ", "))"
        let start = Int.random(in: 0..<names.count, using: &generator)
        let end = Int.random(in: start...names.count, using: &generator)
        let cases: [(adapter: (any RowAdapter)?, names: [String], first: Int)] = [
          (nil, names, 0),
          (RangeRowAdapter(start..<end), Array(names[start..<end]), start),
          (RenameColumnAdapter { $0 + "!" }, names.map { $0 + "!" }, 0),
        ]
        for (adapter, shown, first) in cases {
          let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
          let live = try #require(try cursor.next())
          let copy = live.copy()
          for row in [live, copy] {
            for _ in 0..<40 {
              var name = Self.randomCase(generator.pick(stems), &generator)
              if adapter is RenameColumnAdapter, Bool.random(using: &generator) { name += "!" }
              let oracle = shown.firstIndex { $0.lowercased() == name.lowercased() }
              #expect(row[name] as Int? == oracle.map { $0 + first }, "\(name) in \(shown)")
              #expect(row.hasColumn(name) == (oracle != nil))
              #expect(try row.decode(Int?.self, forColumn: Column(name)) == oracle.map { $0 + first })
            }
            // In the order of the columns, and backwards: the lookup guesses the next column, rightly or wrongly.
            for (index, name) in Array(shown.enumerated()) + shown.enumerated().reversed() {
              let oracle = shown.firstIndex { $0.lowercased() == name.lowercased() } ?? index
              #expect(row[name] as Int == oracle + first, "\(name) in \(shown)")
            }
          }
        }
      }
    }
  }
}
