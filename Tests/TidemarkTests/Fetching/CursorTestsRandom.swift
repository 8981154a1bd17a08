import Foundation
import Testing
import Tidemark

/// Random chains of operations on random elements: a cursor behaves as a lazy sequence does.
///
/// `CURSOR_SEED` repeats the chains of a seed.
@Suite struct RandomCursorTests {
  /// One operation, on cursors and on the sequences of the standard library.
  private struct Operation {
    let name: String
    let onCursor: (AnyCursor<Int>) -> AnyCursor<Int>
    let onSequence: (AnySequence<Int>) -> AnySequence<Int>

    static func random(using numbers: inout Numbers) -> Operation {
      let n = Int.random(in: 0...5, using: &numbers)
      return all(n, isSmall: { $0 % 8 < n + 2 }).randomElement(using: &numbers)!
    }

    /// All operations, for a number and a predicate.
    private static func all(_ n: Int, isSmall: @escaping (Int) -> Bool) -> [Operation] {
      let half: (Int) -> Int? = { isSmall($0) ? $0 / 2 : nil }
      let range: (Int) -> Range<Int> = { 0..<($0 % 3 == 0 ? 0 : n) }
      return [
        .init("map", n, { .init($0.map { $0 &* 3 + n }) }, { .init($0.lazy.map { $0 &* 3 + n }) }),
        .init("filter", n, { .init($0.filter(isSmall)) }, { .init($0.lazy.filter(isSmall)) }),
        .init("compactMap", n, { .init($0.compactMap(half)) }, { .init($0.lazy.compactMap(half)) }),
        .init("flatMap to sequences", n, { .init($0.flatMap(range)) }, { .init($0.lazy.flatMap(range)) }),
        .init(
          "flatMap to cursors", n,
          { .init($0.flatMap { AnyCursor(range($0)) }) }, { .init($0.lazy.flatMap(range)) }),
        .init("dropFirst", n, { .init($0.dropFirst(n)) }, { .init($0.lazy.dropFirst(n)) }),
        .init("drop(while:)", n, { .init($0.drop(while: isSmall)) }, { .init($0.lazy.drop(while: isSmall)) }),
        .init("prefix", n * 3, { .init($0.prefix(n * 3)) }, { .init($0.lazy.prefix(n * 3)) }),
        .init("prefix(while:)", n, { .init($0.prefix(while: isSmall)) }, { .init($0.lazy.prefix(while: isSmall)) }),
        .init(
          "enumerated", n,
          { .init($0.enumerated().map { $0 * n &+ $1 }) }, { .init($0.lazy.enumerated().map { $0 * n &+ $1 }) }),
        .init(
          "joined sequences", n,
          { .init($0.map { [$0, n] }.joined()) }, { .init($0.lazy.map { [$0, n] }.joined()) }),
        .init(
          "joined cursors", n,
          { .init($0.map { AnyCursor([n, $0]) }.joined()) }, { .init($0.lazy.map { [n, $0] }.joined()) }),
      ]
    }

    private init(
      _ name: String, _ n: Int,
      _ onCursor: @escaping (AnyCursor<Int>) -> AnyCursor<Int>,
      _ onSequence: @escaping (AnySequence<Int>) -> AnySequence<Int>
    ) {
      self.name = "\(name) \(n)"
      self.onCursor = onCursor
      self.onSequence = onSequence
    }
  }

  /// The consumption of a chain, as a text that is the same for cursors and sequences.
  private typealias Consumer = (
    name: String,
    onCursor: @Sendable (AnyCursor<Int>) throws -> String,
    onSequence: @Sendable (AnySequence<Int>) -> String
  )

  private static let consumers: [Consumer] = [
    ("Array", { "\(try Array($0))" }, { "\(Array($0))" }),
    ("steps", { "\(walk($0, .next))" }, { "\($0.map { "\($0)" })" }),
    ("Set", { "\(try Set($0).sorted())" }, { "\(Set($0).sorted())" }),
    (
      "grouping", { "\(try Dictionary(grouping: $0, by: { $0 % 3 }).sorted { $0.key < $1.key })" },
      { "\(Dictionary(grouping: $0, by: { $0 % 3 }).sorted { $0.key < $1.key })" }
    ),
    ("reduce", { "\(try $0.reduce(1) { $0 &* 31 &+ $1 })" }, { "\($0.reduce(1) { $0 &* 31 &+ $1 })" }),
    ("min", { "\(try $0.min() as Any)" }, { "\($0.min() as Any)" }),
    ("max", { "\(try $0.max() as Any)" }, { "\($0.max() as Any)" }),
    ("suffix", { "\(try $0.suffix(4))" }, { "\($0.suffix(4))" }),
    ("dropLast", { "\(try $0.dropLast(3))" }, { "\(Array($0.dropLast(3)))" }),
    ("contains", { "\(try $0.contains(4))" }, { "\($0.contains(4))" }),
    ("first(where:)", { "\(try $0.first { $0 > 9 } as Any)" }, { "\($0.first { $0 > 9 } as Any)" }),
    (
      "joined(separator:)", { try $0.map { "\($0)" }.joined(separator: "/") },
      { $0.map { "\($0)" }.joined(separator: "/") }
    ),
    (
      "next, then forEach",
      { cursor in
        var seen = [try cursor.next(), try cursor.next()].compactMap { $0 }
        try cursor.forEach { seen.append($0) }
        return "\(seen)"
      }, { "\(Array($0))" }
    ),
  ]

  @Test func cursorChainsMatchLazySequences() throws {
    let givenSeed = ProcessInfo.processInfo.environment["CURSOR_SEED"].flatMap { UInt64($0) }
    let seed = givenSeed ?? UInt64.random(in: 0 ... .max)
    print("Random cursors: CURSOR_SEED=\(seed)")
    var numbers = Numbers(state: seed)
    for _ in 0..<2000 {
      let elements = (0..<Int.random(in: 0...20, using: &numbers)).map { _ in Int.random(in: -9...30, using: &numbers) }
      let operations = (0..<Int.random(in: 0...5, using: &numbers)).map { _ in Operation.random(using: &numbers) }
      let cursor = operations.reduce(AnyCursor(elements)) { $1.onCursor($0) }
      let sequence = operations.reduce(AnySequence(elements)) { $1.onSequence($0) }
      let (name, ofCursor, ofSequence) = Self.consumers[Int.random(in: 0..<Self.consumers.count, using: &numbers)]
      // Large sizes make long texts, and test nothing more.
      guard sequence.prefix(901).reduce(0, { count, _ in count + 1 }) <= 900 else { continue }
      try #require(
        try ofCursor(cursor) == ofSequence(sequence),
        "CURSOR_SEED=\(seed): \(elements) \(operations.map(\.name)) \(name)")
    }
  }

  /// Random numbers that a seed determines (SplitMix64).
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
      return mixed ^ (mixed >> 31)
    }
  }
}
