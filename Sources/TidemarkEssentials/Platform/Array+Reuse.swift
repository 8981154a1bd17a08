extension Array {
  /// Removes all elements, and keeps the capacity.
  ///
  /// Removing a few elements one by one takes about twenty instructions each; `removeAll(keepingCapacity:)` takes two
  /// hundred at least.
  mutating func removeAllKeepingCapacity() {
    if count > 8 { return removeAll(keepingCapacity: true) }
    while !isEmpty { removeLast() }
  }

  /// Removes all elements, so that the next ones can use the memory.
  ///
  /// Large memory is kept only if a quarter of it was used. So a series of large transactions does not allocate it each
  /// time: new pages would take a fifth of the time of such a transaction (Benchmarks: `feed large`). The next small
  /// transaction frees it. An empty array was not used, and stays as it is.
  ///
  /// - Parameter smallCapacity: The number of elements whose memory is kept in any case.
  mutating func removeAllForReuse(smallCapacity: Int) {
    if isEmpty { return }
    if capacity > smallCapacity, capacity / 4 > count {
      self = []
    } else {
      removeAllKeepingCapacity()
    }
  }
}
