import Testing
import Tidemark

/// Collections made from cursors.
@Suite struct CursorCollectionTests {
  // MARK: Arrays

  @Test func collectionsAreMadeFromCursors() throws {
    #expect(try Array(AnyCursor([1, 2])) == [1, 2])
    #expect(try ContiguousArray(AnyCursor([1, 2])) == [1, 2])
    #expect(try ArraySlice(AnyCursor([1, 2])) == [1, 2])
    #expect(try String(AnyCursor(["a", "b"] as [Character])) == "ab")
    #expect(try Array(AnyCursor<Int>([])).isEmpty)
  }

  @Test func collectionsReserveTheirMinimumCapacity() throws {
    let collection = try ReservingCollection(AnyCursor([1, 2]), minimumCapacity: 100)
    #expect(collection.reservations == [.init(capacity: 100, count: 0)])
    #expect(Array(collection) == [1, 2])
  }

  @Test func collectionsReserveNothingByDefault() throws {
    #expect(try ReservingCollection(AnyCursor([1, 2])).reservations.isEmpty)
  }

  @Test func arraysReserveTheirMinimumCapacity() throws {
    #expect(try Array(AnyCursor([1, 2]), minimumCapacity: 100).capacity >= 100)
    #expect(try Array(AnyCursor([1, 2]), minimumCapacity: 0) == [1, 2])
  }

  /// A collection that records the requested capacities.
  private struct ReservingCollection: RangeReplaceableCollection {
    struct Reservation: Equatable {
      let capacity: Int
      let count: Int
    }

    private var elements: [Int] = []
    var reservations: [Reservation] = []

    init() {}
    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }
    subscript(position: Int) -> Int { elements[position] }
    func index(after position: Int) -> Int { position + 1 }

    mutating func append(_ element: Int) { elements.append(element) }

    mutating func replaceSubrange(_ range: Range<Int>, with new: some Collection<Int>) {
      elements.replaceSubrange(range, with: new)
    }

