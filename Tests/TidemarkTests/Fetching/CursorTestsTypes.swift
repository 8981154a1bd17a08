import Testing
import Tidemark

/// The types that programs can name, and the names that must remain the standard library's.
@Suite struct CursorTypeTests {
  typealias Base = AnyCursor<Int>

  private let base = Base([1, 2, 3])

  // MARK: Spelled types

  @Test func derivedCursorsHaveGRDBNames() throws {
    let _: MapCursor<Base, String> = base.map { "\($0)" }
    let _: FilterCursor<Base> = base.filter { $0 > 1 }
    let _: MapCursor<FilterCursor<MapCursor<Base, String?>>, String> = base.compactMap { "\($0)" }
    let _: EnumeratedCursor<Base> = base.enumerated()
    let _: DropFirstCursor<Base> = base.dropFirst()
    let _: DropFirstCursor<Base> = base.dropFirst(2)
    let _: DropWhileCursor<Base> = base.drop { $0 < 2 }
    let _: PrefixCursor<Base> = base.prefix(2)
    let _: PrefixWhileCursor<Base> = base.prefix { $0 < 2 }
    let _: FlattenCursor<MapCursor<Base, Base>> = base.flatMap { Base([$0]) }
    let _: FlattenCursor<MapCursor<Base, Base>> = base.flatMap { [$0] }
    let _: FlattenCursor<AnyCursor<Base>> = AnyCursor([base]).joined()
    let _: FlattenCursor<MapCursor<AnyCursor<[Int]>, Base>> = AnyCursor([[1]]).joined()
    let _: FlattenCursor<MapCursor<Base, Base>> = [1, 2].flatMap { Base([$0]) }
    let _: FlattenCursor<AnyCursor<Base>> = [base].joined()
  }

  @Test func textsAreJoinedIntoOneText() throws {
    let text = try AnyCursor(["a", "b"]).joined()
    #expect(type(of: text) == String.self)
  }

  // MARK: Generic code

  private func sum(_ cursor: some Cursor<Int>) throws -> Int {
    try cursor.filter { $0 != 2 }.map { $0 * 10 }.reduce(0, +)
  }

  private func texts<C: Cursor>(_ cursor: C) throws -> [String] where C.Element == Int {
    try Array(cursor.map { "\($0)" })
  }

  private func evenNumbers() -> some Cursor<Int> {
    base.filter { $0.isMultiple(of: 2) }
  }

  @Test func someCursorWorksInGenericCode() throws {
    #expect(try sum(AnyCursor([1, 2, 3])) == 40)
    #expect(try texts(AnyCursor([1, 2, 3])) == ["1", "2", "3"])
    #expect(try Array(evenNumbers()) == [2])
  }

  @Test func anyCursorWorksInGenericCode() throws {
    let cursors: [any Cursor<Int>] = [base, ScriptedCursor([1, 2, 3]), [1, 2, 3].flatMap { Base([$0]) }]
    for cursor in cursors {
      #expect(try cursor.next() == 1)
      #expect(try cursor.contains(2))
      #expect(try sum(cursor) == 30)
      #expect(try cursor.isEmpty)
    }
  }

  @Test func anyCursorFillsCollectionsAndCursors() throws {
    func numbers() -> any Cursor<Int> { AnyCursor([1, 2, 2]) }
    #expect(try Array(numbers()) == [1, 2, 2])
    #expect(try Set(numbers()) == [1, 2])
    #expect(try Dictionary(grouping: numbers(), by: { $0 }) == [1: [1], 2: [2, 2]])
    #expect(try Array(AnyCursor(numbers()).map { $0 + 1 }) == [2, 3, 3])
    var seen: [Int] = []
    try numbers().forEach { seen.append($0) }
    #expect(seen == [1, 2, 2])
  }

  // MARK: The standard library

  // No `try` below: these are not the methods of cursors.
  @Test func sequencesKeepTheirMethods() {
    #expect(type(of: [1, 2].map { $0 }) == [Int].self)
    #expect(type(of: [1, 2].filter { _ in true }) == [Int].self)
    #expect(type(of: [1, 2].compactMap { Int?.some($0) }) == [Int].self)
    #expect(type(of: [1, 2].flatMap { [$0] }) == [Int].self)
    #expect(type(of: [1, 2].lazy.map { $0 }) == LazyMapSequence<[Int], Int>.self)
    #expect(type(of: [[1], [2]].joined()) == FlattenSequence<[[Int]]>.self)
    #expect(["a", "b"].joined(separator: "-") == "a-b")
    #expect("abc".contains("a"))
    #expect([1, 2].contains(1) && [1, 2].prefix(1) == [1] && [1, 2].dropLast() == [1])
  }

  @Test func collectionsKeepTheirInitializers() {
    #expect(type(of: Set([1])) == Set<Int>.self)
    #expect(Array("ab") == ["a", "b"])
    #expect(String(["a", "b"] as [Character]) == "ab")
    #expect(Set([1]).union([2]) == [1, 2] && Set([1]).intersection([2]).isEmpty)
    #expect(Dictionary(grouping: [1, 2], by: { $0 }) == [1: [1], 2: [2]])
    #expect(Dictionary(uniqueKeysWithValues: [(1, 2)]) == [1: 2])
    #expect(Dictionary([(1, 2), (1, 3)], uniquingKeysWith: +) == [1: 5])
    var array = [1]
    array.append(contentsOf: [2])
    #expect(array == [1, 2])
  }
}
