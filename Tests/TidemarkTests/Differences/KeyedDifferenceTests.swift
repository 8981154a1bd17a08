import Testing
import Tidemark

/// An element with an identity and a value.
private struct Item: Equatable, Identifiable {
  var id: Character
  var version = 0
}

/// The steps that transform one list of letters into another one.
@Suite struct KeyedDifferenceTests {
  private func items(_ ids: String) -> [Item] { ids.map { Item(id: $0) } }

  private func difference(_ old: String, _ new: String) -> KeyedDifference<Item> {
    items(new).keyedDifference(from: items(old))
  }

  @Test func equalListsHaveNoDifference() {
    #expect(difference("", "").isEmpty)
    #expect(difference("abc", "abc").isEmpty)
    #expect(!difference("abc", "abd").isEmpty)
  }

  @Test(arguments: [
    ("", "ab", [0, 1]), ("b", "abc", [0, 2]), ("ac", "abc", [1]), ("ad", "abcd", [1, 2]),
  ])
  func newElementsAreInserted(_ old: String, _ new: String, _ offsets: [Int]) {
    let difference = difference(old, new)
    #expect(difference.insertions.map(\.offset) == offsets)
    #expect(difference.removals.isEmpty && difference.moves.isEmpty && difference.updates.isEmpty)
  }

  @Test(arguments: [
    ("ab", "", [0, 1]), ("abc", "b", [0, 2]), ("abc", "ac", [1]), ("abcd", "ad", [1, 2]),
  ])
  func missingElementsAreRemoved(_ old: String, _ new: String, _ offsets: [Int]) {
    let difference = difference(old, new)
    #expect(difference.removals.map(\.offset) == offsets)
    #expect(difference.removals.map(\.element) == offsets.map { items(old)[$0] })
    #expect(difference.insertions.isEmpty && difference.moves.isEmpty && difference.updates.isEmpty)
  }

  @Test func replacedElementsAreRemovedAndInserted() {
    let difference = difference("abc", "axc")
    #expect(difference.removals.map(\.offset) == [1])
    #expect(difference.insertions.map(\.offset) == [1])
    #expect(difference.updates.isEmpty)
  }

  @Test(arguments: [
    ("abcd", "bcda", [0, 3]), ("abcd", "dabc", [3, 0]), ("abcd", "acbd", [1, 2]), ("xabcy", "xbcay", [1, 3]),
    // Together with insertions and removals.
    ("abcd", "xbca", [0, 3]),
  ])
  func overtakingElementsMoveAlone(_ old: String, _ new: String, _ offsets: [Int]) {
    let moves = difference(old, new).moves
    #expect(moves.map { [$0.oldOffset, $0.offset] } == [offsets])
  }

  @Test func moveCountIsMinimal() {
    #expect(difference("abcdef", "fabcde").moves.count == 1)
    #expect(difference("abcdef", "badcfe").moves.count == 3)
    #expect(difference("abcdef", "fedcba").moves.count == 5)
    #expect(difference("abcdef", "aebdcf").moves.count == 2)
  }

  @Test func changedElementsAreUpdatedAtTheirNewPosition() {
    let old = items("abcd")
    var new = items("xdabc")
    new[1].version = 1
    new[4].version = 2
    let difference = new.keyedDifference(from: old)
    #expect(difference.updates.map(\.offset) == [1, 4])
    #expect(difference.updates.map(\.oldOffset) == [3, 2])
    #expect(difference.updates.map(\.oldElement.version) == [0, 0])
    #expect(difference.updates.map(\.element.version) == [1, 2])
    #expect(difference.moves.map(\.oldOffset) == [3])
    #expect(difference.insertions.map(\.offset) == [0])
  }

  @Test func duplicateIdentifiersAreMatchedByPosition() {
    var old = items("aXa")
    old[2].version = 2
    var new = items("aaa")
    new[1].version = 2
    let difference = new.keyedDifference(from: old)
    #expect(difference.removals.map(\.element.id) == ["X"])
    #expect(difference.insertions.count == 1)
    var applied = old
    applied.apply(difference)
    #expect(applied == new)
  }

  @Test func identifiersCanBeComputed() {
    let difference = ["Ann", "BEN"].keyedDifference(from: ["ann", "carl"]) { $0.lowercased() }
    #expect(difference.updates.map(\.element) == ["Ann"])
    #expect(difference.removals.map(\.element) == ["carl"])
    #expect(difference.insertions.map(\.element) == ["BEN"])
  }

  @Test func differencesKnowBothCounts() {
    let difference = difference("abc", "dxac")
    #expect(difference.oldCount == 3)
    #expect(difference.count == 4)
  }

  @Test func applyingADifferenceOfAnotherListTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let difference = [1, 2].keyedDifference(from: [1, 2, 3]) { $0 }
      var list = [1, 2]
      list.apply(difference)
    }
    #expect(
      result.words.contains(
        "the difference starts from a list of 3 elements, but this list has 2: apply each difference")
    )
  }
}
