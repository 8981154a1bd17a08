import Testing

import Tidemark
@testable import TidemarkEssentials

/// The index of ranges, compared with a list of ranges.
@Suite struct IntervalIndexTests {
  private func randomValue(_ generator: inout SeededRandom) -> DatabaseValue {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: .null
    case 1: "text\(Int.random(in: 0..<20, using: &generator))".databaseValue
    case 2: (Double(Int.random(in: -30..<30, using: &generator)) / 2).databaseValue
    default: Int.random(in: -20..<20, using: &generator).databaseValue
    }
  }

  private func randomRange(_ generator: inout SeededRandom) -> ValueRange {
    func bound() -> ValueRange.Bound? {
      let value = randomValue(&generator)
      if value.isNull || Int.random(in: 0..<5, using: &generator) == 0 { return nil }
      return ValueRange.Bound(value: value, isInclusive: Bool.random(using: &generator))
    }
    return ValueRange(lower: bound(), upper: bound())
  }

  /// IDs are reused, or never.
  @Test(arguments: [10_000, 30])
  func intervalIndexMatchesALinearSearch(idCount: Int) {
    var generator = SeededRandom()
    for _ in 0..<20 {
      var index = IntervalIndex<Int>()
      var list: [Int: ValueRange] = [:]
      for number in 0..<400 {
        let step = number % idCount
        if list[step] == nil, Int.random(in: 0..<3, using: &generator) > 0 {
          let range = randomRange(&generator)
          index.insert(range, step)
          list[step] = range
        } else if let removed = list.keys.randomElement(using: &generator) {
          index.remove(removed)
          list[removed] = nil
        }
        let value = randomValue(&generator)
        var found: [Int] = []
        index.find(value) { found.append($0) }
        #expect(found.sorted() == list.filter { $0.value.contains(value) }.keys.sorted())
        #expect(index.count == list.count)
      }
    }
  }

  @Test func repairedTextsAreFoundByAllPossibleRanges() {
    var index = IntervalIndex<Int>()
    index.insert(ValueRange(lower: .init(value: "a".databaseValue, isInclusive: true)), 1)
    index.insert(ValueRange(upper: .init(value: "b".databaseValue, isInclusive: true)), 2)
    var found: Set<Int> = []
    index.find("\u{FFFD}".databaseValue) { found.insert($0) }
    #expect(found == [1, 2])
  }

  @Test func `a repaired text finds all ranges that were not removed`() {
    var index = IntervalIndex<Int>()
    for id in 1...3 {
      index.insert(ValueRange(lower: .init(value: "a".databaseValue, isInclusive: true)), id)
    }
    index.insert(ValueRange(upper: .init(value: 7.databaseValue, isInclusive: true)), 4)
    index.remove(2)
    var found: Set<Int> = []
    index.find("\u{FFFD}".databaseValue) { found.insert($0) }
    #expect(found == [1, 3, 4])
  }

  @Test func `all current ranges are enumerated`() {
    var index = IntervalIndex<Int>()
    for id in 0..<10 { index.insert(ValueRange(lower: .init(value: id.databaseValue, isInclusive: true)), id) }
    for id in [2, 5] { index.remove(id) }
    var all: [Int] = []
    index.forEach { all.append($0) }
    #expect(all.sorted() == [0, 1, 3, 4, 6, 7, 8, 9])
    #expect(index.count == 8)
  }

  @Test func `an index without ranges finds nothing`() {
    var index = IntervalIndex<Int>()
    index.insert(ValueRange(), 1)
    index.remove(1)
    var found: [Int] = []
    index.find(1.databaseValue) { found.append($0) }
    index.forEach { found.append($0) }
    #expect(found.isEmpty && index.count == 0)
  }

  @Test func `an ID that is used again stands for its last range`() {
    var index = IntervalIndex<Int>()
    // The others keep the removed range in the index.
    for id in 1...5 { index.insert(ValueRange(lower: .init(value: 100.databaseValue, isInclusive: true)), id) }
    index.insert(ValueRange(upper: .init(value: 0.databaseValue, isInclusive: true)), 0)
    index.remove(0)
    index.insert(ValueRange(upper: .init(value: 10.databaseValue, isInclusive: true)), 0)
    var found: [Int] = []
    index.find((-1).databaseValue) { found.append($0) }
    index.find(5.databaseValue) { found.append($0) }
    #expect(found == [0, 0])
  }
}
