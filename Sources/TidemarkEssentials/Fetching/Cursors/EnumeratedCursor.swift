extension Cursor {
  /// Returns a cursor over pairs of a number, starting at zero, and an element.
  ///
  /// ```swift
  /// try String.fetchCursor(db, sql: "SELECT title FROM book").enumerated().forEach { number, title in
  ///   print(number, title)
  /// }
  /// ```
  @inlinable
  public func enumerated() -> EnumeratedCursor<Self> {
    EnumeratedCursor(self)
  }
}

/// A cursor that numbers the elements of another cursor: see `enumerated()`.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
  @usableFromInline let base: Base
  @usableFromInline var index = 0

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  /// Returns the next number and element, or nil at the end.
  ///
  /// A step that throws does not consume a number.
  @inlinable
  public func next() throws -> (Int, Base.Element)? {
    guard let element = try base.next() else { return nil }
    return number(element)
  }

  /// Calls a closure with each remaining element and its number.
  @inlinable
  public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
    try base.forEach { try body(number($0)) }
  }

  @inlinable
  func number(_ element: Base.Element) -> (Int, Base.Element) {
    defer { index += 1 }
    return (index, element)
  }
}

@available(*, unavailable)
extension EnumeratedCursor: Sendable {}
