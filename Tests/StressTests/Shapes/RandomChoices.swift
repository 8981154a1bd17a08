import Foundation
import StressSupport
import Tidemark

/// The random choices for a script, which its seed determines. All generators of a script share them.
final class RandomChoices {
  private var random: RandomNumbers

  init(seed: UInt64) {
    random = RandomNumbers(seed: seed)
  }

  func below(_ bound: Int) -> Int { random.below(bound) }

  /// Returns true with a probability in percent.
  func chance(_ percent: Int) -> Bool { random.below(100) < percent }

  func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Returns a value, with its literal in SQL. Most values are small, so that rows often match.
  func constant() -> (literal: String, value: DatabaseValue) {
    if chance(70) {
      let number = below(5)
      return ("\(number)", number.databaseValue)
    }
    return pick(Self.constants)
  }

  func literal() -> String { constant().literal }

  private static let constants: [(literal: String, value: DatabaseValue)] =
    ["a", "A", "b", "B", "a ", "ab", "1", "2", "1.0", "", "é"].map { ("'\($0)'", $0.databaseValue) }
    + [0.5, 1.0, 2.0].map { ("\($0)", $0.databaseValue) }
    + [Int64.max, 9_007_199_254_740_993].map { ("\($0)", $0.databaseValue) }
    + Array(repeating: ("NULL", .null), count: 4)
    + [("x'61'", Data([0x61]).databaseValue), ("x''", Data().databaseValue), ("-1", (-1).databaseValue)]
}
