import Testing
import Tidemark
@testable import TidemarkEssentials

/// A list optimized for one element, compared with an array.
@Suite struct ShortListTests {
  @Test func shortListsBehaveLikeArrays() {
    var generator = SeededRandom()
    var (list, array) = (ShortList<Int>(), [Int]())
    for number in 0..<500 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where !array.isEmpty:
        list.removeLast()
        array.removeLast()
      case 1 where !array.isEmpty:
        let place = Int.random(in: array.indices, using: &generator)
        list[place] = number
        array[place] = number
      default:
        if array.count > 5 { continue }
        list.append(number)
        array.append(number)
      }
      #expect(Array(list) == array)
      #expect(list.last == array.last)
    }
  }

  @Test func equalListsCompareEqual() {
    var (one, other) = (ShortList<Int>(), ShortList<Int>())
    for number in 1...3 {
      one.append(number)
      #expect(one != other)
      other.append(number)
      #expect(one == other)
    }
  }
}
