extension Array {
  /// Removes all elements, and keeps the memory that they were in.
  ///
  /// A few are removed one by one: that takes some twenty instructions for each, and the function of the standard
  /// library two hundred at least.
  mutating func empty() {
    if count > 8 { return removeAll(keepingCapacity: true) }
    while !isEmpty { removeLast() }
  }
}
