extension Cursor {
  /// Returns a cursor that skips the first elements, while they satisfy a predicate.
  @inlinable
  public func drop(while predicate: @escaping (Element) throws -> Bool) -> DropWhileCursor<Self> {
    DropWhileCursor(self, predicate)
  }
}

/// A cursor that skips the first elements of another cursor, while they satisfy a predicate: see `drop(while:)`.
public final class DropWhileCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline let predicate: (Base.Element) throws -> Bool
  @usableFromInline var isDropping = true

  @inlinable
  init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.predicate = predicate
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Base.Element? {
    while let element = try base.next() {
      if isDropping, try predicate(element) { continue }
      isDropping = false
      return element
    }
    return nil
  }
}

@available(*, unavailable)
extension DropWhileCursor: Sendable {}
