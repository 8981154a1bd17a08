import Testing

import Tidemark
@testable import TidemarkEssentials

/// The index of ranges, compared with a list of ranges.
@Suite struct IntervalIndexTests {
  private func randomValue(_ chance: inout Chance) -> DatabaseValue {
    switch Int.random(in: 0..<10, using: &chance) {
    case 0: .null
    case 1: "text\(Int.random(in: 0..<20, using: &chance))".databaseValue
    case 2: (Double(Int.random(in: -30..<30, using: &chance)) / 2).databaseValue
    default: Int.random(in: -20..<20, using: &chance).databaseValue
    }
  }

  private func randomRange(_ chance: inout Chance) -> ValueRange {
    func bound() -> ValueRange.Bound? {
      let value = randomValue(&chance)
      if value.isNull || Int.random(in: 0..<5, using: &chance) == 0 { return nil }
      return ValueRange.Bound(value: value, isInclusive: Bool.random(using: &chance))
    }
    return ValueRange(lower: bound(), upper: bound())
  }

  /// IDs are reused, or never.
  @Test(arguments: [10_000, 30])
  func itFindsWhatAListFinds(idCount: Int) {
    var chance = Chance()
    for _ in 0..<20 {
      var index = IntervalIndex<Int>()
      var list: [Int: ValueRange] = [:]
      for number in 0..<400 {
        let step = number % idCount
        if list[step] == nil, Int.random(in: 0..<3, using: &chance) > 0 {
          let range = randomRange(&chance)
          index.insert(range, step)
          list[step] = range
        } else if let removed = list.keys.randomElement(using: &chance) {
          index.remove(removed)
          list[removed] = nil
        }
        let value = randomValue(&chance)
        var found: [Int] = []
        index.find(value) { found.append($0) }
        #expect(found.sorted() == list.filter { $0.value.contains(value) }.keys.sorted())
        #expect(index.count == list.count)
      }
    }
  }

  @Test func aTextThatWasRepairedIsFoundByAllRangesThatMayHoldIt() {
    var index = IntervalIndex<Int>()
    index.insert(ValueRange(lower: .init(value: "a".databaseValue, isInclusive: true)), 1)
    index.insert(ValueRange(upper: .init(value: "b".databaseValue, isInclusive: true)), 2)
    var found: Set<Int> = []
    index.find("\u{FFFD}".databaseValue) { found.insert($0) }
    #expect(found == [1, 2])
  }
}

/// The commits that running fetches may have missed.
@Suite struct CommitLogTests {
  @Test func aFetchIsToldOfTheCommitsSinceItBegan() {
    var log = CommitLog<String>()
    log.append(ShortList(["early"]), rowCount: 1, isUnknown: false)
    let number = log.begin()
    log.append(ShortList(["a", "b"]), rowCount: 2, isUnknown: false)
    #expect(log.contains(after: number) { $0 == "b" })
    #expect(!log.contains(after: number) { $0 == "early" })
    log.end(number)
  }

  @Test func aCommitOfWhichNothingIsKnownTouchesEverything() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(), rowCount: 0, isUnknown: true)
    #expect(log.contains(after: number) { _ in false })
  }

  @Test func whoAsksForWhatWasThrownAwayIsToldYes() {
    var log = CommitLog<String>(commitCountMax: 2)
    let first = log.begin()
    for _ in 0..<3 { log.append(ShortList(["x"]), rowCount: 1, isUnknown: false) }
    let second = log.begin()
    #expect(log.contains(after: first) { _ in false })
    #expect(!log.contains(after: second) { _ in false })
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    #expect(!log.contains(after: second) { _ in false })
    #expect(log.contains(after: second) { _ in true })
  }

  @Test func itIsBoundedByRows() {
    var log = CommitLog<String>(rowCountMax: 10)
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 11, isUnknown: false)
    #expect(log.contains(after: number) { _ in false })
  }

  @Test func nothingIsKeptWhenNobodyFetches() {
    var log = CommitLog<String>()
    let number = log.begin()
    log.append(ShortList(["x"]), rowCount: 1, isUnknown: false)
    log.end(number)
    let later = log.begin()
    #expect(!log.contains(after: later) { _ in true })
    #expect(log.contains(after: number) { _ in false })
  }
}
