// Combining all elements into one value. These methods consume the cursor.

extension Cursor {
  /// Combines the elements with a closure that returns the next partial result.
  ///
  /// ```swift
  /// let total = try Int.fetchCursor(db, sql: "SELECT pages FROM book").reduce(0, +)
  /// ```
  @inlinable
  public func reduce<Result>(
    _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
  ) throws -> Result {
    try reduce(into: initialResult) { $0 = try nextPartialResult($0, $1) }
  }

  /// Combines the elements with a closure that updates a partial result.
  ///
  /// ```swift
  /// let cursor = try String.fetchCursor(db, sql: "SELECT title FROM book")
  /// let lengths = try cursor.reduce(into: [:]) { counts, title in
  ///   counts[title.count, default: 0] += 1
  /// }
  /// ```
  @inlinable
  public func reduce<Result>(
    into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
  ) throws -> Result {
    var result = initialResult
    try forEach { try updateAccumulatingResult(&result, $0) }
    return result
  }

  /// Returns the minimum by a predicate, or nil if the cursor is empty. Of several minima, the first one is returned.
  @inlinable
  public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
    guard let first = try next() else { return nil }
    return try reduce(first) { try areInIncreasingOrder($1, $0) ? $1 : $0 }
  }

  /// Returns the maximum by a predicate, or nil if the cursor is empty. Of several maxima, the first one is returned.
  @inlinable
  public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
    guard let first = try next() else { return nil }
    return try reduce(first) { try areInIncreasingOrder($0, $1) ? $1 : $0 }
  }
}

extension Cursor where Element: Comparable {
  /// Returns the minimum, or nil if the cursor is empty.
  @inlinable
  public func min() throws -> Element? {
    try min(by: <)
  }

  /// Returns the maximum, or nil if the cursor is empty.
  @inlinable
  public func max() throws -> Element? {
    try max(by: <)
  }
}

extension Cursor where Element: StringProtocol {
  /// Returns the concatenation of the elements, with a separator between them.
  ///
  /// ```swift
  /// let list = try String.fetchCursor(db, sql: "SELECT title FROM book").joined(separator: ", ")
  /// ```
  @inlinable
  public func joined(separator: String = "") throws -> String {
    guard let first = try next() else { return "" }
    return try reduce(into: String(first)) {
      $0 += separator
      $0 += $1
    }
  }
}
