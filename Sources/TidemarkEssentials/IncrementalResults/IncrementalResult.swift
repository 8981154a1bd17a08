/// The result of an incremental query, and its changes since the consumer last received them.
struct IncrementalResult<Element: Equatable & Sendable>: Sendable {
  /// An element and its sort keys.
  struct OrderedRow: Sendable {
    var element: Element
    var values: ArraySlice<DatabaseValue>
  }

  /// The new state of a row.
  struct Change: Sendable {
    let key: Int64

    /// The row; nil if it is not in the result.
    let row: OrderedRow?

    /// - Parameter keys: The keys of the result of the single-row query.
    init(_ key: Int64, _ element: Element?, _ keys: OrderedKeys) {
      self.key = key
      row = element.map { OrderedRow(element: $0, values: keys.values(at: 0)) }
    }
  }

  /// The changes that the consumer has not received.
  private enum PendingChanges: Sendable {
    /// The consumer has not received anything yet.
    case everything

    /// Only the rows in `seen` have changed.
    case rows

    /// The result was replaced. The consumer has received these elements.
    case since([Element])
  }

  /// The changes passed to the consumer.
  enum Changes {
    case first([Element])
    case rows(KeyedDifference<Element>)
    case all(old: [Element], new: [Element])
  }

  /// The elements in the slots of the keys. Without keys, the elements in order.
  private var elements: [Element] = []
  private var keys: OrderedKeys?

  private var pendingChanges = PendingChanges.everything

  /// The rows that have changed, by ID, as the consumer has received them; nil for rows that were not in the result.
  private(set) var seen: [Int64: OrderedRow?] = [:]

  var count: Int { elements.count }

  /// Whether rows can be updated.
  var isIncremental: Bool { keys != nil }

  /// Whether there may be changes for the consumer.
  var hasChanges: Bool {
    if case .rows = pendingChanges { !seen.isEmpty } else { true }
  }

  // MARK: Changes

  /// Replaces the result.
  ///
  /// - Parameter keys: The keys of the rows; nil if they are unknown.
  /// - Returns: The old result, to be released outside of the lock.
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

  /// Updates changed rows. The result must have keys.
  ///
  /// - Returns: The old rows, to be released outside of the lock.
  @discardableResult
  mutating func update(_ changes: [Change]) -> [OrderedRow] {
    var replaced: [OrderedRow] = []
    guard var keys = keys.take() else { preconditionFailure("Cannot update rows of a result without keys") }
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

  /// Remembers the row that the consumer has received.
  private mutating func note(_ old: OrderedRow?, _ change: Change) {
    guard case .rows = pendingChanges, old != nil || change.row != nil else { return }
    if let known = seen[change.key] {
      // The row was inserted and deleted since then.
      if known == nil, change.row == nil { seen[change.key] = nil }
    } else {
      seen.updateValue(old, forKey: change.key)
    }
  }

  // MARK: Lists

  /// Returns the elements in order.
  private func list() -> [Element] {
    guard let keys else { return elements }
    var list: [Element] = []
    list.reserveCapacity(elements.count)
    keys.forEachSlot { list.append(elements[$0]) }
    return list
  }

  /// Returns the elements that the consumer has received, in order.
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

  /// Returns the rows that the consumer has received and that have changed since, in order.
  private func seenRows(_ order: RowOrder) -> [(key: Int64, row: OrderedRow)] {
    seen.compactMap { key, row in row.map { (key, $0) } }
      .sorted { order.compare($0.0, $0.1.values, $1.0, $1.1.values) < 0 }
  }

  // MARK: The consumer

  /// Returns the changes that the consumer has not received, and marks them as received; nil if there are none.
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

  /// Returns the difference between the received elements and the current elements.
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

  /// Returns whether a row is again equal to the row that the consumer has received.
  private func isUnchangedAgain(_ seen: (key: Int64, row: OrderedRow), _ keys: OrderedKeys) -> Bool {
    guard let slot = keys.slot(of: seen.key) else { return false }
    return elements[slot] == seen.row.element && keys.values(at: slot).elementsEqual(seen.row.values)
  }
}
