/// A sequence of elements whose iteration may throw errors.
///
/// ```swift
/// let titles = try String.fetchCursor(db, sql: "SELECT title FROM book")
/// while let title = try titles.next() {
///   print(title)
/// }
/// ```
///
/// A cursor can be iterated once. It is not a `Sequence`, whose iteration cannot throw, but has most of the methods of
/// sequences. Methods that return a cursor (`map`, `filter`, `prefix`…) are lazy; the others (`reduce`, `contains`,
/// `suffix`…) consume the cursor.
///
/// Invariants:
/// 1. After the end, `next()` always returns nil.
/// 2. An error is thrown once, from the call that requests the element. The underlying cursor determines whether other
/// elements follow. Derived cursors continue as long as it does.
public protocol Cursor<Element>: AnyObject {
  /// The type of the elements.
  associatedtype Element

  /// Returns the next element, or nil at the end.
  ///
  /// ```swift
  /// let titles = try String.fetchCursor(db, sql: "SELECT title FROM book")
  /// let first = try titles.next()
  /// ```
  func next() throws -> Element?

  /// Calls a closure with each remaining element.
  ///
  /// If the closure throws, its element has been consumed, and the cursor can continue with the next one.
  ///
  /// ```swift
  /// try Book.fetchCursor(db).forEach { book in print(book.title) }
  /// ```
  ///
  /// - Parameter body: A closure that receives an element.
  /// - Throws: The error of the cursor or of the closure.
  func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
  /// Calls a closure with each remaining element.
  @inlinable
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() { try body(element) }
  }
}

// A cursor of statements has all methods of cursors: `forEach`, `map`, and so on.

extension SQLStatementCursor: Cursor {}
