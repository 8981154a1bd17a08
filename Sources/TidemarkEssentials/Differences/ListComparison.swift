/// Compares two lists in linear time.
///
/// Most commits change one or two rows of a long result. So equal elements at both ends are skipped first, and a single
/// moved element is searched before the identities of all remaining elements are put into a dictionary.
///
/// The code is inlinable: an unspecialized comparison takes ten times as long (`make bench FILTER=differences`).
@usableFromInline
struct ListComparison<Element: Equatable, ID: Hashable> {
  @usableFromInline typealias Difference = KeyedDifference<Element>

  @usableFromInline let old: [Element]
  @usableFromInline let new: [Element]

  // The offset and the identities of the elements between the equal ends.
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
    // These are in reverse order.
    for i in changesBehind.reversed() { addUpdate(oldCount - 1 - i, newCount - 1 - i) }
    return Difference(
      removals: removals, insertions: insertions, moves: moves, updates: updates, oldCount: oldCount)
  }

  /// Returns the number of pairs of elements with equal identities, up to the first different one, and which of them
  /// have changed.
  ///
  /// It uses unsafe buffers, because accessing an element of an array retains and releases it.
  @inlinable
  func passEqual(
    upTo count: Int, _ id: (Element) -> ID, _ positions: (Int) -> (old: Int, new: Int)
  ) -> (count: Int, changes: [Int]) {
    var changes: [Int] = []
    let passed = old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        for number in 0..<count {
          let (i, j) = positions(number)
          guard id(old[i]) == id(new[j]) else { return number }
          if old[i] != new[j] { changes.append(number) }
        }
        return count
      }
    }
    return (passed, changes)
  }

  /// Returns two offsets if both exist, and if their elements have the same identity.
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

  /// Returns whether one element that has moved from one end to the other explains the whole difference.
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

  /// Finds each element of the new list in the old one.
  @inlinable
  mutating func pairByIdentity(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
    // For each identity its first offset, for each offset the next one with the same identity, and for each first
    // offset the next one to be paired: a list may have several elements with the same identity.
    var firstPositions: [ID: Int] = [:]
    var nextPositions = Array(repeating: -1, count: oldRange.count)
    if !newRange.isEmpty {
      firstPositions.reserveCapacity(oldRange.count)
      for i in oldRange.reversed() {
        nextPositions[i - oldRange.lowerBound] = firstPositions.updateValue(i, forKey: oldIDs[i - start]) ?? -1
      }
    }
    var positions = Array(oldRange)
    var isPaired = Array(repeating: false, count: oldRange.count)
    var pairs: [(old: Int, new: Int)] = []
    pairs.reserveCapacity(min(oldRange.count, newRange.count))
    for j in newRange {
      guard let first = firstPositions[newIDs[j - start]], case let i = positions[first - oldRange.lowerBound], i >= 0
      else {
        insertions.append(Difference.Entry(offset: j, element: new[j]))
        continue
      }
      positions[first - oldRange.lowerBound] = nextPositions[i - oldRange.lowerBound]
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

/// Returns which numbers belong to a longest increasing subsequence.
///
/// Each number extends the longest subsequence whose last number is less. The least last numbers of the subsequences of
/// all lengths increase, so a binary search finds it.
@usableFromInline
func longestRun(of numbers: [Int]) -> [Bool] {
  // By length minus one: the index of the least last number of a subsequence of this length.
  var ends: [Int] = []
  var before = Array(repeating: -1, count: numbers.count)
  for (position, number) in numbers.enumerated() {
    var (low, high) = (0, ends.count)
    // Most numbers extend the longest subsequence.
    if let last = ends.last, numbers[last] < number { low = high }
    while low < high {
      let middle = (low + high) / 2
      if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
    }
    if low > 0 { before[position] = ends[low - 1] }
    if low == ends.count { ends.append(position) } else { ends[low] = position }
  }
  var isKept = Array(repeating: false, count: numbers.count)
  var position = ends.last ?? -1
  while position >= 0 {
    isKept[position] = true
    position = before[position]
  }
  return isKept
}
