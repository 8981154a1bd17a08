import Testing
import Tidemark

/// An element with an identity and a value.
private struct Item: Equatable, Identifiable {
  var id: Int
  var version: Int
}

/// Differences of random lists transform one list into the other, without unneeded steps.
@Suite struct DifferenceOracleTests {
  @Test(arguments: [false, true])
  func applyingADifferenceYieldsTheNewList(_ mayRepeat: Bool) {
    var generator = SeededRandom()
    var list: [Item] = []
    var stepCount = 0
    for _ in 0..<20_000 {
      let next = generator.next(after: list, mayRepeat: mayRepeat)
      let difference = next.keyedDifference(from: list)
      let comeCount = difference.insertions.count + difference.moves.count
      if !mayRepeat {
        #expect(difference.moves.count == Self.leastMoveCount(list, next))
        #expect(Set(difference.removals.map(\.element.id)).isDisjoint(with: difference.insertions.map(\.element.id)))
      }
      #expect(difference.oldCount - difference.removals.count - difference.moves.count == next.count - comeCount)
      #expect(difference.count == next.count)
      #expect(difference.isEmpty == (list == next))
      #expect(difference.updates.allSatisfy { $0.oldElement == list[$0.oldOffset] && $0.element == next[$0.offset] })
      stepCount += difference.removals.count + difference.insertions.count + difference.moves.count
      list.apply(difference)
      guard list == next else {
        Issue.record("\(list) instead of \(next) by \(difference)")
        return
      }
    }
    #expect(stepCount > 10_000)
  }

  /// The largest number of common elements that need not move: the longest common subsequence, computed by a slow,
  /// simple algorithm.
  private static func leastMoveCount(_ old: [Item], _ new: [Item]) -> Int {
    let places = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.id, $0) })
    let common = new.compactMap { places[$0.id] }
    var runs: [Int] = []
    for (place, number) in common.enumerated() {
      let before = (0..<place).filter { common[$0] < number }.map { runs[$0] }
      runs.append(1 + (before.max() ?? 0))
    }
    return common.count - (runs.max() ?? 0)
  }
}

extension SeededRandom {
  /// A list derived from another one: elements are removed, inserted, moved or updated, or all of these.
  fileprivate mutating func next(after list: [Item], mayRepeat: Bool) -> [Item] {
    var list = list
    for _ in 0..<Int.random(in: 0...3, using: &self) {
      switch Int.random(in: 0..<12, using: &self) {
      case 0..<4 where list.count < 16:
        let id = Int.random(in: 0..<20, using: &self)
        if !mayRepeat, list.contains(where: { $0.id == id }) { continue }
        list.insert(Item(id: id, version: 0), at: Int.random(in: 0...list.count, using: &self))
      case 4..<6 where !list.isEmpty:
        list.remove(at: Int.random(in: list.indices, using: &self))
      case 6..<9 where !list.isEmpty:
        let element = list.remove(at: Int.random(in: list.indices, using: &self))
        list.insert(element, at: Int.random(in: 0...list.count, using: &self))
      case 9..<11 where !list.isEmpty:
        list[Int.random(in: list.indices, using: &self)].version += 1
      case 11 where Int.random(in: 0..<4, using: &self) == 0:
        list.shuffle(using: &self)
      default:
        continue
      }
    }
    return list
  }
}
