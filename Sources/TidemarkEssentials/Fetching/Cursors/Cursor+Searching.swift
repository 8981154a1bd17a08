// Searching. These methods stop at the first match: the cursor then continues with the next element.

extension Cursor {
  /// Whether the cursor has no more elements. Reading this property consumes an element.
  ///
  /// ```swift
  /// if try Book.fetchCursor(db).isEmpty { print("no books") }
  /// ```
  @inlinable
  public var isEmpty: Bool {
    get throws { try next() == nil }
  }

  /// Returns the first element that satisfies a predicate, or nil. It consumes all elements up to this one.
  ///
  /// ```swift
  /// let long = try String.fetchCursor(db, sql: "SELECT title FROM book").first { $0.count > 40 }
  /// ```
  @inlinable
  public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
    while let element = try next() {
      if try predicate(element) { return element }
    }
    return nil
  }

  /// Returns whether an element satisfies a predicate. It consumes all elements up to this one.
  @inlinable
  public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
    try first(where: predicate) != nil
  }
}

extension Cursor where Element: Equatable {
  /// Returns whether the cursor contains an element. It consumes all elements up to this one.
  @inlinable
  public func contains(_ element: Element) throws -> Bool {
    try contains { $0 == element }
  }
}