    mutating func reserveCapacity(_ capacity: Int) {
      reservations.append(Reservation(capacity: capacity, count: count))
    }
  }

  @Test func arraysAppendCursors() throws {
    var array = [1]
    try array.append(contentsOf: AnyCursor([2, 3]))
    #expect(array == [1, 2, 3])
  }

  @Test func arraysKeepElementsBeforeAnError() throws {
    var array = [1]
    #expect(throws: StepFailure.self) { try array.append(contentsOf: ScriptedCursor([2, .failure, 3])) }
    #expect(array == [1, 2])
  }

  // MARK: Sets

  @Test func setsAreMadeFromCursors() throws {
    #expect(try Set(AnyCursor([1, 2, 1])) == [1, 2])
  }

  @Test(arguments: [0, 1, 100])
  func setsReserveTheirMinimumCapacity(_ capacity: Int) throws {
    let expected = Set<Int>(minimumCapacity: capacity)
    #expect(try Set(AnyCursor<Int>([]), minimumCapacity: capacity).capacity == expected.capacity)
    #expect(try Set(AnyCursor([1, 2, 1]), minimumCapacity: capacity) == [1, 2])
  }

  @Test func unionLeavesTheSetUnchanged() throws {
    let set: Set = [1, 2]
    #expect(try set.union(AnyCursor([2, 3])) == [1, 2, 3])
    #expect(set == [1, 2])
  }

  @Test func setsInsertCursors() throws {
    var set: Set = [1, 2]
    try set.formUnion(AnyCursor([2, 3]))
    #expect(set == [1, 2, 3])
  }

  @Test func setsKeepElementsBeforeAnError() throws {
    var set: Set = [1]
    #expect(throws: StepFailure.self) { try set.formUnion(ScriptedCursor([2, .failure, 3])) }
    #expect(set == [1, 2])
  }

  @Test func intersectionKeepsCommonElements() throws {
    let set: Set = [1, 2, 3]
    #expect(try set.intersection(AnyCursor([3, 2, 2, 9])) == [2, 3])
    #expect(try set.intersection(AnyCursor([])).isEmpty)
  }

  @Test func formIntersectionKeepsCommonElements() throws {
    var set: Set = [1, 2, 3]
    try set.formIntersection(AnyCursor([3, 2, 2, 9]))
    #expect(set == [2, 3])
  }

  @Test func failingCursorLeavesTheSetUnchanged() throws {
    var set: Set = [1, 2, 3]
    #expect(throws: StepFailure.self) { try set.formIntersection(ScriptedCursor([2, .failure, 3])) }
    #expect(set == [1, 2, 3])
  }

  @Test func existingMembersAreKept() throws {
    let members: Set = [Version(1, "member")]
    #expect(try members.union(AnyCursor([Version(1, "new")])).first?.name == "member")
    #expect(try members.intersection(AnyCursor([Version(1, "new")])).first?.name == "member")
  }

  /// Equal to all elements with the same number, whatever their names.
  private struct Version: Hashable {
    let number: Int
    let name: String

    init(_ number: Int, _ name: String) {
      self.number = number
      self.name = name
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  // MARK: Dictionaries

  @Test func groupsKeepTheCursorsOrder() throws {
    let groups = try Dictionary(grouping: AnyCursor(["ant", "bee", "ape", "cat", "asp"]), by: { $0.first })
    #expect(groups == ["a": ["ant", "ape", "asp"], "b": ["bee"], "c": ["cat"]])
  }

  @Test func nonsendableElementsAreGrouped() throws {
    let groups = try Dictionary(grouping: AnyCursor([1, 2, 3].map(Box.init)), by: \.isOdd)
    #expect(groups[true]?.map(\.value) == [1, 3])
    #expect(groups[false]?.map(\.value) == [2])
  }

  private final class Box {
    var value: Int
    var isOdd: Bool { value % 2 == 1 }
    init(_ value: Int) { self.value = value }
  }

  @Test func dictionariesAreMadeFromUniqueKeys() throws {
    #expect(try Dictionary(uniqueKeysWithValues: AnyCursor([("a", 1), ("b", 2)])) == ["a": 1, "b": 2])
    #expect(try Dictionary(uniqueKeysWithValues: AnyCursor(["a", "b"]).enumerated()) == [0: "a", 1: "b"])
  }

  @Test func nilValuesAreStored() throws {
    let values = try Dictionary(uniqueKeysWithValues: AnyCursor([("a", nil), ("b", 2)] as [(String, Int?)]))
    #expect(values == ["a": nil, "b": 2])
  }

  @Test func duplicateKeysTrap() async throws {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Dictionary(uniqueKeysWithValues: AnyCursor([("a", 1), ("b", 2), ("a", 3)]))
    }
    #expect(try #require(exit).says("Duplicate values for key: 'a'"))
  }

  @Test func duplicateKeysWithNilTrap() async throws {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let pairs: [(Int, String?)] = [(1, nil), (1, nil)]
      _ = try Dictionary(minimumCapacity: 2, uniqueKeysWithValues: AnyCursor(pairs))
    }
    #expect(try #require(exit).says("Duplicate values for key: '1'"))
  }

  @Test func duplicateValuesAreCombinedInOrder() throws {
    let pairs = [("a", "1"), ("b", "2"), ("a", "3"), ("a", "4")]
    let expected = ["a": "134", "b": "2"]
    #expect(try Dictionary(AnyCursor(pairs), uniquingKeysWith: +) == expected)
    #expect(try Dictionary(minimumCapacity: 9, AnyCursor(pairs), uniquingKeysWith: +) == expected)
  }

  @Test(arguments: [0, 1, 100])
  func dictionariesReserveTheirMinimumCapacity(_ capacity: Int) throws {
    let expected = [Int: Int](minimumCapacity: capacity).capacity
    let none = AnyCursor<(Int, Int)>([])
    #expect(try Dictionary(minimumCapacity: capacity, grouping: none, by: { $0.0 }).capacity == expected)
    #expect(try Dictionary(minimumCapacity: capacity, uniqueKeysWithValues: none).capacity == expected)
    #expect(try Dictionary(minimumCapacity: capacity, none, uniquingKeysWith: +).capacity == expected)
  }

  @Test func dictionariesWithCapacityHaveAllElements() throws {
    let groups = try Dictionary(minimumCapacity: 9, grouping: AnyCursor([1, 2, 3]), by: { $0 % 2 })
    #expect(groups == [0: [2], 1: [1, 3]])
    #expect(try Dictionary(minimumCapacity: 9, uniqueKeysWithValues: AnyCursor([(1, 2)])) == [1: 2])
  }
}
