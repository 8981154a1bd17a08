extension Cursor {
  /// Returns a cursor over the transformed elements.
  ///
  /// ```swift
  /// let lengths = try String.fetchCursor(db, sql: "SELECT title FROM book").map(\.count)
  /// ```
  @inlinable
  public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
    MapCursor(self, transform)
  }

  /// Returns a cursor over the transformed elements that are not nil.
  @inlinable
  public func compactMap<T>(
    _ transform: @escaping (Element) throws -> T?
  ) -> MapCursor<FilterCursor<MapCursor<Self, T?>>, T> {
    map(transform).filter { $0 != nil }.map { $0! }
  }
}

/// A cursor over the transformed elements of another cursor: see `map(_:)`.
public final class MapCursor<Base: Cursor, Element>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline let transform: (Base.Element) throws -> Element

  @inlinable
  init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
    self.base = base
    self.transform = transform
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Element? {
    guard let element = try base.next() else { return nil }
    return try transform(element)
  }

  /// Calls a closure with each remaining element.
  @inlinable
  public func forEach(_ body: (Element) throws -> Void) throws {
    try base.forEach { try body(transform($0)) }
  }
}

@available(*, unavailable)
extension MapCursor: Sendable {}
