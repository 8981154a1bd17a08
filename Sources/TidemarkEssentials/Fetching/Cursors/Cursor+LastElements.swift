extension Cursor {
  /// The last elements.
  ///
  /// - precondition: `maxLength` is zero or more.
  @inlinable
  public func suffix(_ maxLength: Int) throws -> [Element] {
    var last = LastElements<Element>(countMax: maxLength)
    try forEach { _ = last.append($0) }
    return last.elements
  }

  /// All elements but the last.
  @inlinable
  public func dropLast() throws -> [Element] {
    try dropLast(1)
  }

  /// All elements but the last ones.
  ///
  /// - precondition: `n` is zero or more.
  @inlinable
  public func dropLast(_ n: Int) throws -> [Element] {
    var last = LastElements<Element>(countMax: n)
    return try reduce(into: []) { result, element in
      if let tooOld = last.append(element) { result.append(tooOld) }
    }
  }
}

/// The newest elements of a stream, in a ring.
@usableFromInline
struct LastElements<Element> {
  @usableFromInline let countMax: Int
  @usableFromInline var ring: [Element] = []

  /// Where the oldest element is, once the ring is full.
  @usableFromInline var start = 0

  @inlinable
  init(countMax: Int) {
    precondition(countMax >= 0, "A cursor keeps or drops zero last elements or more, not \(countMax)")
    self.countMax = countMax
  }

  /// Adds an element, and returns the one that leaves.
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

  /// From the oldest to the newest.
  @inlinable
  var elements: [Element] {
    Array(ring[start...] + ring[..<start])
  }
}
