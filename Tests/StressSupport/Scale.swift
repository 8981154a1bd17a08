import Foundation

/// The size of runs: seconds in a normal run of the tests, full size when `TIDEMARK_STRESS` is 1.
package enum Scale {
  package static let isFull = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"

  package static func of(daily: Int, full: Int) -> Int { isFull ? full : daily }

  /// The seed of a run, a new one each time. `TIDEMARK_SEED=…` replays one.
  package static var seed: UInt64 { seeds(daily: 1, full: 1)[0] }

  /// The seeds of a run, new ones each time. `TIDEMARK_SEED=…` replays one.
  package static func seeds(daily: Int, full: Int) -> [UInt64] {
    if let seed = ProcessInfo.processInfo.environment["TIDEMARK_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return (0..<of(daily: daily, full: full)).map { _ in UInt64.random(in: 0...UInt64.max) }
  }
}

/// Random numbers that a seed determines. C: splitmix64.
package struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter stream: The number of the stream: each worker of a run has its own.
  package init(seed: UInt64, stream: Int = 0) {
    state = seed ^ (UInt64(truncatingIfNeeded: stream) &* 0xD134_2543_DE82_EF95)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number below a bound.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// True with a probability of one in `count`.
  package mutating func once(in count: Int) -> Bool { below(count) == 0 }
}
