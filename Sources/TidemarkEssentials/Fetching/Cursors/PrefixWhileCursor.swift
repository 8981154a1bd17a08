extension Cursor {
  /// Returns a cursor over the first elements, up to the first one that does not satisfy a predicate.
  ///
  /// That element is consumed: the original cursor continues with the next one.
  @inlinable
  public func prefix(while predicate: @escaping (Element) throws -> Bool) -> PrefixWhileCursor<Self> {
    PrefixWhileCursor(self, predicate)
  }
}

/// A cursor over the first elements of another cursor that satisfy a predicate: see `prefix(while:)`.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline let predicate: (Base.Element) throws -> Bool
  @usableFromInline var isEnded = false

  @inlinable
  init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.predicate = predicate
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Base.Element? {
    guard !isEnded, let element = try base.next() else { return nil }
    if try predicate(element) { return element }
    isEnded = true
    return nil
  }
}

@available(*, unavailable)
extension PrefixWhileCursor: Sendable {}
