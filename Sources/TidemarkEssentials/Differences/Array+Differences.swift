extension Array where Element: Equatable {
  /// What has to be done with another list to make this one of it.
  ///
  /// ```swift
  /// let difference = newNames.keyedDifference(from: names) { $0.lowercased() }
  /// ```
  ///
  /// It takes a time that grows with the lengths of the lists, a small part of what it took to fetch them.
  ///
  /// - parameter old: The other list.
  /// - parameter id: Who an element is. Where a list has somebody twice, they are told apart by their places.
  @inlinable
  public func keyedDifference<ID: Hashable>(
    from old: [Element], by id: (Element) -> ID
  ) -> KeyedDifference<Element> {
    var comparison = ListComparison<Element, ID>(old, self)
    return comparison.difference(by: id)
  }
}

extension Array where Element: Equatable & Identifiable {
  /// What has to be done with another list to make this one of it.
  ///
  /// ```swift
  /// let difference = newPlayers.keyedDifference(from: players)
  /// ```
  ///
  /// - parameter old: The other list.
  @inlinable
  public func keyedDifference(from old: [Element]) -> KeyedDifference<Element> {
    // A key path would be made anew for each call, and asked by its description.
    keyedDifference(from: old) { $0.id }
  }
}

extension Array {
  /// Makes the list that a difference leads to.
  ///
  /// - parameter difference: One that starts from this list.
  public mutating func apply(_ difference: KeyedDifference<Element>) {
    precondition(
      count == difference.oldCount,
      "The difference starts from a list of \(difference.oldCount) elements, and this one has \(count): "
        + "apply each difference once, in the order in which they come, beginning with the first one")
    let (removals, moves, insertions) = (difference.removals, difference.moves, difference.insertions)
    if removals.count + insertions.count + 2 * moves.count <= 4 {
      applyInPlace(difference)
    } else {
      applyAtOnce(difference)
    }
    for update in difference.updates { self[update.offset] = update.element }
  }

  /// Where there is little to do, the others are pushed aside.
  private mutating func applyInPlace(_ difference: KeyedDifference<Element>) {
    let moved = difference.moves.map { self[$0.oldOffset] }
    for offset in difference.goneOffsets.reversed() { remove(at: offset) }
    var arrivals = difference.insertions.map { ($0.offset, $0.element) }
    arrivals += zip(difference.moves, moved).map { ($0.offset, $1) }
    for (offset, element) in arrivals.sorted(by: { $0.0 < $1.0 }) { insert(element, at: offset) }
  }

  private mutating func applyAtOnce(_ difference: KeyedDifference<Element>) {
    var result: [Element] = []
    result.reserveCapacity(difference.count)
    var (insertions, moves) = (difference.insertions[...], difference.moves[...])
    func takeArrivals() {
      while true {
        if insertions.first?.offset == result.count {
          result.append(insertions.removeFirst().element)
        } else if moves.first?.offset == result.count {
          result.append(self[moves.removeFirst().oldOffset])
        } else {
          return
        }
      }
    }
    var gone = difference.goneOffsets[...]
    for offset in indices {
      if gone.first == offset {
        gone.removeFirst()
        continue
      }
      takeArrivals()
      result.append(self[offset])
    }
    takeArrivals()
    self = result
  }
}

extension KeyedDifference {
  /// The places of the old list where an element does not stay, in order.
  fileprivate var goneOffsets: [Int] { (removals.map(\.offset) + moves.map(\.oldOffset)).sorted() }
}
