/// The format of the values of a column, which aligns them.
enum ColumnFormat: Equatable, Sendable {
  case text
  case plain
  case number(decimals: Int)
  case percent(decimals: Int)
  case bytes

  /// Durations, in the given number of seconds per unit.
  case duration(unit: Double)

  var isRight: Bool { self != .text }

  /// Chooses a format from the name of a column and from its values.
  init(_ name: String, _ values: [CellValue]) {
    let known = values.filter { $0 != .null }
    guard !known.isEmpty, known.allSatisfy(\.isNumber) else {
      self = .text
      return
    }
    let words = Self.words(name)
    let decimals = known.map(Self.decimals)
    let decimalsMax = decimals.contains(nil) ? nil : min(6, decimals.compactMap { $0 }.max() ?? 0)
    if words.contains(where: Self.byteWords.contains) {
      self = .bytes
    } else if let unit = words.lazy.compactMap({ Self.secondsPerUnit[$0] }).first {
      self = .duration(unit: unit)
    } else if let decimalsMax {
      if words.contains(where: Self.percentWords.contains) || name.contains("%") {
        self = .percent(decimals: decimalsMax)
      } else if words.contains(where: Self.namingWords.contains) {
        self = .plain
      } else {
        // Amounts of money have two decimals, or none.
        let isMoney = name.contains(where: \.isCurrencySymbol) && decimalsMax > 0
        self = .number(decimals: isMoney ? 2 : decimalsMax)
      }
    } else {
      self = .plain
    }
  }

  private static let byteWords: Set = ["bytes", "byte"]
  private static let percentWords: Set = ["percent", "pct", "percentage"]
  private static let secondsPerUnit = [
    "seconds": 1, "secs": 1, "sec": 1, "ms": 1e-3, "millis": 1e-3, "milliseconds": 1e-3, "us": 1e-6, "µs": 1e-6,
    "micros": 1e-6, "microseconds": 1e-6, "ns": 1e-9, "nanos": 1e-9, "nanoseconds": 1e-9,
  ]

  /// Numbers that identify something, and are written without thousands separators.
  private static let namingWords: Set = ["id", "rowid", "year", "code", "number", "no", "version", "port", "pid"]

  /// Splits `orderId`, `order_id` and `"order id"` into `order` and `id`.
  private static func words(_ name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var wasUpper = true
    for character in name {
      let isUpper = character.isUppercase
      if !(character.isLetter || character.isNumber) || (isUpper && !wasUpper) {
        words.append(word)
        word = ""
      }
      if character.isLetter || character.isNumber { word.append(contentsOf: character.lowercased()) }
      wasUpper = isUpper
    }
    return (words + [word]).filter { !$0.isEmpty }
  }

  private static func decimals(_ value: CellValue) -> Int? {
    if case .real(let real) = value { return NumberText.decimals(of: real) }
    return 0
  }
}
