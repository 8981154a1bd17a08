extension Cursor {
  /// Returns the last elements.
  ///
  /// ```swift
  /// let newest = try String.fetchCursor(db, sql: "SELECT title FROM book ORDER BY id").suffix(10)
  /// ```
  ///
  /// - Precondition: `maxLength` is not negative.
  @inlinable
  public func suffix(_ maxLength: Int) throws -> [Element] {
    var last = LastElements<Element>(countMax: maxLength)
    try forEach { _ = last.append($0) }
    return last.elements
  }

  /// Returns all elements but the last one.
  @inlinable
  public func dropLast() throws -> [Element] {
    try dropLast(1)
  }

  /// Returns all elements but the last ones.
  ///
  /// - Precondition: `n` is not negative.
  @inlinable
  public func dropLast(_ n: Int) throws -> [Element] {
    var last = LastElements<Element>(countMax: n)
    return try reduce(into: []) { result, element in
      if let tooOld = last.append(element) { result.append(tooOld) }
    }
  }
}

/// A ring buffer of the newest elements of a sequence.
@usableFromInline
struct LastElements<Element> {
  @usableFromInline let countMax: Int
  @usableFromInline var ring: [Element] = []

  /// The index of the oldest element in a full ring.
  @usableFromInline var start = 0

  @inlinable
  init(countMax: Int) {
    precondition(countMax >= 0, "The number of last elements must not be negative: \(countMax)")
    self.countMax = countMax
  }

  /// Adds an element, and returns the element that it replaces.
  @inlinable
  mutating func append(_ element: Element) -> Element? {
    if countMax == 0 { return element }
    if ring.count < countMax {
      ring.append(element)
      return nil
    }
    let tooOld = ring[start]
    ring[start] = element
    start = (start + 1) % countMax
    return tooOld
  }

  /// Returns the elements from the oldest to the newest.
  @inlinable
  var elements: [Element] {
    Array(ring[start...] + ring[..<start])
  }
}
