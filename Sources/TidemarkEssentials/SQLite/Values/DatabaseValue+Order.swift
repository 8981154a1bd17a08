// SQLite's order of values of all classes: NULL, then numbers, then texts, then blobs. Texts are compared
// by their bytes, as the collation BINARY does in a database whose encoding is UTF-8.

extension DatabaseValue {
  /// Whether SQLite sorts this value before another one.
  func isOrdered(before other: DatabaseValue) -> Bool {
    switch (storage, other.storage) {
    case (.int64(let lhs), .int64(let rhs)): lhs < rhs
    case (.double(let lhs), .double(let rhs)): lhs < rhs
    case (.int64(let lhs), .double(let rhs)): Self.order(of: lhs, rhs) < 0
    case (.double(let lhs), .int64(let rhs)): Self.order(of: rhs, lhs) > 0
    case (.string(let lhs), .string(let rhs)): lhs.utf8.lexicographicallyPrecedes(rhs.utf8)
    case (.blob(let lhs), .blob(let rhs)): lhs.lexicographicallyPrecedes(rhs)
    default: classRank < other.classRank
    }
  }

  private var classRank: Int {
    switch storage {
    case .null: 0
    case .int64, .double: 1
    case .string: 2
    case .blob: 3
    }
  }

  /// Compares an integer with a double, without rounding; returns a negative number, zero or a positive number.
  private static func order(of integer: Int64, _ double: Double) -> Int {
    if double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let whole = Int64(double)
    if integer != whole { return integer < whole ? -1 : 1 }
    let fraction = double - Double(whole)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }
}
