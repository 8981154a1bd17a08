extension Array {
  /// Removes all elements, and keeps the capacity.
  ///
  /// Removing a few elements one by one takes about twenty instructions each; `removeAll(keepingCapacity:)` takes two
  /// hundred at least.
  mutating func removeAllKeepingCapacity() {
    if count > 8 { return removeAll(keepingCapacity: true) }
    while !isEmpty { removeLast() }
  }
}
