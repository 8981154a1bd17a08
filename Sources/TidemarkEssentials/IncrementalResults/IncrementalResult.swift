/// A result, and what of it its consumer has seen as another one, or not at all.
struct IncrementalResult<Element: Equatable & Sendable>: Sendable {
  /// An element, with what it is sorted by.
  struct OrderedRow: Sendable {
    var element: Element
    var values: ArraySlice<DatabaseValue>
  }

  /// What there is of a row now.
  struct Change: Sendable {
    let key: Int64

    /// Nil when it is not in the result.
    let row: OrderedRow?

    /// - parameter keys: Those of the result of this one row.
    init(_ key: Int64, _ element: Element?, _ keys: OrderedKeys) {
      self.key = key
      row = element.map { OrderedRow(element: $0, values: keys.values(at: 0)) }
    }
  }

  /// What the consumer has not been told.
  private enum PendingChanges: Sendable {
    /// Everything: he has seen nothing yet.
    case everything

    /// Nothing but rows that are `seen` as others.
    case rows

    /// What there is in place of these elements.
    case since([Element])
  }

  /// What is told to the consumer.
  enum Changes {
    case first([Element])
    case rows(KeyedDifference<Element>)
    case all(old: [Element], new: [Element])
  }

  /// In the slots of the keys; where there are none, in order.
  private var elements: [Element] = []
  private var keys: OrderedKeys?

  private var pendingChanges = PendingChanges.everything

  /// What the consumer has seen of rows that are others now, by their ids: nil where there was none.
  private(set) var seen: [Int64: OrderedRow?] = [:]

  var count: Int { elements.count }

  /// Whether rows can be put in.
  var isIncremental: Bool { keys != nil }

  /// Whether there may be something to tell.
  var hasChanges: Bool {
    if case .rows = pendingChanges { !seen.isEmpty } else { true }
  }

  // MARK: Changes

  /// Puts a new result in place of the one there is.
  ///
  /// - parameter keys: Those of its rows; nil where they are not known.
  /// - returns: The old result, to be released outside of the lock.
  @discardableResult
  mutating func replace(_ elements: [Element], _ keys: OrderedKeys?) -> Self {
    let old = self
    if case .rows = pendingChanges {
      pendingChanges = .since(seenList())
      seen = [:]
    }
    self.elements = elements
    self.keys = keys
    return old
  }

  /// Puts changed rows in. The keys are known.
  ///
  /// - returns: The old rows, to be released outside of the lock.
  @discardableResult
  mutating func update(_ changes: [Change]) -> [OrderedRow] {
    var replaced: [OrderedRow] = []
    guard var keys = keys.take() else { preconditionFailure("Rows are put into a result that has none") }
    for change in changes {
      let slot = keys.slot(of: change.key)
      let old = slot.map { OrderedRow(element: elements[$0], values: keys.values(at: $0)) }
      if let old { replaced.append(old) }
      if let slot, let old, let new = change.row, new.values.elementsEqual(old.values) {
        if new.element == old.element { continue }
        elements[slot] = new.element
      } else {
        if let slot {
          keys.remove(at: slot)
          elements.swapAt(slot, elements.count - 1)
          elements.removeLast()
        }
        if let new = change.row {
          keys.insert(change.key, new.values)
          elements.append(new.element)
        }
      }
      note(old, change)
    }
    self.keys = keys
    return replaced
  }

  /// Takes note of what the consumer has seen, if he has seen the result of before.
  private mutating func note(_ old: OrderedRow?, _ change: Change) {
    guard case .rows = pendingChanges, old != nil || change.row != nil else { return }
    if let known = seen[change.key] {
      // It came, and is gone.
      if known == nil, change.row == nil { seen[change.key] = nil }
    } else {
      seen.updateValue(old, forKey: change.key)
    }
  }

  // MARK: Lists

  /// The elements in order.
  private func list() -> [Element] {
    guard let keys else { return elements }
    var list: [Element] = []
    list.reserveCapacity(elements.count)
    keys.forEachSlot { list.append(elements[$0]) }
    return list
  }

  /// The elements that the consumer has seen, in order.
  private func seenList() -> [Element] {
    guard let keys, !seen.isEmpty else { return list() }
    var others = seenRows(keys.order)[...]
    var list: [Element] = []
    keys.forEachSlot { slot in
      let (key, values) = (keys.key(at: slot), keys.values(at: slot))
      if seen.keys.contains(key) { return }
      while let other = others.first, keys.order.compare(other.key, other.row.values, key, values) < 0 {
        list.append(other.row.element)
        others.removeFirst()
      }
      list.append(elements[slot])
    }
    return list + others.map(\.row.element)
  }

  /// The rows that the consumer has seen and that are others now, in order.
  private func seenRows(_ order: RowOrder) -> [(key: Int64, row: OrderedRow)] {
    seen.compactMap { key, row in row.map { (key, $0) } }
      .sorted { order.compare($0.0, $0.1.values, $1.0, $1.1.values) < 0 }
  }

  // MARK: The consumer

  /// What the consumer has not been told, which he is told now; nil when it is nothing.
  mutating func takeChanges<ID: Hashable>(by id: (Element) -> ID) -> Changes? {
    defer {
      pendingChanges = .rows
      seen = [:]
    }
    switch pendingChanges {
    case .everything: return .first(list())
    case .since(let old): return .all(old: old, new: list())
    case .rows:
      guard let keys, !seen.isEmpty else { return nil }
      return .rows(difference(keys, by: id))
    }
  }

  /// What has changed between what the consumer has seen and what there is.
  private func difference<ID: Hashable>(_ keys: OrderedKeys, by id: (Element) -> ID) -> KeyedDifference<Element> {
    var comparison = RowComparison<Element>()
    let old = seenRows(keys.order).filter { !isUnchangedAgain($0, keys) }
    var new: [(key: Int64, slot: Int, rank: Int)] = []
    for (key, row) in seen {
      guard let slot = keys.slot(of: key), !(row.map { isUnchangedAgain((key, $0), keys) } ?? false) else { continue }
      new.append((key, slot, keys.rank(of: key, keys.values(at: slot))))
    }
    new.sort { $0.rank < $1.rank }
    for (key, row) in old {
      let newBefore = new.partitionPoint { keys.order.compare($0.key, keys.values(at: $0.slot), key, row.values) < 0 }
      comparison.addOld(key, row.element, othersBefore: keys.rank(of: key, row.values) - newBefore)
    }
    for (key, slot, rank) in new { comparison.addNew(key, elements[slot], offset: rank) }
    return comparison.difference(oldCount: count - new.count + old.count, by: id)
  }

  /// Whether a row has become what the consumer has seen.
  private func isUnchangedAgain(_ seen: (key: Int64, row: OrderedRow), _ keys: OrderedKeys) -> Bool {
    guard let slot = keys.slot(of: seen.key) else { return false }
    return elements[slot] == seen.row.element && keys.values(at: slot).elementsEqual(seen.row.values)
  }
}
