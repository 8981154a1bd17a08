// Questions that stop at their answer: the cursor goes on with the element after it.

extension Cursor {
  /// Whether there is no element left.
  ///
  /// To know it, one element is consumed.
  @inlinable
  public var isEmpty: Bool {
    get throws { try next() == nil }
  }

  /// The first element that satisfies a predicate, or nil.
  ///
  /// All elements up to this one are consumed.
  @inlinable
  public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
    while let element = try next() {
      if try predicate(element) { return element }
    }
    return nil
  }

  /// Whether an element satisfies a predicate.
  ///
  /// All elements up to this one are consumed.
  @inlinable
  public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
    try first(where: predicate) != nil
  }
}

extension Cursor where Element: Equatable {
  /// Whether an element is there.
  ///
  /// All elements up to this one are consumed.
  @inlinable
  public func contains(_ element: Element) throws -> Bool {
    try contains { $0 == element }
  }
}
