import Synchronization
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The parts of regions that are found by the value of one column.
@Suite struct ColumnIndexTests {
  private let index = ColumnIndex(.column("a"))

  private func found(_ value: DatabaseValue?) -> [Int32] {
    var numbers: [Int32] = []
    index.find(value) { numbers.append($0) }
    return numbers.sorted()
  }

  @Test func partsAreFoundByTheirValues() {
    index.insert(.values([1.databaseValue, "x".databaseValue]), 1)
    index.insert(.values([(2.5).databaseValue]), 2)
    index.insert(.range(ValueRange(lower: .init(value: 2.databaseValue, isInclusive: true))), 3)
    #expect(found(1.databaseValue) == [1])
    #expect(found(0.databaseValue) == [])
    #expect(found((2.5).databaseValue) == [2, 3])
    // In SQLite, texts are greater than numbers.
    #expect(found("x".databaseValue) == [1, 3])
  }

  @Test func equalNumbersOfDifferentTypesAreOneValue() {
    index.insert((2.0).databaseValue, 1)
    index.insert(2.databaseValue, 2)
    #expect(found(2.databaseValue) == [1, 2])
    #expect(found((2.0).databaseValue) == [1, 2])
  }

  @Test func anUnknownValueFindsAllParts() {
    index.insert(.values([1.databaseValue]), 1)
    index.insert(.values(["x".databaseValue]), 2)
    index.insert(.range(ValueRange(lower: .init(value: 2.databaseValue, isInclusive: true))), 3)
    #expect(found(nil) == [1, 2, 3])
  }

  @Test(
    arguments: [
      .values([1.databaseValue]), .values(["x".databaseValue]),
      .range(ValueRange(upper: .init(value: 2.databaseValue, isInclusive: true))),
    ] as [ColumnFilter])
  func removedPartsAreNotFound(filter: ColumnFilter) {
    #expect(index.isEmpty)
    index.insert(filter, 1)
    index.insert(filter, 2)
    #expect(!index.isEmpty)
    index.remove(filter, 1)
    #expect(!index.isEmpty)
    #expect(found(nil) == [2])
    index.remove(filter, 2)
    #expect(index.isEmpty)
    #expect(found(nil) == [])
  }

  @Test func partsWithTheSameValueAreRemovedOneByOne() {
    for number in 1...4 { index.insert("x".databaseValue, Int32(number)) }
    index.remove("x".databaseValue, 2)
    #expect(found("x".databaseValue) == [1, 3, 4])
    for number in [4, 1] { index.remove("x".databaseValue, Int32(number)) }
    #expect(found("x".databaseValue) == [3])
  }

  @Test func theColumnIsFoundAgainWhenItHasMoved() throws {
    let queue = try DatabaseQueue()
    let region = try queue.write { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)")
      return try db.makeStatement(sql: "SELECT id FROM t WHERE b = 5").databaseRegion
    }
    let regions = RegionIndex<Int>()
    let registration = regions.insert(region, 1)
    let commits = Mutex<[CommittedChanges]>([])
    let subscription = queue.changeBroker.subscribe(regions.needs) { changes in
      commits.withLock { $0.append(changes) }
    }
    defer { subscription.cancel() }
    func isFound(after sql: String) throws -> Bool {
      commits.withLock { $0 = [] }
      try queue.write { try $0.execute(sql: sql) }
      var isFound = false
      for changes in commits.withLock({ $0 }) {
        for table in changes.tables { regions.match(table) { _ in isFound = true } }
      }
      return isFound
    }
    #expect(try isFound(after: "INSERT INTO t VALUES (1, 0, 5, 0)"))
    #expect(try !isFound(after: "INSERT INTO t VALUES (2, 5, 0, 5)"))
    try queue.write { try $0.execute(sql: "ALTER TABLE t DROP COLUMN a") }
    // The column c is now where b was.
    #expect(try isFound(after: "INSERT INTO t VALUES (3, 5, 0)"))
    #expect(try !isFound(after: "INSERT INTO t VALUES (4, 0, 5)"))
    regions.remove(registration, 1)
  }
}

/// Elements with reused numbers.
@Suite struct SlotsTests {
  @Test func removedElementsDoNotCount() {
    var slots = Slots<String>()
    let numbers = ["a", "b", "c"].map { slots.insert($0) }
    #expect(slots.count == 3)
    _ = slots.remove(numbers[1])
    #expect(slots.count == 2)
    var all: [String] = []
    slots.forEach { all.append($0) }
    #expect(all == ["a", "c"])
  }

  @Test func removedElementsAreReleased() {
    final class Element: Sendable {}
    var slots = Slots<Element>()
    var element: Element? = Element()
    weak let released = element
    let number = element.map { slots.insert($0) } ?? 0
    element = nil
    #expect(released != nil)
    _ = slots.remove(number)
    #expect(released == nil)
  }

  @Test func arraysThatGrowSparinglyHaveLittleUnusedMemory() {
    var array: [Int] = []
    var unused = 0.0
    for number in 0..<20_000 {
      array.appendSparingly(number)
      if number > 1000 { unused = max(unused, Double(array.capacity) / Double(array.count)) }
    }
    #expect(array == Array(0..<20_000))
    // An eighth, and some bytes of the allocator. An array that grows by itself doubles.
    #expect(unused < 1.3)
  }
}
