import Testing

@testable import TidemarkEssentials

@Suite struct IDTableTests {
  private typealias Table = IDTable<LiveQueryTag, [String]>

  @Test func `elements are found by their ids after the table has grown`() {
    var table = Table()
    let ids = (0..<100).map { table.insert(["\($0)"]) }
    let elements = ids.map { table[$0] }
    #expect(elements == (0..<100).map { ["\($0)"] })
  }

  @Test func `an element is changed in place`() {
    var table = Table()
    let id = table.insert(["a"])
    table[id].append("b")
    let element = table[id]
    #expect(element == ["a", "b"])
  }

  @Test func `the id of a removed element is not the id of the element that takes its slot`() {
    var table = Table()
    let first = table.insert(["first"])
    let removed = table.remove(first)
    let second = table.insert(["second"])
    let (containsFirst, containsSecond) = (table.contains(first), table.contains(second))
    #expect(removed == ["first"])
    #expect(!containsFirst && containsSecond)
    #expect(first != second && first.slot == second.slot)
  }

  @Test func `the ids and the count leave removed elements out`() {
    var table = Table()
    let ids = (0..<6).map { table.insert(["\($0)"]) }
    _ = table.remove(ids[1])
    _ = table.remove(ids[4])
    let (remaining, count, isEmpty) = (table.ids, table.count, table.isEmpty)
    #expect(remaining == [ids[0], ids[2], ids[3], ids[5]])
    #expect(count == 4 && !isEmpty)
  }

  @Test func `a removed element is released, and the others with the table`() {
    final class Object: Sendable {}
    weak var removed: Object?
    weak var remaining: Object?
    do {
      var table = IDTable<LiveQueryTag, Object>()
      let first = table.insert(Object())
      let second = table.insert(Object())
      (removed, remaining) = (table[first], table[second])
      _ = table.remove(first)
      #expect(removed == nil)
      let isRemaining = remaining != nil && table.contains(second)
      #expect(isRemaining)
    }
    #expect(remaining == nil)
  }
}
