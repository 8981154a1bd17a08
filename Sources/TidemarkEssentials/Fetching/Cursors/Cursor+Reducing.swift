// Many elements into one. These consume the whole cursor.

extension Cursor {
  /// What all elements make together, starting from a first result.
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

  /// What a result becomes when each element has updated it.
  @inlinable
  public func reduce<Result>(
    into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
  ) throws -> Result {
    var result = initialResult
    try forEach { try updateAccumulatingResult(&result, $0) }
    return result
  }

  /// The smallest element in some order, the first of them when they are several, or nil.
  @inlinable
  public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
    guard let first = try next() else { return nil }
    return try reduce(first) { try areInIncreasingOrder($1, $0) ? $1 : $0 }
  }

  /// The greatest element in some order, the first of them when they are several, or nil.
  @inlinable
  public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
    guard let first = try next() else { return nil }
    return try reduce(first) { try areInIncreasingOrder($0, $1) ? $1 : $0 }
  }
}

extension Cursor where Element: Comparable {
  /// The smallest element, or nil.
  @inlinable
  public func min() throws -> Element? {
    try min(by: <)
  }

  /// The greatest element, or nil.
  @inlinable
  public func max() throws -> Element? {
    try max(by: <)
  }
}

extension Cursor where Element: StringProtocol {
  /// The text made of all elements, with a separator between them.
  @inlinable
  public func joined(separator: String = "") throws -> String {
    guard let first = try next() else { return "" }
    return try reduce(into: String(first)) {
      $0 += separator
      $0 += $1
    }
  }
}
