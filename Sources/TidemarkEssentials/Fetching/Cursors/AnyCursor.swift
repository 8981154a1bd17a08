/// A cursor that hides where its elements come from.
///
/// ```swift
/// let countdown = AnyCursor([3, 2, 1])
/// ```
///
/// What it was made from is released at the end.
public final class AnyCursor<Element>: Cursor {
  /// The next element, or nil at the end. There is no function any more after the end.
  @usableFromInline var step: (() throws -> Element?)?

  /// A cursor over the results of a function, up to the first nil.
  ///
  /// An error of the function is no end: it is called again for the element after it.
  @inlinable
  public init(_ body: @escaping () throws -> Element?) {
    step = body
  }

  /// A cursor over the elements of another.
  @inlinable
  public convenience init(_ base: some Cursor<Element>) {
    self.init(base.next)
  }

  /// A cursor over the elements of a sequence.
  @inlinable
  public convenience init(_ elements: some Sequence<Element>) {
    self.init(iterator: elements.makeIterator())
  }

  /// A cursor over the remaining elements of an iterator.
  @inlinable
  public convenience init<Iterator: IteratorProtocol>(iterator: Iterator) where Iterator.Element == Element {
    var iterator = iterator
    self.init { iterator.next() }
  }

  /// The next element, or nil at the end.
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
