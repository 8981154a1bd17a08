import Synchronization
import Testing
import Tidemark
@testable import TidemarkEssentials

/// The index, compared with testing each region separately.
@Suite struct RegionIndexTests {
  private static let conditions = [
    "a = ?", "a IN (?, 3, 5)", "b > ?", "b BETWEEN ? AND 7", "a = ? AND b < 6", "id = ?", "a = ? OR b = 2", "c IS ?",
    "hex(c) > ?", "length(c) > ?", "a + 0 = ?", "a + b > ?", "a * 2 IN (?, 6, 8)", "lower(c) = ?",
    "abs(b) <= ? AND a = 3",
    // More expressions than are indexed.
    "a + ? > 12", "(a + ?) * b < 20", "b - ? = a", "b * ? IN (6, 8, a)", "a % (? + 1) = 1",
  ]

  @Test(arguments: 0..<5)
  func insertedRegionsAreFoundUntilRemoved(_ round: Int) throws {
    var generator = SeededRandom()
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)") }
    var regions: [DatabaseRegion] = []
    for _ in 0..<150 {
      let sql = "SELECT \(generator.pick(["*", "c", "id", "COUNT(*)"])) FROM t WHERE \(generator.pick(Self.conditions))"
      let argument = Int.random(in: 0..<10, using: &generator)
      regions.append(
        try queue.read { db in
          let statement = try db.makeStatement(sql: sql)
          statement.arguments = [argument]
          return statement.databaseRegion
        })
    }
    regions.append(.fullDatabase)

    let index = RegionIndex<Int>()
    let registrations = regions.enumerated().map { number, region in index.insert(region, number) }
    var inside = Set(regions.indices)
    let commits = Mutex<[CommittedChanges]>([])
    let subscription = queue.changeBroker.subscribe(index.needs) { changes in commits.withLock { $0.append(changes) } }
    for _ in 0..<60 {
      if let number = inside.randomElement(using: &generator), inside.count > 20 {
        index.remove(registrations[number], number)
        inside.remove(number)
      }
      let sql = generator.pick([
        "INSERT OR REPLACE INTO t VALUES (?, ?, ?, 'x')", "UPDATE t SET b = ?2, c = ?3 WHERE a = ?1",
        "UPDATE t SET a = ?3 WHERE id = ?1 + ?2 * 0", "DELETE FROM t WHERE a = ?1 AND b > ?2 + ?3 * 0",
      ])
      let arguments = StatementArguments((0..<3).map { _ in Int.random(in: 0..<10, using: &generator) })
      try queue.write { try $0.execute(sql: sql, arguments: arguments) }
      let told = commits.withLock { commits in
        defer { commits = [] }
        return commits
      }
      for changes in told {
        var found: Set<Int> = []
        for table in changes.tables { index.match(table) { found.insert($0) } }
        let touched = inside.filter { number in changes.rows.contains { regions[number].isModified(by: $0) } }
        let (missed, needless) = (touched.subtracting(found), found.subtracting(touched))
        #expect(missed.isEmpty, "\(sql) \(arguments): \(missed.map { regions[$0].debugDescription })")
        #expect(needless.isEmpty, "\(sql) \(arguments): \(needless.map { regions[$0].debugDescription })")
      }
    }
    subscription.cancel()
    for number in inside { index.remove(registrations[number], number) }
    #expect(index.needs.isEmpty)
  }

  @Test func indexNumbersAreReused() {
    var slots = Slots<String>()
    let (a, b) = (slots.insert("a"), slots.insert("b"))
    let removed = slots.remove(a)
    let c = slots.insert("c")
    #expect(removed == "a")
    #expect(c == a)
    #expect(slots[b] == "b")
    slots[c] += "d"
    var all: [String] = []
    slots.forEach { all.append($0) }
    #expect(all == ["cd", "b"])
    _ = (slots.remove(b), slots.remove(c))
    #expect(slots.isEmpty)
  }
}
