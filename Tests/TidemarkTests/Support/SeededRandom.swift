import Foundation

/// A source of random numbers that prints its seed: a seed is a bug report.
///
/// `TIDEMARK_SEED=…` in the environment replays one.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  private static let given = ProcessInfo.processInfo.environment["TIDEMARK_SEED"].flatMap { UInt64($0) }

  init(seed: UInt64 = given ?? .random(in: 0...UInt64.max), function: String = #function) {
    print("\(function): seed \(seed)")
    state = seed
  }

  // Splitmix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }
}
