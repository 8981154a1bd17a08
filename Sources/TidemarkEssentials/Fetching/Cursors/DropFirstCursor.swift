extension Cursor {
  /// Returns a cursor over all elements but the first one.
  @inlinable
  public func dropFirst() -> DropFirstCursor<Self> {
    dropFirst(1)
  }

  /// Returns a cursor over all elements but the first ones.
  ///
  /// - Precondition: `n` is not negative.
  @inlinable
  public func dropFirst(_ n: Int) -> DropFirstCursor<Self> {
    DropFirstCursor(self, n)
  }
}

/// A cursor over the elements of another cursor except the first ones: see `dropFirst(_:)`.
public final class DropFirstCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var countToDrop: Int

  @inlinable
  init(_ base: Base, _ countToDrop: Int) {
    precondition(countToDrop >= 0, "The number of dropped elements must not be negative: \(countToDrop)")
    self.base = base
    self.countToDrop = countToDrop
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Base.Element? {
    while countToDrop > 0 {
      guard try base.next() != nil else { return nil }
      countToDrop -= 1
    }
    return try base.next()
  }
}

@available(*, unavailable)
extension DropFirstCursor: Sendable {}
