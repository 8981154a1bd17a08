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

  private static let constants: [(literal: String, value: DatabaseValue)] = texts + numbers + others

  private static let texts: [(literal: String, value: DatabaseValue)] = [
    "a", "A", "b", "B", "a ", "ab", "1", "2", "1.0", " 1", "", "é", "9007199254740993",
  ].map { ("'\($0)'", $0.databaseValue) }

  private static let numbers: [(literal: String, value: DatabaseValue)] = [
    ("0.5", 0.5.databaseValue), ("1.0", 1.0.databaseValue), ("2.0", 2.0.databaseValue),
    ("-0.0", (-0.0).databaseValue), ("9e999", Double.infinity.databaseValue), ("-1", (-1).databaseValue),
    ("9223372036854775807", Int64.max.databaseValue), ("9007199254740993", 9_007_199_254_740_993.databaseValue),
    ("9007199254740992.0", 9_007_199_254_740_992.0.databaseValue),
  ]

  private static let others: [(literal: String, value: DatabaseValue)] = [
    ("NULL", .null), ("NULL", .null), ("NULL", .null), ("NULL", .null), ("x'61'", Data([0x61]).databaseValue),
    ("x''", Data().databaseValue), ("char(97, 0, 98)", "a\0b".databaseValue),
  ]
}
