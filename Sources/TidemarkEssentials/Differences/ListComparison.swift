/// Compares two lists, in a time that grows with their lengths alone.
///
/// Most commits change a row or two of a long result. So what is equal at both ends is passed first, and one element
/// that has moved is looked for before all identities of what is left are put into a table.
///
/// The code is compiled where it is used: a comparison that is not made for the type of the elements takes ten times as
/// long.
@usableFromInline
struct ListComparison<Element: Equatable, ID: Hashable> {
  @usableFromInline typealias Difference = KeyedDifference<Element>

  @usableFromInline let old: [Element]
  @usableFromInline let new: [Element]

  // Those of the elements between equal ends, of which the first one stands here.
  @usableFromInline var start = 0
  @usableFromInline var oldIDs: [ID] = []
  @usableFromInline var newIDs: [ID] = []

  @usableFromInline var removals: [Difference.Entry] = []
  @usableFromInline var insertions: [Difference.Entry] = []
  @usableFromInline var moves: [Difference.Move] = []
  @usableFromInline var updates: [Difference.Update] = []

  @inlinable
  init(_ old: [Element], _ new: [Element]) {
    self.old = old
    self.new = new
  }

  @inlinable
  mutating func difference(by id: (Element) -> ID) -> Difference {
    let (oldCount, newCount) = (old.count, new.count)
    let (countBefore, changesBefore) = passEqual(upTo: min(oldCount, newCount), id) { ($0, $0) }
    let (countBehind, changesBehind) = passEqual(upTo: min(oldCount, newCount) - countBefore, id) {
      (oldCount - 1 - $0, newCount - 1 - $0)
    }
    for i in changesBefore { addUpdate(i, i) }
    let (oldRange, newRange) = (countBefore..<oldCount - countBehind, countBefore..<newCount - countBehind)
    start = countBefore
    oldIDs = old[oldRange].map(id)
    newIDs = new[newRange].map(id)
    if !findOneMove(oldRange, newRange) { pairByIdentity(oldRange, newRange) }
    // These were found from the last one to the first one.
    for i in changesBehind.reversed() { addUpdate(oldCount - 1 - i, newCount - 1 - i) }
    return Difference(
      removals: removals, insertions: insertions, moves: moves, updates: updates, oldCount: oldCount)
  }

  /// How many elements are the same in the pairs of places that a closure gives, and which of them have changed.
  ///
  /// In memory that does not move: elements that are taken out of arrays are retained and released, each of them.
  @inlinable
  func passEqual(
    upTo count: Int, _ id: (Element) -> ID, _ places: (Int) -> (old: Int, new: Int)
  ) -> (count: Int, changes: [Int]) {
    var changes: [Int] = []
    let passed = old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        for number in 0..<count {
          let (i, j) = places(number)
          guard id(old[i]) == id(new[j]) else { return number }
          if old[i] != new[j] { changes.append(number) }
        }
        return count
      }
    }
    return (passed, changes)
  }

  /// Two places, if there are two, and the same element stands there.
  @inlinable
  func pair(_ i: Int?, _ j: Int?) -> (Int, Int)? {
    guard let i, let j, oldIDs[i - start] == newIDs[j - start] else { return nil }
    return (i, j)
  }

  @inlinable
  mutating func compare(_ i: Int, _ j: Int) {
    if old[i] != new[j] { addUpdate(i, j) }
  }

  @inlinable
  mutating func addUpdate(_ i: Int, _ j: Int) {
    updates.append(Difference.Update(oldOffset: i, offset: j, oldElement: old[i], element: new[j]))
  }

  /// Looks whether all is told by one element that has moved from one end to the other.
  @inlinable
  mutating func findOneMove(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> Bool {
    guard oldRange.count == newRange.count, oldRange.count > 1 else { return false }
    let (down, up) = (pair(oldRange.first, newRange.last), pair(oldRange.last, newRange.first))
    if let (i, j) = down, zip(oldRange.dropFirst(), newRange).allSatisfy({ oldIDs[$0 - start] == newIDs[$1 - start] }) {
      zip(oldRange.dropFirst(), newRange).forEach { compare($0, $1) }
      compare(i, j)
      moves.append(Difference.Move(oldOffset: i, offset: j))
      return true
    }
    if let (i, j) = up, zip(oldRange, newRange.dropFirst()).allSatisfy({ oldIDs[$0 - start] == newIDs[$1 - start] }) {
      compare(i, j)
      zip(oldRange, newRange.dropFirst()).forEach { compare($0, $1) }
      moves.append(Difference.Move(oldOffset: i, offset: j))
      return true
    }
    return false
  }

  /// Looks for each element of the new list in the old one.
  @inlinable
  mutating func pairByIdentity(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
    // Where an element stands first, behind each one where it stands again, and, for those that stand first, which one
    // of them is next to be found: a list may have the same element twice.
    var firstPlaces: [ID: Int] = [:]
    var nextPlaces = Array(repeating: -1, count: oldRange.count)
    if !newRange.isEmpty {
      firstPlaces.reserveCapacity(oldRange.count)
      for i in oldRange.reversed() {
        nextPlaces[i - oldRange.lowerBound] = firstPlaces.updateValue(i, forKey: oldIDs[i - start]) ?? -1
      }
    }
    var places = Array(oldRange)
    var isPaired = Array(repeating: false, count: oldRange.count)
    var pairs: [(old: Int, new: Int)] = []
    pairs.reserveCapacity(min(oldRange.count, newRange.count))
    for j in newRange {
      guard let first = firstPlaces[newIDs[j - start]], case let i = places[first - oldRange.lowerBound], i >= 0 else {
        insertions.append(Difference.Entry(offset: j, element: new[j]))
        continue
      }
      places[first - oldRange.lowerBound] = nextPlaces[i - oldRange.lowerBound]
      isPaired[i - oldRange.lowerBound] = true
      pairs.append((i, j))
      compare(i, j)
    }
    for i in oldRange where !isPaired[i - oldRange.lowerBound] {
      removals.append(Difference.Entry(offset: i, element: old[i]))
    }
    let stays = longestRun(of: pairs.map(\.old))
    for (pair, stays) in zip(pairs, stays) where !stays {
      moves.append(Difference.Move(oldOffset: pair.old, offset: pair.new))
    }
  }
}

/// Which of some numbers to keep, so that they ascend and as many as can be are kept.
///
/// Each number stands on the end of the longest run that it goes on with; the ends of runs of all lengths ascend, so it
/// is found by halving.
@usableFromInline
func longestRun(of numbers: [Int]) -> [Bool] {
  // By length less one: the place of the least number that a run of this length ends with.
  var ends: [Int] = []
  var before = Array(repeating: -1, count: numbers.count)
  for (place, number) in numbers.enumerated() {
    var (low, high) = (0, ends.count)
    // Most numbers go on with the longest run.
    if let last = ends.last, numbers[last] < number { low = high }
    while low < high {
      let middle = (low + high) / 2
      if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
    }
    if low > 0 { before[place] = ends[low - 1] }
    if low == ends.count { ends.append(place) } else { ends[low] = place }
  }
  var isKept = Array(repeating: false, count: numbers.count)
  var place = ends.last ?? -1
  while place >= 0 {
    isKept[place] = true
    place = before[place]
  }
  return isKept
}
