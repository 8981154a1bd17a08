// Concatenations of cursors. Sequences in cursors, and cursors in sequences, are converted to cursors in cursors.

extension Cursor where Element: Cursor {
  /// Returns a cursor over the concatenated elements.
  @inlinable
  public func joined() -> FlattenCursor<Self> {
    FlattenCursor(self)
  }
}

extension Cursor where Element: Sequence {
  /// Returns a cursor over the concatenated elements.
  @inlinable
  public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
    flatMap { $0 }
  }
}

extension Cursor {
  /// Returns a cursor over the concatenation of the cursors that a closure returns.
  @inlinable
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
    map(transform).joined()
  }

  /// Returns a cursor over the concatenation of the sequences that a closure returns.
  @inlinable
  public func flatMap<SegmentOfResult: Sequence>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
    flatMap { try AnyCursor(transform($0)) }
  }
}

extension Sequence {
  /// Returns a cursor over the concatenation of the cursors that a closure returns.
  @inlinable
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<AnyCursor<Element>, SegmentOfResult>> {
    AnyCursor(self).flatMap(transform)
  }
}

extension Sequence where Element: Cursor {
  /// Returns a cursor over the concatenated elements.
  @inlinable
  public func joined() -> FlattenCursor<AnyCursor<Element>> {
    AnyCursor(self).joined()
  }
}

/// A cursor over the concatenation of cursors: see `flatMap(_:)` and `joined()`.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var segment: Base.Element?

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Base.Element.Element? {
    while true {
      if let element = try segment?.next() { return element }
      segment = nil
      guard let nextSegment = try base.next() else { return nil }
      segment = nextSegment
    }
  }
}

@available(*, unavailable)
extension FlattenCursor: Sendable {}
