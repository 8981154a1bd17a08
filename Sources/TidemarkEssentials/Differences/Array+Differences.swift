extension Array where Element: Equatable {
  /// Returns the steps that transform another list into this one.
  ///
  /// ```swift
  /// let difference = newNames.keyedDifference(from: names) { $0.lowercased() }
  /// ```
  ///
  /// The time grows linearly with the lengths of the lists, and is a small part of the time that fetching them takes.
  ///
  /// - Parameter old: The list from which the steps start.
  /// - Parameter id: Returns the identity of an element. Elements of a list with the same identity are paired in order.
  /// - Returns: The removals, insertions, moves and updates.
  @inlinable
  public func keyedDifference<ID: Hashable>(
    from old: [Element], by id: (Element) -> ID
  ) -> KeyedDifference<Element> {
    var comparison = ListComparison<Element, ID>(old, self)
    return comparison.difference(by: id)
  }
}

extension Array where Element: Equatable & Identifiable {
  /// Returns the steps that transform another list into this one, with elements identified by their `id`.
  ///
  /// ```swift
  /// let difference = newPlayers.keyedDifference(from: players)
  /// ```
  ///
  /// - Parameter old: The list from which the steps start.
  /// - Returns: The removals, insertions, moves and updates.
  @inlinable
  public func keyedDifference(from old: [Element]) -> KeyedDifference<Element> {
    // A key path would be created in each call, and is slower than a closure.
    keyedDifference(from: old) { $0.id }
  }
}

extension Array {
  /// Transforms this list by the steps of a difference.
  ///
  /// ```swift
  /// players.apply(newPlayers.keyedDifference(from: players))
  /// ```
  ///
  /// It is a programming error to apply a difference that starts from a list of another length.
  ///
  /// - Parameter difference: A difference that starts from this list.
  public mutating func apply(_ difference: KeyedDifference<Element>) {
    precondition(
      count == difference.oldCount,
      "the difference starts from a list of \(difference.oldCount) elements, but this list has \(count): "
        + "apply each difference of a sequence once, in order")
    let (removals, moves, insertions) = (difference.removals, difference.moves, difference.insertions)
    if removals.count + insertions.count + 2 * moves.count <= 4 {
      applyInPlace(difference)
    } else {
      applyAtOnce(difference)
    }
    for update in difference.updates { self[update.offset] = update.element }
  }

  /// Removes and inserts single elements, for differences with few steps.
  private mutating func applyInPlace(_ difference: KeyedDifference<Element>) {
    let moved = difference.moves.map { self[$0.oldOffset] }
    for offset in difference.goneOffsets.reversed() { remove(at: offset) }
    var arrivals = difference.insertions.map { ($0.offset, $0.element) }
    arrivals += zip(difference.moves, moved).map { ($0.offset, $1) }
    for (offset, element) in arrivals.sorted(by: { $0.0 < $1.0 }) { insert(element, at: offset) }
  }

  /// Builds a new list, for differences with many steps.
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
  /// The offsets in the old list of elements that are removed or moved, in order.
  fileprivate var goneOffsets: [Int] { (removals.map(\.offset) + moves.map(\.oldOffset)).sorted() }
}
