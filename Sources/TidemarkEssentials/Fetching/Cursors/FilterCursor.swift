extension Cursor {
  /// Returns a cursor over the elements that satisfy a predicate.
  @inlinable
  public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
    FilterCursor(self, isIncluded)
  }
}

/// A cursor over the elements of another cursor that satisfy a predicate: see `filter(_:)`.
public final class FilterCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline let isIncluded: (Base.Element) throws -> Bool

  @inlinable
  init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Base.Element? {
    while let element = try base.next() {
      if try isIncluded(element) { return element }
    }
    return nil
  }

  /// Calls a closure with each remaining element.
  @inlinable
  public func forEach(_ body: (Base.Element) throws -> Void) throws {
    try base.forEach { if try isIncluded($0) { try body($0) } }
  }
}

@available(*, unavailable)
extension FilterCursor: Sendable {}
