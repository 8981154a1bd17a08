import Testing
import Tidemark

/// Cursors derived from cursors: their elements, and when they read them.
@Suite struct DerivedCursorTests {
  // MARK: Elements

  @Test(arguments: Walk.allCases)
  func mapTransformsElements(by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3]).map { $0 * 10 }, how) == ["10", "20", "30"])
  }

  @Test(arguments: Walk.allCases)
  func compactMapSkipsNils(by how: Walk) {
    #expect(walk(AnyCursor(["1", "x", "3"]).compactMap { Int($0) }, how) == ["1", "3"])
  }

  @Test func compactMapUnwrapsOneLevel() throws {
    let cursor = AnyCursor([1, 2, 3]).compactMap { $0 == 2 ? nil : Optional.some($0 == 3 ? nil : $0) as Int?? }
    #expect(try Array(cursor) as [Int?] == [1, nil])
  }

  @Test(arguments: Walk.allCases)
  func filterSkipsExcludedElements(by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3]).filter { $0 != 2 }, how) == ["1", "3"])
  }

  @Test(arguments: Walk.allCases)
  func enumeratedCountsFromZero(by how: Walk) {
    #expect(walk(AnyCursor(["a", "b"]).enumerated(), how) == [#"(0, "a")"#, #"(1, "b")"#])
  }

  @Test func enumeratedContinuesFromNextToForEach() throws {
    let cursor = AnyCursor(["a", "b", "c", "d"]).enumerated()
    _ = try cursor.next()
    var seen: [Int] = []
    #expect(throws: StepFailure.self) {
      try cursor.forEach { index, element in
        seen.append(index)
        if element == "b" { throw StepFailure() }
      }
    }
    try cursor.forEach { index, _ in seen.append(index) }
    #expect(seen == [1, 2, 3])
  }

  @Test(
    arguments: [(0, ["1", "2", "3"]), (1, ["2", "3"]), (3, []), (9, [])], Walk.allCases)
  func dropFirstSkipsACount(_ example: (Int, [String]), by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3]).dropFirst(example.0), how) == example.1)
  }

  @Test func dropFirstSkipsOneByDefault() throws {
    #expect(try Array(AnyCursor([1, 2, 3]).dropFirst()) == [2, 3])
  }

  @Test(arguments: Walk.allCases)
  func dropWhileTestsNothingAfterItsEnd(by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3, 1]).drop { $0 < 2 }, how) == ["2", "3", "1"])
  }

  @Test func dropWhileCanDropEverything() throws {
    #expect(try Array(AnyCursor([1, 2]).drop { _ in true }).isEmpty)
  }

  @Test(
    arguments: [(0, []), (1, ["1"]), (3, ["1", "2", "3"]), (9, ["1", "2", "3"])], Walk.allCases)
  func prefixLimitsTheCount(_ example: (Int, [String]), by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3]).prefix(example.0), how) == example.1)
  }

  @Test(arguments: Walk.allCases)
  func prefixWhileEndsPermanently(by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 1]).prefix { $0 < 2 }, how) == ["1"])
  }

  @Test(arguments: Walk.allCases)
  func flatMapFlattensSequences(by how: Walk) {
    #expect(walk(AnyCursor([0, 2, 0, 1, 0]).flatMap { 0..<$0 }, how) == ["0", "1", "0"])
  }

  @Test(arguments: Walk.allCases)
  func flatMapFlattensCursors(by how: Walk) {
    #expect(walk(AnyCursor([0, 2, 0, 1, 0]).flatMap { AnyCursor(0..<$0) }, how) == ["0", "1", "0"])
  }

  @Test func flatMapOfASequenceFlattensCursors() throws {
    #expect(try Array([0, 2, 1].flatMap { AnyCursor(0..<$0) }) == [0, 1, 0])
  }

  @Test func joinedFlattensSequences() throws {
    #expect(try Array(AnyCursor([[1, 2], [], [3]]).joined()) == [1, 2, 3])
  }

  @Test func joinedFlattensCursors() throws {
    #expect(try Array(AnyCursor([AnyCursor([1, 2]), AnyCursor([]), AnyCursor([3])]).joined()) == [1, 2, 3])
  }

  @Test func joinedOfASequenceFlattensCursors() throws {
    #expect(try Array([AnyCursor([1, 2]), AnyCursor([3])].joined()) == [1, 2, 3])
  }

  // MARK: When they ask for it

  /// All kinds of derived cursors, with functions that keep all elements.
  static let derivations: [NamedFunction<ScriptedCursor, AnyCursor<Int>>] = [
    .init("map") { AnyCursor($0.map { $0 }) },
    .init("compactMap") { AnyCursor($0.compactMap { $0 }) },
    .init("filter") { AnyCursor($0.filter { _ in true }) },
    .init("enumerated") { AnyCursor($0.enumerated().map { $1 }) },
    .init("dropFirst") { AnyCursor($0.dropFirst(0)) },
    .init("drop(while:)") { AnyCursor($0.drop { _ in false }) },
    .init("prefix") { AnyCursor($0.prefix(100)) },
    .init("prefix(while:)") { AnyCursor($0.prefix { _ in true }) },
    .init("flatMap to a sequence") { AnyCursor($0.flatMap { [$0] }) },
    .init("flatMap to a cursor") { AnyCursor($0.flatMap { AnyCursor([$0]) }) },
  ]

  @Test(arguments: derivations)
  func derivedCursorsAreLazy(_ derived: NamedFunction<ScriptedCursor, AnyCursor<Int>>) throws {
    let base = ScriptedCursor([1, 2, 3])
    let cursor = try derived.call(base)
    #expect(base.stepCount == 0)
    #expect(try cursor.next() == 1)
    #expect(base.stepCount == 1)
  }

  @Test(arguments: derivations)
  func derivedEmptyCursorsStayEmpty(_ derived: NamedFunction<ScriptedCursor, AnyCursor<Int>>) throws {
    let cursor = try derived.call(ScriptedCursor([]))
    #expect(try cursor.next() == nil)
    #expect(try cursor.next() == nil)
  }

  @Test(arguments: derivations, Walk.allCases)
  func derivedCursorsContinueAfterABaseError(
    _ derived: NamedFunction<ScriptedCursor, AnyCursor<Int>>, by how: Walk
  ) throws {
    let cursor = try derived.call(ScriptedCursor([.failure, 1, .failure, .failure, 2, .failure]))
    #expect(walk(cursor, how) == ["failure", "1", "failure", "failure", "2", "failure"])
  }

  @Test func theBaseContinuesAfterAPrefix() throws {
    let base = ScriptedCursor([1, 2, 3])
    #expect(try Array(base.prefix(1)) == [1])
    #expect(base.stepCount == 1)
    #expect(try base.next() == 2)
  }

  @Test func aPrefixOfZeroConsumesNothing() throws {
    let base = ScriptedCursor([1])
    #expect(try base.prefix(0).next() == nil)
    #expect(base.stepCount == 0)
  }

  @Test func prefixWhileConsumesTheElementThatEndsIt() throws {
    let base = AnyCursor([1, 2, 3])
    #expect(try Array(base.prefix { $0 < 2 }) == [1])
    #expect(try base.next() == 3)
  }

  // MARK: Negative counts

  @Test func dropFirstOfANegativeCountTraps() async throws {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = AnyCursor([1]).dropFirst(-1)
    }
    #expect(try #require(exit).says("The number of dropped elements must not be negative: -1"))
  }

  @Test func prefixOfANegativeCountTraps() async throws {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = AnyCursor([1]).prefix(-1)
    }
    #expect(try #require(exit).says("The length of a prefix must not be negative: -1"))
  }

  @Test func suffixOfANegativeCountTraps() async throws {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try AnyCursor([1]).suffix(-1)
    }
    #expect(try #require(exit).says("The number of last elements must not be negative: -1"))
  }

  @Test func dropLastOfANegativeCountTraps() async throws {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try AnyCursor([1]).dropLast(-1)
    }
    #expect(try #require(exit).says("The number of last elements must not be negative: -1"))
  }
}
