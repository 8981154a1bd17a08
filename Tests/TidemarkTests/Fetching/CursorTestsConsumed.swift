import Testing
import Tidemark

/// Methods that consume a cursor immediately.
@Suite struct ConsumedCursorTests {
  // MARK: Questions

  @Test func isEmptyConsumesOneElement() throws {
    let cursor = AnyCursor([1, 2])
    #expect(try !cursor.isEmpty)
    #expect(try cursor.next() == 2)
    #expect(try cursor.isEmpty)
  }

  @Test func containsConsumesThroughTheMatch() throws {
    let cursor = AnyCursor([1, 2, 3])
    #expect(try cursor.contains(2))
    #expect(try cursor.next() == 3)
  }

  @Test func containsIsFalseAtTheEnd() throws {
    #expect(try !AnyCursor([1, 2, 3]).contains(9))
    #expect(try !AnyCursor<Int>([]).contains(9))
  }

  @Test func containsWhereConsumesThroughTheMatch() throws {
    let cursor = AnyCursor([1, 2, 3])
    #expect(try cursor.contains { $0 > 1 })
    #expect(try cursor.next() == 3)
  }

  @Test func containsWhereIsFalseAtTheEnd() throws {
    #expect(try !AnyCursor([1, 2, 3]).contains { $0 > 3 })
  }

  @Test func firstWhereConsumesThroughTheMatch() throws {
    let cursor = AnyCursor([1, 2, 3])
    #expect(try cursor.first { $0 > 1 } == 2)
    #expect(try cursor.next() == 3)
  }

  @Test func firstWhereIsNilAtTheEnd() throws {
    #expect(try AnyCursor([1, 2, 3]).first { $0 > 3 } == nil)
  }

  // MARK: Many into one

  @Test func reduceCombinesFromTheLeft() throws {
    #expect(try AnyCursor([1, 2, 3]).reduce("0") { "\($0)-\($1)" } == "0-1-2-3")
  }

  @Test func reduceIntoUpdatesItsResult() throws {
    #expect(try AnyCursor([1, 2, 3]).reduce(into: [0]) { $0.append($1) } == [0, 1, 2, 3])
  }

  @Test func reduceOfAnEmptyCursorIsTheInitialResult() throws {
    #expect(try AnyCursor<Int>([]).reduce(7, +) == 7)
  }

  @Test func minAndMaxCompareElements() throws {
    #expect(try AnyCursor([2, 1, 3]).min() == 1)
    #expect(try AnyCursor([2, 1, 3]).max() == 3)
  }

  @Test func minAndMaxOfAnEmptyCursorAreNil() throws {
    #expect(try AnyCursor<Int>([]).min() == nil)
    #expect(try AnyCursor<Int>([]).max() == nil)
  }

  @Test func minAndMaxUseThePredicate() throws {
    #expect(try AnyCursor([2, 1, 3]).min(by: >) == 3)
    #expect(try AnyCursor([2, 1, 3]).max(by: >) == 1)
  }

  @Test func minAndMaxReturnTheFirstOfEquals() throws {
    let pairs = [("b", 1), ("a", 1), ("c", 2), ("d", 2)]
    #expect(try AnyCursor(pairs).min { $0.1 < $1.1 }?.0 == "b")
    #expect(try AnyCursor(pairs).max { $0.1 < $1.1 }?.0 == "c")
  }

  @Test func textsAreJoinedWithASeparator() throws {
    #expect(try AnyCursor(["a", "b", "", "c"]).joined(separator: ", ") == "a, b, , c")
    #expect(try AnyCursor("a b".split(separator: " ")).joined(separator: "-") == "a-b")
  }

  @Test func textsAreJoinedWithoutSeparator() throws {
    let text: String = try AnyCursor(["a", "b"]).joined()
    #expect(text == "ab")
  }

  @Test func joiningNoTextsGivesAnEmptyText() throws {
    #expect(try AnyCursor<String>([]).joined(separator: ", ") == "")
  }

  // MARK: Last elements

  @Test(arguments: [(0, []), (1, [3]), (2, [2, 3]), (3, [1, 2, 3]), (9, [1, 2, 3])])
  func suffixReturnsTheLastElements(_ example: (Int, [Int])) throws {
    let suffix: [Int] = try AnyCursor([1, 2, 3]).suffix(example.0)
    #expect(suffix == example.1)
  }

  @Test(arguments: [(0, [1, 2, 3]), (1, [1, 2]), (2, [1]), (3, []), (9, [])])
  func dropLastReturnsTheFirstElements(_ example: (Int, [Int])) throws {
    let rest: [Int] = try AnyCursor([1, 2, 3]).dropLast(example.0)
    #expect(rest == example.1)
  }

  @Test func dropLastDropsOneByDefault() throws {
    #expect(try AnyCursor([1, 2, 3]).dropLast() == [1, 2])
    #expect(try AnyCursor<Int>([]).dropLast().isEmpty)
  }

  @Test func suffixAcceptsAnyCount() throws {
    #expect(try AnyCursor([1, 2]).suffix(.max) == [1, 2])
    #expect(try AnyCursor([1, 2]).dropLast(.max).isEmpty)
  }
}
