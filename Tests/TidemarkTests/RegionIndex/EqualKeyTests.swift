import Testing
import Tidemark

@testable import TidemarkEssentials

/// Regions are found by values of any class that SQLite considers equal, and by no others.
@Suite struct EqualKeyTests {
  private static let large: Int64 = 9_007_199_254_740_993  // 2^53 + 1: no double is equal.

  private static let pairs: [(String, DatabaseValue, DatabaseValue, isFound: Bool)] = [
    ("an integer by itself", 1.databaseValue, 1.databaseValue, true),
    ("an integer by its double", 1.databaseValue, 1.0.databaseValue, true),
    ("a double by its integer", 1.0.databaseValue, 1.databaseValue, true),
    ("zero by its negative", 0.databaseValue, (-0.0).databaseValue, true),
    ("a double by itself", 1.5.databaseValue, 1.5.databaseValue, true),
    ("a double by the integer before", 1.5.databaseValue, 1.databaseValue, false),
    ("a large integer by the double beside", large.databaseValue, Double(large).databaseValue, false),
    ("the last integer by the double behind", Int64.max.databaseValue, Double(Int64.max).databaseValue, false),
    ("the first integer by its double", Int64.min.databaseValue, Double(Int64.min).databaseValue, true),
    ("an integer by its text", 1.databaseValue, "1".databaseValue, false),
    ("a text by itself", "1".databaseValue, "1".databaseValue, true),
  ]

  @Test(arguments: pairs.indices)
  func equalValuesFindTheSameRegions(_ number: Int) throws {
    let (name, wanted, written, isFound) = Self.pairs[number]
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)") }
    let region = try dbQueue.read { db in
      let statement = try db.makeStatement(sql: "SELECT id FROM t WHERE a = ?")
      statement.arguments = [wanted]
      return statement.databaseRegion
    }
    let index = RegionIndex<Int>()
    let registration = index.insert(region, 7)
    let found = Mutex<[Int]>([])
    let subscription = dbQueue.changeBroker.subscribe(index.needs) { changes in
      for table in changes.tables { index.match(table) { id in found.withLock { $0.append(id) } } }
    }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: [written]) }
    #expect(found.withLock { $0 } == (isFound ? [7] : []), "\(name)")
    index.remove(registration, 7)
    #expect(index.needs.isEmpty)
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: [written]) }
    #expect(found.withLock { $0.count } == (isFound ? 1 : 0), "\(name), taken out")
    subscription.cancel()
  }
}
