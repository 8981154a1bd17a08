/// The row IDs of a result, in its order, with the values by which the rows are sorted.
///
/// Each row has a slot, by which the owner stores further data: slots are numbers from zero on, without
/// gaps. Finding a row and its position, and removing or inserting a row, take a time that hardly grows with the
/// number of rows.
struct OrderedKeys: Sendable {
  /// The maximum size of a group of slots: an insertion moves so many slots, and counting iterates over groups.
  private static let groupCountMax = 1_024

  let order: RowOrder
  private var keys: [Int64] = []

  /// The values of all slots, one after the other.
  private var values: [DatabaseValue] = []
  private var slots: [Int64: Int32] = [:]

  /// The slots in order. No group is empty.
  private var groups: [[Int32]] = []

  init(_ order: RowOrder) {
    self.order = order
  }

  var count: Int { keys.count }

  func slot(of key: Int64) -> Int? { slots[key].map(Int.init) }

  func key(at slot: Int) -> Int64 { keys[slot] }

  func values(at slot: Int) -> ArraySlice<DatabaseValue> {
    values[(slot * order.terms.count)..<((slot + 1) * order.terms.count)]
  }

  /// Calls a closure with all slots, in order.
  func forEachSlot(_ body: (Int) -> Void) {
    for group in groups { for slot in group { body(Int(slot)) } }
  }

  /// The number of rows before a position, which may belong to an existing row or to a new one.
  func rank(of key: Int64, _ values: ArraySlice<DatabaseValue>) -> Int {
    let position = position(of: key, values)
    return groups[..<position.group].reduce(position.offset) { $0 + $1.count }
  }

  // MARK: Changes

  /// Appends a row that sorts after all others.
  ///
  /// - Returns: False if it does not sort after all others: then it was not appended.
  mutating func append(_ key: Int64, _ values: ArraySlice<DatabaseValue>) -> Bool {
    if let last = groups.last?.last, compare(Int(last), key, values) >= 0 { return false }
    guard values.allSatisfy(RowOrder.isKnown), let slot = addSlot(key, values) else { return false }
    // Leave room for insertions, so that most groups need not be split.
    if groups.last.map({ $0.count >= Self.groupCountMax / 2 }) ?? true { groups.append([]) }
    groups[groups.count - 1].append(slot)
    return true
  }

  /// Inserts a new row, with the next slot.
  ///
  /// - Parameter values: Values that can be ordered.
  mutating func insert(_ key: Int64, _ values: ArraySlice<DatabaseValue>) {
    let position = position(of: key, values)
    guard let slot = addSlot(key, values) else { preconditionFailure("A row ID must not be inserted twice") }
    if position.group == groups.count {
      if groups.isEmpty { groups.append([]) }
      groups[groups.count - 1].append(slot)
    } else {
      groups[position.group].insert(slot, at: position.offset)
    }
    let group = min(position.group, groups.count - 1)
    if groups[group].count > Self.groupCountMax {
      let half = groups[group].count / 2
      groups.insert(Array(groups[group][half...]), at: group + 1)
      groups[group].removeSubrange(half...)
    }
  }

  /// Removes a row. The row with the last slot then gets its slot.
  mutating func remove(at slot: Int) {
    let position = position(ofSlot: slot)
    groups[position.group].remove(at: position.offset)
    if groups[position.group].isEmpty { groups.remove(at: position.group) }
    slots[keys[slot]] = nil
    let last = keys.count - 1
    if slot != last {
      let position = self.position(ofSlot: last)
      groups[position.group][position.offset] = Int32(slot)
      slots[keys[last]] = Int32(slot)
      keys[slot] = keys[last]
      for term in 0..<order.terms.count {
        values[slot * order.terms.count + term] = values[last * order.terms.count + term]
      }
    }
    keys.removeLast()
    values.removeLast(order.terms.count)
  }

  private mutating func addSlot(_ key: Int64, _ newValues: ArraySlice<DatabaseValue>) -> Int32? {
    guard let slot = Int32(exactly: keys.count), slots[key] == nil else { return nil }
    slots[key] = slot
    keys.append(key)
    values.append(contentsOf: newValues)
    return slot
  }

  // MARK: Positions

  private func compare(_ slot: Int, _ key: Int64, _ values: ArraySlice<DatabaseValue>) -> Int {
    order.compare(keys[slot], self.values(at: slot), key, values)
  }

  private func position(ofSlot slot: Int) -> (group: Int, offset: Int) { position(of: keys[slot], values(at: slot)) }

  /// The first position whose row does not sort before a row.
  private func position(of key: Int64, _ values: ArraySlice<DatabaseValue>) -> (group: Int, offset: Int) {
    func isBefore(_ slot: Int32) -> Bool { compare(Int(slot), key, values) < 0 }
    let group = groups.partitionPoint { $0.last.map(isBefore) ?? true }
    return (group, group == groups.count ? 0 : groups[group].partitionPoint(isBefore))
  }
}

extension Array {
  /// The number of elements at the beginning that satisfy a condition, if all of these precede all others.
  func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
