/// A type-erased cursor.
///
/// ```swift
/// let countdown = AnyCursor([3, 2, 1])
/// ```
///
/// The underlying sequence or cursor is released at the end.
public final class AnyCursor<Element>: Cursor {
  /// Returns the next element, or nil at the end. The closure is nil after the end.
  @usableFromInline var step: (() throws -> Element?)?

  /// Creates a cursor over the results of a closure, until it returns nil.
  ///
  /// ```swift
  /// let lines = AnyCursor { readLine() }
  /// ```
  ///
  /// An error does not end the cursor: the closure is called again for the next element.
  ///
  /// - Parameter body: Returns the next element, or nil at the end.
  @inlinable
  public init(_ body: @escaping () throws -> Element?) {
    step = body
  }

  /// Creates a cursor over the elements of another cursor.
  @inlinable
  public convenience init(_ base: some Cursor<Element>) {
    self.init(base.next)
  }

  /// Creates a cursor over the elements of a sequence.
  @inlinable
  public convenience init(_ elements: some Sequence<Element>) {
    self.init(iterator: elements.makeIterator())
  }

  /// Creates a cursor over the remaining elements of an iterator.
  @inlinable
  public convenience init<Iterator: IteratorProtocol>(iterator: Iterator) where Iterator.Element == Element {
    var iterator = iterator
    self.init { iterator.next() }
  }

  /// Returns the next element, or nil at the end.
  @inlinable
  public func next() throws -> Element? {
    guard let step else { return nil }
    if let element = try step() { return element }
    self.step = nil
    return nil
  }
}

@available(*, unavailable)
extension AnyCursor: Sendable {}
