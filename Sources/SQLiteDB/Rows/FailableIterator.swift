/// An iterator whose steps may fail.
public protocol FailableIterator: IteratorProtocol {
  /// The next element, or nil at the end.
  func failableNext() throws -> Element?
}

extension FailableIterator {
  /// The next element, or nil at the end.
  ///
  /// - precondition: The step succeeds: see `failableNext()`, which throws.
  public func next() -> Element? {
    do {
      return try failableNext()
    } catch {
      fatalError("\(error)")
    }
  }
}

extension Array {
  /// All elements of an iterator.
  ///
  /// ```swift
  /// let all = try Array(db.prepareRowIterator(users))
  /// ```
  public init<I: FailableIterator>(_ failableIterator: I) throws where I.Element == Element {
    self.init()
    while let element = try failableIterator.failableNext() { append(element) }
  }

  /// All elements of a loop whose steps may fail: the rows of a statement.
  public init<I: FailableIterator & Sequence>(_ loop: I) throws
  where I.Element == Element, I.Iterator: FailableIterator {
    let iterator = loop.makeIterator()
    self.init()
    while let element = try iterator.failableNext() { append(element) }
  }
}
