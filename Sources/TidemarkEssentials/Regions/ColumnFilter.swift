/// A filter of rows by the value of a column.
///
/// Stored values are compared as in SQLite: first by storage class, then numbers by value, and texts and blobs by
/// bytes.
enum ColumnFilter: Hashable, Sendable {
  /// Admits the given values, including NULL if it is one of them.
  case values(Set<DatabaseValue>)

  /// Admits all values in a range, except NULL.
  case range(ValueRange)

  /// Returns whether a row with this value may pass the filter.
  func admits(_ value: DatabaseValue) -> Bool {
    switch self {
    case .values(let values): values.contains(value)
    case .range(let range): range.contains(value)
    }
  }

  /// Returns whether a row with this value passes the filter with certainty.
  func surelyAdmits(_ value: DatabaseValue) -> Bool {
    // The original bytes of a repaired text are not known.
    if case .string(let text) = value.storage, text.unicodeScalars.contains("\u{FFFD}") { return false }
    return admits(value)
  }

  /// Whether the filter admits no values.
  var isEmpty: Bool {
    switch self {
    case .values(let values): values.isEmpty
    case .range(let range): range.isEmpty
    }
  }

  /// Returns the filter that admits the values of both filters.
  func intersection(_ other: ColumnFilter) -> ColumnFilter {
    switch (self, other) {
    case (.values(let values), _): .values(values.filter(other.admits))
    case (_, .values(let values)): .values(values.filter(admits))
    case (.range(let lhs), .range(let rhs)): .range(lhs.intersection(rhs))
    }
  }

  /// Returns a filter that admits the values of either filter, and perhaps more; nil if it would admit all values.
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

/// A range of values, which never includes NULL.
struct ValueRange: Hashable, Sendable {
  struct Bound: Hashable, Sendable {
    var value: DatabaseValue
    var isInclusive: Bool
  }

  /// The lower bound, or nil if there is none.
  var lower: Bound?

  /// The upper bound, or nil if there is none.
  var upper: Bound?

  init(lower: Bound? = nil, upper: Bound? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// Creates a range with a single value.
  init(_ value: DatabaseValue) {
    lower = Bound(value: value, isInclusive: true)
    upper = lower
  }

  func contains(_ value: DatabaseValue) -> Bool {
    if value.isNull { return false }
    // SQLite compares the original bytes of a repaired text, which are not known.
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

  /// Returns the smallest range that includes both ranges.
  func hull(_ other: ValueRange) -> ValueRange {
    ValueRange(
      lower: Bound.outer(lower, other.lower) { $0.isOrdered(before: $1) },
      upper: Bound.outer(upper, other.upper) { $1.isOrdered(before: $0) })
  }
}

extension ValueRange.Bound {
  /// Returns the stricter bound.
  fileprivate static func inner(
    _ lhs: Self?, _ rhs: Self?, isInside: (DatabaseValue, DatabaseValue) -> Bool
  ) -> Self? {
    guard let lhs, let rhs else { return lhs ?? rhs }
    if lhs.value == rhs.value { return lhs.isInclusive ? rhs : lhs }
    return isInside(lhs.value, rhs.value) ? lhs : rhs
  }

  /// Returns the looser bound.
  fileprivate static func outer(
    _ lhs: Self?, _ rhs: Self?, isOutside: (DatabaseValue, DatabaseValue) -> Bool
  ) -> Self? {
    guard let lhs, let rhs else { return nil }
    if lhs.value == rhs.value { return lhs.isInclusive ? lhs : rhs }
    return isOutside(lhs.value, rhs.value) ? lhs : rhs
  }
}
