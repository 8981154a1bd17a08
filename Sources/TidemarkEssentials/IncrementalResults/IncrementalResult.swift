/// The result of an observation, and the changes that each of its consumers has not received.
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

  /// The state of a consumer.
  fileprivate struct Consumer: Sendable {
    var pendingChanges = PendingChanges.everything

    /// The rows that have changed, by ID, as the consumer has received them; nil for rows that were not in the result.
    var seen: [Int64: OrderedRow?] = [:]

    /// Whether there may be changes for the consumer.
    var hasChanges: Bool {
      if case .rows = pendingChanges { !seen.isEmpty } else { true }
    }
  }

  /// The changes that a consumer has not received.
  fileprivate enum PendingChanges: Sendable {
    /// The consumer has not received anything yet.
    case everything

    /// Only the rows in `seen` have changed.
    case rows

    /// The result was replaced. The consumer has received these elements.
    case since([Element])
  }

  /// The changes passed to a consumer.
  enum Changes {
    case first([Element])
    case rows(KeyedDifference<Element>)
    case all(old: [Element], new: [Element])
  }

  /// The elements in the slots of the keys. Without keys, the elements in order.
  private var elements: [Element] = []
  private var keys: OrderedKeys?

  /// The consumers, by number.
  private var consumers: [Int: Consumer] = [:]
  private var nextConsumer = 0

  var count: Int { elements.count }

  /// Whether rows can be updated.
  var isIncremental: Bool { keys != nil }

  /// Whether there may be changes for a consumer.
  var hasChanges: Bool { consumers.values.contains(where: \.hasChanges) }

  // MARK: Changes

  /// Replaces the result.
  ///
  /// - Parameter keys: The keys of the rows; nil if they are unknown.
  /// - Returns: The old result, to be released outside of the lock.
  @discardableResult
  mutating func replace(_ elements: [Element], _ keys: OrderedKeys?) -> Self {
    let old = self
    for (number, consumer) in consumers {
      guard case .rows = consumer.pendingChanges else { continue }
      consumers[number] = Consumer(pendingChanges: .since(list(seenBy: consumer)))
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
      // In place: iterating over the dictionary would copy it for each row.
      for index in consumers.values.indices { consumers.values[index].note(old, change) }
    }
    self.keys = keys
    return replaced
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

  /// Returns the elements that a consumer has received, in order.
  private func list(seenBy consumer: Consumer) -> [Element] {
    guard let keys, !consumer.seen.isEmpty else { return list() }
    var others = consumer.seenRows(keys.order)[...]
    var list: [Element] = []
    keys.forEachSlot { slot in
      let (key, values) = (keys.key(at: slot), keys.values(at: slot))
      if consumer.seen.keys.contains(key) { return }
      while let other = others.first, keys.order.compare(other.key, other.row.values, key, values) < 0 {
        list.append(other.row.element)
        others.removeFirst()
      }
      list.append(elements[slot])
    }
    return list + others.map(\.row.element)
  }

  // MARK: Consumers

  /// Adds a consumer, which has not received anything yet.
  ///
  /// - Returns: The number of the consumer.
  mutating func addConsumer() -> Int {
    defer { nextConsumer += 1 }
    consumers[nextConsumer] = Consumer()
    return nextConsumer
  }

  /// Removes a consumer.
  ///
  /// - Returns: The old state, to be released outside of the lock.
  @discardableResult
  mutating func removeConsumer(_ number: Int) -> Self {
    let old = self
    consumers[number] = nil
    return old
  }

  /// Returns the changes that a consumer has not received, and marks them as received; nil if there are none.
  mutating func takeChanges<ID: Hashable>(for number: Int, by id: (Element) -> ID) -> Changes? {
    guard let consumer = consumers[number] else { preconditionFailure("consumer \(number) was removed") }
    consumers[number] = Consumer(pendingChanges: .rows)
    switch consumer.pendingChanges {
    case .everything: return .first(list())
    case .since(let old): return .all(old: old, new: list())
    case .rows:
      guard let keys, !consumer.seen.isEmpty else { return nil }
      return .rows(difference(keys, consumer, by: id))
    }
  }

  /// Returns the difference between the received elements and the current elements.
  private func difference<ID: Hashable>(
    _ keys: OrderedKeys, _ consumer: Consumer, by id: (Element) -> ID
  ) -> KeyedDifference<Element> {
    var comparison = RowComparison<Element>()
    let old = consumer.seenRows(keys.order).filter { !isUnchangedAgain($0, keys) }
    var new: [(key: Int64, slot: Int, rank: Int)] = []
    for (key, row) in consumer.seen {
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

  /// Returns whether a row is again equal to the row that a consumer has received.
  private func isUnchangedAgain(_ seen: (key: Int64, row: OrderedRow), _ keys: OrderedKeys) -> Bool {
    guard let slot = keys.slot(of: seen.key) else { return false }
    return elements[slot] == seen.row.element && keys.values(at: slot).elementsEqual(seen.row.values)
  }
}

extension IncrementalResult.Consumer {
  /// Remembers a row that the consumer has received, before it changes.
  fileprivate mutating func note(_ old: IncrementalResult.OrderedRow?, _ change: IncrementalResult.Change) {
    guard case .rows = pendingChanges, old != nil || change.row != nil else { return }
    if let known = seen[change.key] {
      // The row was inserted and deleted since then.
      if known == nil, change.row == nil { seen[change.key] = nil }
    } else {
      seen.updateValue(old, forKey: change.key)
    }
  }

  /// Returns the rows that the consumer has received and that have changed since, in order.
  fileprivate func seenRows(_ order: RowOrder) -> [(key: Int64, row: IncrementalResult.OrderedRow)] {
    let rows = seen.compactMap { key, row in row.map { (key: key, row: $0) } }
    // Sorting numbers avoids moving the rows, whose type is not known when this is compiled.
    let positions = rows.map { (key: $0.key, values: $0.row.values) }
    return positions.indices.sorted {
      order.compare(positions[$0].key, positions[$0].values, positions[$1].key, positions[$1].values) < 0
    }.map { rows[$0] }
  }
}
