extension Cursor {
  /// Returns a cursor over the first elements.
  ///
  /// After they are consumed, the original cursor continues with the next element.
  ///
  /// - Precondition: `maxLength` is not negative.
  @inlinable
  public func prefix(_ maxLength: Int) -> PrefixCursor<Self> {
    PrefixCursor(self, maxLength)
  }
}

/// A cursor over the first elements of another cursor: see `prefix(_:)`.
public final class PrefixCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var remainingCount: Int

  @inlinable
  init(_ base: Base, _ countMax: Int) {
    precondition(countMax >= 0, "The length of a prefix must not be negative: \(countMax)")
    self.base = base
    remainingCount = countMax
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Base.Element? {
    guard remainingCount > 0, let element = try base.next() else { return nil }
    remainingCount -= 1
    return element
  }
}

@available(*, unavailable)
extension PrefixCursor: Sendable {}
