/// A first-in, first-out queue of waiting accesses.
///
/// An access that gives up leaves a hole, which is skipped; when there are more holes than accesses, the queue is
/// compacted. All operations take constant amortized time, except giving up, which uses a binary search.
struct WaitQueue<Waiter> {
  /// A position in the queue.
  struct Ticket: Hashable, Sendable {
    fileprivate var number: UInt64
  }

  private var entries: [(number: UInt64, waiter: Waiter?)] = []
  private var firstEntry = 0
  private var nextNumber: UInt64 = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The length of the queue, including holes.
  var entryCount: Int { entries.count }

  /// The next access.
  var first: Waiter? {
    mutating get {
      if entries.isEmpty { return nil }
      skipHoles()
      return firstEntry < entries.count ? entries[firstEntry].waiter : nil
    }
  }

  mutating func append(_ waiter: Waiter) -> Ticket {
    defer { nextNumber += 1 }
    entries.append((nextNumber, waiter))
    count += 1
    return Ticket(number: nextNumber)
  }

  /// Removes and returns the next access.
  mutating func popFirst() -> Waiter? {
    if entries.isEmpty { return nil }
    skipHoles()
    guard firstEntry < entries.count, let waiter = entries[firstEntry].waiter else { return nil }
    entries[firstEntry].waiter = nil
    firstEntry += 1
    count -= 1
    compact()
    return waiter
  }

  /// Removes an access at any position. Nil if it is not in the queue any more.
  mutating func remove(_ ticket: Ticket) -> Waiter? {
    var low = firstEntry
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < ticket.number { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].number == ticket.number, let waiter = entries[low].waiter else {
      return nil
    }
    entries[low].waiter = nil
    count -= 1
    closeUp()
    return waiter
  }

  // The first one may stay for a long time, while others are added and give up.
  private mutating func closeUp() {
    guard entries.count > 64, count * 2 < entries.count else { return }
    entries.removeSubrange(..<firstEntry)
    entries.removeAll { $0.waiter == nil }
    firstEntry = 0
  }

  private mutating func skipHoles() {
    while firstEntry < entries.count, entries[firstEntry].waiter == nil { firstEntry += 1 }
    compact()
  }

  private mutating func compact() {
    if firstEntry == entries.count {
      entries.removeAll(keepingCapacity: true)
      firstEntry = 0
    } else if firstEntry > 64, firstEntry * 2 > entries.count {
      entries.removeFirst(firstEntry)
      firstEntry = 0
    }
  }
}
