/// The values of a column that let a row pass.
///
/// Values are compared as SQLite compares those that are stored: classes first, numbers by their value, texts and
/// blobs by their bytes.
enum ColumnFilter: Hashable, Sendable {
  /// Only these values. NULL among them lets NULL pass.
  case values(Set<DatabaseValue>)

  /// All values between two bounds, but NULL.
  case range(ValueRange)

  /// Whether a row with this value may pass.
  func admits(_ value: DatabaseValue) -> Bool {
    switch self {
    case .values(let values): values.contains(value)
    case .range(let range): range.contains(value)
    }
  }

  /// Whether a row with this value passes for certain.
  func surelyAdmits(_ value: DatabaseValue) -> Bool {
    // The bytes of a text that was repaired are not known.
    if case .string(let text) = value.storage, text.unicodeScalars.contains("\u{FFFD}") { return false }
    return admits(value)
  }

  /// Whether no value passes.
  var isEmpty: Bool {
    switch self {
    case .values(let values): values.isEmpty
    case .range(let range): range.isEmpty
    }
  }

  /// The values that pass both.
  func intersection(_ other: ColumnFilter) -> ColumnFilter {
    switch (self, other) {
    case (.values(let values), _): .values(values.filter(other.admits))
    case (_, .values(let values)): .values(values.filter(admits))
    case (.range(let lhs), .range(let rhs)): .range(lhs.intersection(rhs))
    }
  }

  /// A filter that lets pass what passes one of both, and perhaps more; nil when that is everything.
  func hull(_ other: ColumnFilter) -> ColumnFilter? {
    switch (self, other) {
    case (.values(let lhs), .values(let rhs)): return .values(lhs.union(rhs))
    case (.range(let range), .values(let values)), (.values(let values), .range(let range)):
      if values.contains(.null) { return nil }
      return .range(values.reduce(range) { $0.hull(ValueRange($1)) })
    case (.range(let lhs), .range(let rhs)): return .range(lhs.hull(rhs))
    }
  }
}

/// The values between two bounds. NULL is never among them.
struct ValueRange: Hashable, Sendable {
  struct Bound: Hashable, Sendable {
    var value: DatabaseValue
    var isInclusive: Bool
  }

  /// The lower bound, or nil when there is none.
  var lower: Bound?

  /// The upper bound, or nil when there is none.
  var upper: Bound?

  init(lower: Bound? = nil, upper: Bound? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// One value.
  init(_ value: DatabaseValue) {
    lower = Bound(value: value, isInclusive: true)
    upper = lower
  }

  func contains(_ value: DatabaseValue) -> Bool {
    if value.isNull { return false }
    // Where a text was repaired, its bytes are not those that SQLite compares.
    if case .string(let text) = value.storage, text.unicodeScalars.contains("\u{FFFD}") { return true }
    if let lower, value.isOrdered(before: lower.value) || (!lower.isInclusive && value == lower.value) { return false }
    if let upper, upper.value.isOrdered(before: value) || (!upper.isInclusive && value == upper.value) { return false }
    return true
  }

  var isEmpty: Bool {
    guard let lower, let upper else { return false }
    if upper.value.isOrdered(before: lower.value) { return true }
    return lower.value == upper.value && !(lower.isInclusive && upper.isInclusive)
  }

  func intersection(_ other: ValueRange) -> ValueRange {
    ValueRange(
      lower: Bound.inner(lower, other.lower) { $1.isOrdered(before: $0) },
      upper: Bound.inner(upper, other.upper) { $0.isOrdered(before: $1) })
  }

  /// The smallest range that contains both.
  func hull(_ other: ValueRange) -> ValueRange {
    ValueRange(
      lower: Bound.outer(lower, other.lower) { $0.isOrdered(before: $1) },
      upper: Bound.outer(upper, other.upper) { $1.isOrdered(before: $0) })
  }
}

extension ValueRange.Bound {
  /// The bound that lets less pass.
  fileprivate static func inner(
    _ lhs: Self?, _ rhs: Self?, isInside: (DatabaseValue, DatabaseValue) -> Bool
  ) -> Self? {
    guard let lhs, let rhs else { return lhs ?? rhs }
    if lhs.value == rhs.value { return lhs.isInclusive ? rhs : lhs }
    return isInside(lhs.value, rhs.value) ? lhs : rhs
  }

  /// The bound that lets more pass.
  fileprivate static func outer(
    _ lhs: Self?, _ rhs: Self?, isOutside: (DatabaseValue, DatabaseValue) -> Bool
  ) -> Self? {
    guard let lhs, let rhs else { return nil }
    if lhs.value == rhs.value { return lhs.isInclusive ? lhs : rhs }
    return isOutside(lhs.value, rhs.value) ? lhs : rhs
  }
}
