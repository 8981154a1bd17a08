/// An iterator that can throw errors.
public protocol FailableIterator: IteratorProtocol {
  /// Returns the next element; nil at the end.
  ///
  /// - Returns: The element; nil at the end.
  /// - Throws: An error if the next element cannot be read.
  func failableNext() throws -> Element?
}

extension FailableIterator {
  /// Returns the next element; nil at the end.
  ///
  /// - Precondition: The next element can be read. ``failableNext()`` throws instead.
  /// - Returns: The element; nil at the end.
  public func next() -> Element? {
    do {
      return try failableNext()
    } catch {
      fatalError("\(error)")
    }
  }
}

extension Array {
  /// Creates an array of the remaining elements of an iterator.
  ///
  /// ```swift
  /// let all = try Array(db.prepareRowIterator(users))
  /// ```
  ///
  /// - Parameter failableIterator: The iterator.
  /// - Throws: The error of the iterator.
  public init<I: FailableIterator>(_ failableIterator: I) throws where I.Element == Element {
    self.init()
    while let element = try failableIterator.failableNext() { append(element) }
  }

  /// Creates an array of the elements of a sequence whose iterator can throw, such as the rows of a statement.
  ///
  /// ```swift
  /// let rows = try Array(db.prepare("SELECT id, email FROM users"))
  /// ```
  ///
  /// - Parameter loop: The sequence.
  /// - Throws: The error of the iterator.
  public init<I: FailableIterator & Sequence>(_ loop: I) throws
  where I.Element == Element, I.Iterator: FailableIterator {
    let iterator = loop.makeIterator()
    self.init()
    while let element = try iterator.failableNext() { append(element) }
  }
}
