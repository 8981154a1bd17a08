/// A sequence whose every step may fail.
public protocol Cursor<Element>: AnyObject {
  /// What the cursor shows.
  associatedtype Element

  /// The next element, or nil at the end.
  func next() throws -> Element?
}
