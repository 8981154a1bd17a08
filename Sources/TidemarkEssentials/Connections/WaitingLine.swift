/// A first-in, first-out queue of waiting accesses.
///
/// An access that gives up leaves a hole, which is skipped; when there are more holes than accesses, the queue is
/// compacted. All operations take constant amortized time, except giving up, which uses a binary search.
struct WaitingLine<Waiter> {
  /// A position in the queue.
  struct Ticket: Hashable, Sendable {
    fileprivate var number: UInt64
  }

  private var places: [(number: UInt64, waiter: Waiter?)] = []
  private var firstPlace = 0
  private var nextNumber: UInt64 = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The length of the queue, including holes.
  var placeCount: Int { places.count }

  /// The next access.
  var first: Waiter? {
    mutating get {
      if places.isEmpty { return nil }
      skipHoles()
      return firstPlace < places.count ? places[firstPlace].waiter : nil
    }
  }

  mutating func append(_ waiter: Waiter) -> Ticket {
    defer { nextNumber += 1 }
    places.append((nextNumber, waiter))
    count += 1
    return Ticket(number: nextNumber)
  }

  /// Removes and returns the next access.
  mutating func popFirst() -> Waiter? {
    if places.isEmpty { return nil }
    skipHoles()
    guard firstPlace < places.count, let waiter = places[firstPlace].waiter else { return nil }
    places[firstPlace].waiter = nil
    firstPlace += 1
    count -= 1
    compact()
    return waiter
  }

  /// Removes an access at any position. Nil if it is not in the queue any more.
  mutating func remove(_ ticket: Ticket) -> Waiter? {
    var low = firstPlace
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].number < ticket.number { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, places[low].number == ticket.number, let waiter = places[low].waiter else { return nil }
    places[low].waiter = nil
    count -= 1
    closeUp()
    return waiter
  }

  // The first one may stay for a long time, while others are added and give up.
  private mutating func closeUp() {
    guard places.count > 64, count * 2 < places.count else { return }
    places.removeSubrange(..<firstPlace)
    places.removeAll { $0.waiter == nil }
    firstPlace = 0
  }

  private mutating func skipHoles() {
    while firstPlace < places.count, places[firstPlace].waiter == nil { firstPlace += 1 }
    compact()
  }

  private mutating func compact() {
    if firstPlace == places.count {
      places.removeAll(keepingCapacity: true)
      firstPlace = 0
    } else if firstPlace > 64, firstPlace * 2 > places.count {
      places.removeFirst(firstPlace)
      firstPlace = 0
    }
  }
}
