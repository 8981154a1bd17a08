import Testing
import Tidemark

/// Closures that throw: the caller receives the error, one element is lost, and iteration can continue.
@Suite struct CursorErrorTests {
  /// Throws for the number 2.
  private static func notTwo<T>(_ number: Int, _ result: T) throws -> T {
    if number == 2 { throw StepFailure() }
    return result
  }

  @Test(arguments: Walk.allCases)
  func mapContinuesAfterAnError(by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3]).map { try Self.notTwo($0, $0) }, how) == ["1", "failure", "3"])
  }

  @Test(arguments: Walk.allCases)
  func compactMapContinuesAfterAnError(by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3]).compactMap { try Self.notTwo($0, $0) }, how) == ["1", "failure", "3"])
  }

  @Test(arguments: Walk.allCases)
  func filterContinuesAfterAnError(by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3]).filter { try Self.notTwo($0, true) }, how) == ["1", "failure", "3"])
  }

  @Test(arguments: Walk.allCases)
  func flatMapToSequencesContinuesAfterAnError(by how: Walk) {
    let cursor = AnyCursor([1, 2, 3]).flatMap { try Self.notTwo($0, [$0, $0]) }
    #expect(walk(cursor, how) == ["1", "1", "failure", "3", "3"])
  }

  @Test(arguments: Walk.allCases)
  func flatMapToCursorsContinuesAfterAnError(by how: Walk) {
    let cursor = AnyCursor([1, 2, 3]).flatMap { try Self.notTwo($0, AnyCursor([$0, $0])) }
    #expect(walk(cursor, how) == ["1", "1", "failure", "3", "3"])
  }

  @Test(arguments: Walk.allCases)
  func flatMapOfASequenceContinuesAfterAnError(by how: Walk) {
    let cursor = [1, 2, 3].flatMap { try Self.notTwo($0, AnyCursor([$0])) }
    #expect(walk(cursor, how) == ["1", "failure", "3"])
  }

  @Test(arguments: Walk.allCases)
  func joinedContinuesInsideAFailedCursor(by how: Walk) {
    let cursor = AnyCursor([ScriptedCursor([1, .failure, 3]), ScriptedCursor([.failure]), ScriptedCursor([4])]).joined()
    #expect(walk(cursor, how) == ["1", "failure", "3", "failure", "4"])
  }

  @Test(arguments: Walk.allCases)
  func dropWhileStillDropsAfterAnError(by how: Walk) {
    let cursor = AnyCursor([1, 2, 1, 3, 2]).drop { try Self.notTwo($0, $0 == 1) }
    #expect(walk(cursor, how) == ["failure", "3", "2"])
  }

  @Test(arguments: Walk.allCases)
  func prefixWhileContinuesAfterAnError(by how: Walk) {
    #expect(walk(AnyCursor([1, 2, 3]).prefix { try Self.notTwo($0, true) }, how) == ["1", "failure", "3"])
  }

  @Test(arguments: Walk.allCases)
  func failedStepsAreNotEnumerated(by how: Walk) {
    #expect(walk(ScriptedCursor([7, .failure, 8]).enumerated(), how) == ["(0, 7)", "failure", "(1, 8)"])
  }

  @Test(arguments: Walk.allCases)
  func failedStepsDoNotCountInAPrefix(by how: Walk) {
    #expect(walk(ScriptedCursor([1, .failure, 2, 3]).prefix(2), how) == ["1", "failure", "2"])
  }

  @Test(arguments: Walk.allCases)
  func failedStepsDoNotCountAsDropped(by how: Walk) {
    #expect(walk(ScriptedCursor([1, .failure, 2, 3]).dropFirst(2), how) == ["failure", "3"])
  }

  /// All methods that consume the cursor immediately.
  static let consumers: [NamedFunction<ScriptedCursor, Void>] = [
    .init("contains") { _ = try $0.contains(9) },
    .init("contains(where:)") { _ = try $0.contains { $0 == 9 } },
    .init("dropLast") { _ = try $0.dropLast() },
    .init("first(where:)") { _ = try $0.first { $0 == 9 } },
    .init("forEach") { try $0.forEach { _ in } },
    .init("max") { _ = try $0.max() },
    .init("min") { _ = try $0.min() },
    .init("reduce") { _ = try $0.reduce(0, +) },
    .init("reduce(into:)") { _ = try $0.reduce(into: 0, +=) },
    .init("suffix") { _ = try $0.suffix(1) },
    .init("Array") { _ = try Array($0) },
    .init("Array with a capacity") { _ = try Array($0, minimumCapacity: 3) },
    .init("Set") { _ = try Set($0) },
    .init("Set with a capacity") { _ = try Set($0, minimumCapacity: 3) },
    .init("union") { _ = try Set([1]).union($0) },
    .init("intersection") { _ = try Set([1]).intersection($0) },
    .init("Dictionary(grouping:by:)") { _ = try Dictionary(grouping: $0) { $0 } },
    .init("Dictionary(uniqueKeysWithValues:)") { _ = try Dictionary(uniqueKeysWithValues: $0.map { ($0, $0) }) },
    .init("Dictionary(_:uniquingKeysWith:)") { _ = try Dictionary($0.map { ($0, $0) }) { $1 } },
  ]

  @Test(arguments: consumers)
  func errorsPropagateAndTheCursorContinues(_ consume: NamedFunction<ScriptedCursor, Void>) throws {
    let cursor = ScriptedCursor([1, 2, .failure, 3])
    #expect(throws: StepFailure.self) { try consume.call(cursor) }
    #expect(try cursor.next() == 3)
  }

  /// All methods that consume the cursor immediately and call a function, which throws for its second element.
  static let consumersWithClosures: [NamedFunction<AnyCursor<Int>, Void>] = [
    .init("contains(where:)") { _ = try $0.contains { try notTwo($0, false) } },
    .init("first(where:)") { _ = try $0.first { try notTwo($0, false) } },
    .init("forEach") { try $0.forEach { try notTwo($0, ()) } },
    .init("max") { _ = try $0.max { try notTwo($1, $0 < $1) } },
    .init("min") { _ = try $0.min { try notTwo($0, $0 < $1) } },
    .init("reduce") { _ = try $0.reduce(0) { try notTwo($1, $0) } },
    .init("reduce(into:)") { _ = try $0.reduce(into: 0) { try notTwo($1, $0 += 1) } },
    .init("Dictionary(grouping:by:)") { _ = try Dictionary(grouping: $0) { try notTwo($0, $0) } },
    .init("Dictionary(_:uniquingKeysWith:)") { _ = try Dictionary($0.map { ("key", $0) }) { try notTwo($1, $0) } },
  ]

  @Test(arguments: consumersWithClosures)
  func functionErrorsPropagateAndTheCursorContinues(_ consume: NamedFunction<AnyCursor<Int>, Void>) throws {
    let cursor = AnyCursor([1, 2, 3])
    #expect(throws: StepFailure.self) { try consume.call(cursor) }
    #expect(try cursor.next() == 3)
  }
}
