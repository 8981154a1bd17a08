/// Elements shown one after the other, where every step may fail.
///
/// ```swift
/// let titles = try String.fetchCursor(db, sql: "SELECT title FROM book")
/// while let title = try titles.next() {
///   print(title)
/// }
/// ```
///
/// A cursor is walked once. It is no `Sequence`, whose steps cannot fail, but has most of the methods of one. Those
/// that return a cursor (`map`, `filter`, `prefix`…) wait for their elements to be asked for; the others
/// (`reduce`, `contains`, `suffix`…) consume the cursor at once.
///
/// Invariants:
/// 1. After the end, `next()` returns nil for ever.
/// 2. An error is thrown once, to who asks for the element. Whether there are elements after it is up to the cursor
///    where it comes from: all cursors derived from another go on as long as that one does.
public protocol Cursor<Element>: AnyObject {
  /// What the cursor shows.
  associatedtype Element

  /// The next element, or nil at the end.
  func next() throws -> Element?

  /// Calls a function with each of the remaining elements.
  ///
  /// When the function throws, the element it was called with is consumed, and the cursor can go on after it.
  func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
  /// Calls a function with each of the remaining elements.
  @inlinable
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() { try body(element) }
  }
}
