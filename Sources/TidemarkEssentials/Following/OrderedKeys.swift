/// The ids of the rows of a result, in its order, with the values that they are sorted by.
///
/// Each row has a slot, by which its owner keeps what else he knows of it: slots are numbers from zero on, without
/// gaps. To find a row, and where it stands, to take it out or put it in, takes a time that hardly grows with the
/// number of rows.
struct OrderedKeys: Sendable {
  /// How many slots stand together: to put one in pushes so many aside, and to count passes groups of so many.
  private static let groupCountMax = 1_024

  let order: RowOrder
  private var keys: [Int64] = []

  /// Those of all slots, one behind the other.
  private var values: [DatabaseValue] = []
  private var slots: [Int64: Int32] = [:]

  /// The slots in order. None of the groups is empty.
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

  /// How many rows stand before a place: that of a row that is there, or of one that is not.
  func rank(of key: Int64, _ values: ArraySlice<DatabaseValue>) -> Int {
    let place = place(of: key, values)
    return groups[..<place.group].reduce(place.offset) { $0 + $1.count }
  }

  // MARK: Changes

  /// Puts in a row that stands behind all others.
  ///
  /// - returns: False when it does not: it was not put in then.
  mutating func append(_ key: Int64, _ values: ArraySlice<DatabaseValue>) -> Bool {
    if let last = groups.last?.last, compare(Int(last), key, values) >= 0 { return false }
    guard values.allSatisfy(RowOrder.isKnown), let slot = addSlot(key, values) else { return false }
    // Room is left for others: most groups stay as they are.
    if groups.last.map({ $0.count >= Self.groupCountMax / 2 }) ?? true { groups.append([]) }
    groups[groups.count - 1].append(slot)
    return true
  }

  /// Puts in a row that is not there, with the next slot.
  ///
  /// - parameter values: They can be put in order.
  mutating func insert(_ key: Int64, _ values: ArraySlice<DatabaseValue>) {
    let place = place(of: key, values)
    guard let slot = addSlot(key, values) else { preconditionFailure("A row is put in twice") }
    if place.group == groups.count {
      if groups.isEmpty { groups.append([]) }
      groups[groups.count - 1].append(slot)
    } else {
      groups[place.group].insert(slot, at: place.offset)
    }
    let group = min(place.group, groups.count - 1)
    if groups[group].count > Self.groupCountMax {
      let half = groups[group].count / 2
      groups.insert(Array(groups[group][half...]), at: group + 1)
      groups[group].removeSubrange(half...)
    }
  }

  /// Takes a row out. The row of the last slot has its slot from then on.
  mutating func remove(at slot: Int) {
    let place = place(ofSlot: slot)
    groups[place.group].remove(at: place.offset)
    if groups[place.group].isEmpty { groups.remove(at: place.group) }
    slots[keys[slot]] = nil
    let last = keys.count - 1
    if slot != last {
      let place = self.place(ofSlot: last)
      groups[place.group][place.offset] = Int32(slot)
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

  // MARK: Places

  private func compare(_ slot: Int, _ key: Int64, _ values: ArraySlice<DatabaseValue>) -> Int {
    order.compare(keys[slot], self.values(at: slot), key, values)
  }

  private func place(ofSlot slot: Int) -> (group: Int, offset: Int) { place(of: keys[slot], values(at: slot)) }

  /// The first place whose row does not stand before some row.
  private func place(of key: Int64, _ values: ArraySlice<DatabaseValue>) -> (group: Int, offset: Int) {
    func isBefore(_ slot: Int32) -> Bool { compare(Int(slot), key, values) < 0 }
    let group = groups.halved { $0.last.map(isBefore) ?? true }
    return (group, group == groups.count ? 0 : groups[group].halved(isBefore))
  }
}

extension Array {
  /// How many elements stand at the beginning that meet a condition, where those that do stand before all others.
  func halved(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
