import Testing

@testable import Tidemark
@testable import TidemarkEssentials

/// Rows are put in the order in which SQLite sorts them.
@Suite struct RowOrderTests {
  private static let values = [
    "NULL", "0", "-1", "1", "1.0", "1.5", "9223372036854775807", "9.3e18", "-9.3e18", "-0.0", "1e300", "''", "' '",
    "'a'", "'A'", "'a '", "'b'", "'B '", "'ab'", "'AB'", "'_'", "'Z'", "'é'", "'É'", "'😀'", "x''", "x'00'", "x'61'",
    "x'ff'",
  ]

  private static let terms: [RowOrder.Term] = [
    .init(), .init(isDescending: true), .init(collation: .nocase), .init(collation: .nocase, isDescending: true),
    .init(collation: .rtrim), .init(collation: .rtrim, isDescending: true),
  ]

  @Test(arguments: terms, terms)
  func orderMatchesSQLite(_ first: RowOrder.Term, _ second: RowOrder.Term) throws {
    var generator = SeededRandom(function: "orderMatchesSQLite")
    var order = RowOrder(terms: [first, second])
    order.isKeyDescending = Bool.random(using: &generator)
    func sql(_ column: String, _ term: RowOrder.Term) -> String {
      "\(column) COLLATE \(term.collation)\(term.isDescending ? " DESC" : "")"
    }
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
      for _ in 0..<300 {
        try db.execute(
          sql: "INSERT INTO t (a, b) VALUES (\(generator.pick(Self.values)), \(generator.pick(Self.values)))")
      }
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT id, a, b FROM t
          ORDER BY \(sql("a", first)), \(sql("b", second)), id \(order.isKeyDescending ? "DESC" : "")
          """)
      var keys = OrderedKeys(order)
      let areBehind = rows.map { keys.append($0[0], [$0["a"], $0["b"]]) }
      #expect(areBehind.allSatisfy { $0 })
    }
  }

  @Test func textsWithUnknownOrderAreRefused() {
    var keys = OrderedKeys(RowOrder(terms: [RowOrder.Term()]))
    let texts = ["a\u{0}b", "repaired \u{FFFD}"]
    let areBehind = texts.map { keys.append(1, [$0.databaseValue]) }
    #expect(areBehind == [false, false])
    #expect(keys.count == 0)
  }

  @Test func outOfOrderRowsAreNotAppended() {
    var keys = OrderedKeys(RowOrder(terms: [RowOrder.Term()]))
    let rows: [(Int64, Int)] = [(1, 5), (2, 5), (2, 5), (1, 4), (3, 6)]
    let areBehind = rows.map { keys.append($0, [$1.databaseValue]) }
    #expect(areBehind == [true, true, false, false, true])
  }

  /// Compared with an array that is sorted again after each change.
  @Test(arguments: [10, 5_000])
  func rowsAreFoundAtTheirPosition(_ countMax: Int) {
    var generator = SeededRandom(function: "rowsAreFoundAtTheirPosition")
    let order = RowOrder(terms: [RowOrder.Term(isDescending: true)])
    var keys = OrderedKeys(order)
    var rows: [(key: Int64, value: Int)] = []
    var slots: [Int64] = []
    for step in 0..<12_000 {
      let (key, value) = (
        Int64.random(in: 0..<Int64(countMax), using: &generator), Int.random(in: 0..<50, using: &generator)
      )
      if let slot = keys.slot(of: key) {
        #expect(slots[slot] == key)
        keys.remove(at: slot)
        slots.swapAt(slot, slots.count - 1)
        slots.removeLast()
        rows.removeAll { $0.key == key }
      } else {
        keys.insert(key, [value.databaseValue])
        slots.append(key)
        let position = rows.firstIndex { ($0.value, -$0.key) < (value, -key) } ?? rows.count
        rows.insert((key, value), at: position)
        if keys.rank(of: key, [value.databaseValue]) != position {
          Issue.record("Row \(key) does not stand at \(position)")
        }
      }
      if step % 1_000 == 0 {
        var found: [Int64] = []
        keys.forEachSlot { found.append(keys.key(at: $0)) }
        #expect(found == rows.map(\.key))
      }
    }
  }
}
