/// Finds the ranges that contain a value, among many.
///
/// The ranges are stored in a few sorted runs, each at least twice as long as the next: a new range is a run of one,
/// and runs of similar lengths are merged. A run is searched as a binary tree whose nodes store the highest upper bound
/// below them. Removed ranges are marked, and dropped once they are half of all. So insertions, removals and lookups
/// take logarithmic amortized time, in any order.
struct IntervalIndex<ID: Hashable & Sendable>: Sendable {
  fileprivate struct Item: Sendable {
    var range: ValueRange
    var id: ID

    /// IDs are reused: the number of earlier ranges with this ID.
    var generation: Int32
  }

  /// Ranges, sorted by their lower bounds.
  fileprivate struct Run: Sendable {
    var items: [Item]

    /// For the node in the middle of each part, the highest upper bound below it.
    var highest: [Upper]

    init(_ items: [Item]) {
      self.items = items
      highest = Array(repeating: .none, count: items.count)
      if !items.isEmpty { _ = fill(0..<items.count) }
    }

    /// - Parameter part: A part with at least one item.
    private mutating func fill(_ part: Range<Int>) -> Upper {
      let middle = part.middle
      let (before, after) = (part.lowerBound..<middle, middle + 1..<part.upperBound)
      var upper = Upper(items[middle].range)
      if !before.isEmpty { upper = max(upper, fill(before)) }
      if !after.isEmpty { upper = max(upper, fill(after)) }
      highest[middle] = upper
      return upper
    }

    func find(_ value: DatabaseValue, _ part: Range<Int>, _ body: (Item) -> Void) {
      if part.isEmpty { return }
      let middle = part.middle
      if highest[middle].isBelow(value) { return }
      find(value, part.lowerBound..<middle, body)
      let item = items[middle]
      // The lower bounds of all following ranges are not lower.
      if let lower = item.range.lower?.value, value.isOrdered(before: lower) { return }
      if item.range.contains(value) { body(item) }
      find(value, middle + 1..<part.upperBound, body)
    }
  }

  fileprivate enum Upper: Sendable {
    case bound(DatabaseValue)
    case none

    init(_ range: ValueRange) {
      self = range.upper.map { .bound($0.value) } ?? .none
    }

    func isBelow(_ value: DatabaseValue) -> Bool {
      switch self {
      case .bound(let bound): bound.isOrdered(before: value)
      case .none: false
      }
    }
  }

  private var runs: [Run] = []
  private var removedCount = 0
  private var totalCount = 0

  /// The generation of the current or next range with each ID; zero if missing. Ranges of other generations are
  /// removed ones.
  private var generations: [ID: Int32] = [:]

  /// The number of ranges.
  var count: Int { totalCount - removedCount }

  private func isThere(_ item: Item) -> Bool {
    generations.isEmpty ? item.generation == 0 : generations[item.id, default: 0] == item.generation
  }

  /// Adds a range. The ID must not belong to a current range.
  mutating func insert(_ range: ValueRange, _ id: ID) {
    totalCount += 1
    var items = [Item(range: range, id: id, generation: generations[id, default: 0])]
    while let last = runs.last, last.items.count <= 2 * items.count {
      items = Self.merge(runs.removeLast().items, items)
    }
    runs.append(Run(items))
  }

  /// Removes a current range.
  mutating func remove(_ id: ID) {
    generations[id, default: 0] += 1
    removedCount += 1
    if removedCount * 2 < totalCount { return }
    var items = runs.reduce([]) { Self.merge($0, $1.items) }.filter(isThere)
    for index in items.indices { items[index].generation = 0 }
    generations = [:]
    removedCount = 0
    totalCount = items.count
    runs = items.isEmpty ? [] : [Run(items)]
  }

  /// Calls a closure for each range that contains a value.
  func find(_ value: DatabaseValue, _ body: (ID) -> Void) {
    // Its order is unknown: any range may contain it.
    if value.isRepairedText { return forEach(body) }
    for run in runs {
      run.find(value, 0..<run.items.count) { item in
        if isThere(item) { body(item.id) }
      }
    }
  }

  /// Calls a closure for each range.
  func forEach(_ body: (ID) -> Void) {
    for run in runs {
      for item in run.items where isThere(item) { body(item.id) }
    }
  }

  private static func merge(_ lhs: [Item], _ rhs: [Item]) -> [Item] {
    var result: [Item] = []
    result.reserveCapacity(lhs.count + rhs.count)
    var (left, right) = (ArraySlice(lhs), ArraySlice(rhs))
    while let first = left.first, let second = right.first {
      if second.range.startsBefore(first.range) {
        result.append(right.removeFirst())
      } else {
        result.append(left.removeFirst())
      }
    }
    return result + left + right
  }

  fileprivate static func max(_ lhs: Upper, _ rhs: Upper) -> Upper {
    switch (lhs, rhs) {
    case (.none, _), (_, .none): .none
    case (.bound(let first), .bound(let second)): first.isOrdered(before: second) ? rhs : lhs
    }
  }
}

extension IntervalIndex.Run {
  private func max(_ lhs: IntervalIndex.Upper, _ rhs: IntervalIndex.Upper) -> IntervalIndex.Upper {
    IntervalIndex.max(lhs, rhs)
  }
}

extension Range<Int> {
  fileprivate var middle: Int { (lowerBound + upperBound) / 2 }
}

extension ValueRange {
  /// Whether the lower bound is less than the lower bound of another range.
  fileprivate func startsBefore(_ other: ValueRange) -> Bool {
    guard let otherLower = other.lower else { return false }
    guard let lower else { return true }
    return lower.value.isOrdered(before: otherLower.value)
  }
}

extension DatabaseValue {
  /// Whether the value is a text whose bytes differ from those that SQLite has.
  fileprivate var isRepairedText: Bool {
    if case .string(let text) = storage { text.unicodeScalars.contains("\u{FFFD}") } else { false }
  }
}
