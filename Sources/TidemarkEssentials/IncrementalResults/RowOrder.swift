/// The order of the rows of a result: by some of their values, as SQLite sorts them, and then by their row IDs.
struct RowOrder: Equatable, Sendable {
  /// How texts are compared.
  enum TextCollation: String {
    case binary
    case nocase
    case rtrim
  }

  /// A value by which rows are sorted.
  struct Term: Equatable, Sendable {
    var collation = TextCollation.binary
    var isDescending = false
  }

  var terms: [Term]
  var isKeyDescending = false

  /// Whether rows with a value can be ordered here: SQLite compares repaired texts, and texts with NUL characters,
  /// in a different way.
  static func isKnown(_ value: DatabaseValue) -> Bool {
    guard case .string(let text) = value.storage else { return true }
    return !text.utf8.contains(0) && !text.unicodeScalars.contains("\u{FFFD}")
  }

  /// Returns a negative number, zero or a positive number if a row sorts before another one, equally, or after it.
  func compare(
    _ key: Int64, _ values: ArraySlice<DatabaseValue>, _ otherKey: Int64, _ otherValues: ArraySlice<DatabaseValue>
  ) -> Int {
    for (offset, term) in terms.enumerated() {
      let order = term.compare(values[values.startIndex + offset], otherValues[otherValues.startIndex + offset])
      if order != 0 { return order }
    }
    if key == otherKey { return 0 }
    return (key < otherKey) == isKeyDescending ? 1 : -1
  }
}

extension RowOrder.Term {
  func compare(_ value: DatabaseValue, _ other: DatabaseValue) -> Int {
    let order = collation.compare(value, other)
    return isDescending ? -order : order
  }
}

extension RowOrder.TextCollation {
  fileprivate func compare(_ value: DatabaseValue, _ other: DatabaseValue) -> Int {
    switch (value.storage, other.storage) {
    case (.int64(let lhs), .int64(let rhs)):
      return lhs < rhs ? -1 : lhs > rhs ? 1 : 0
    case (.string(let lhs), .string(let rhs)) where self != .binary:
      return compare(lhs, rhs)
    default:
      return value.isOrdered(before: other) ? -1 : other.isOrdered(before: value) ? 1 : 0
    }
  }

  private func compare(_ text: String, _ other: String) -> Int {
    let (lhs, rhs) = (bytes(of: text), bytes(of: other))
    return lhs.lexicographicallyPrecedes(rhs) ? -1 : rhs.lexicographicallyPrecedes(lhs) ? 1 : 0
  }

  /// The bytes that are compared for a text.
  private func bytes(of text: String) -> [UInt8] {
    switch self {
    case .binary:
      return Array(text.utf8)
    case .nocase:
      return text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    case .rtrim:
      let bytes = Array(text.utf8)
      let end = bytes.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
      return Array(bytes[..<end])
    }
  }
}
