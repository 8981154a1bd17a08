/// A first-in, first-out queue: of accesses that wait for a connection, or of values that wait for their delivery.
///
/// An element that has left is a hole in the array of entries. Holes are removed when there are many of them. So all
/// operations take constant amortized time, except removing any element, which uses a binary search.
///
/// Invariant: `firstEntry` is the index of the first element, or the end of the array.
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

  /// The length of the array, with its holes.
  var entryCount: Int { entries.count }

  /// The next element.
  var first: Waiter? { firstEntry < entries.count ? entries[firstEntry].waiter : nil }

  mutating func append(_ waiter: Waiter) -> Ticket {
    defer { nextNumber += 1 }
    entries.append((nextNumber, waiter))
    count += 1
    return Ticket(number: nextNumber)
  }

  /// Removes and returns the next element.
  mutating func popFirst() -> Waiter? {
    firstEntry < entries.count ? takeWaiter(at: firstEntry) : nil
  }

  /// Removes an element at any position. Nil if it is not in the queue any more.
  mutating func remove(_ ticket: Ticket) -> Waiter? {
    var low = firstEntry
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < ticket.number { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].number == ticket.number else { return nil }
    return takeWaiter(at: low)
  }

  private mutating func takeWaiter(at index: Int) -> Waiter? {
    guard let waiter = entries[index].waiter else { return nil }
    entries[index].waiter = nil
    count -= 1
    if entries.count > 2 * count + 64 {
      entries.removeAll { $0.waiter == nil }
      firstEntry = 0
    } else {
      while firstEntry < entries.count, entries[firstEntry].waiter == nil { firstEntry += 1 }
    }
    return waiter
  }
}
