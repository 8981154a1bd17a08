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
}
