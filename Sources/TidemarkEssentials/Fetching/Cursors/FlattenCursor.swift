// Cursors whose elements come from many cursors, one after the other. Sequences inside cursors, and cursors
// inside sequences, become cursors inside cursors.

extension Cursor where Element: Cursor {
  /// A cursor over the elements of the elements.
  @inlinable
  public func joined() -> FlattenCursor<Self> {
    FlattenCursor(self)
  }
}

extension Cursor where Element: Sequence {
  /// A cursor over the elements of the elements.
  @inlinable
  public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
    flatMap { $0 }
  }
}

extension Cursor {
  /// A cursor over the elements of the cursors that the elements become.
  @inlinable
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
    map(transform).joined()
  }

  /// A cursor over the elements of the sequences that the elements become.
  @inlinable
  public func flatMap<SegmentOfResult: Sequence>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
    flatMap { try AnyCursor(transform($0)) }
  }
}

extension Sequence {
  /// A cursor over the elements of the cursors that the elements become.
  @inlinable
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<AnyCursor<Element>, SegmentOfResult>> {
    AnyCursor(self).flatMap(transform)
  }
}

extension Sequence where Element: Cursor {
  /// A cursor over the elements of the elements.
  @inlinable
  public func joined() -> FlattenCursor<AnyCursor<Element>> {
    AnyCursor(self).joined()
  }
}

/// A cursor over the elements of cursors, one cursor after the other: see `flatMap(_:)` and `joined()`.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var segment: Base.Element?

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// The next element, or nil at the end.
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
