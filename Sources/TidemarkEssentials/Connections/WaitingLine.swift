/// Those who wait, in the order in which they came.
///
/// Who gives up leaves a hole in the line, which is skipped; when there are more holes than waiters, the others close
/// up. All operations take constant time on average, but for giving up, which finds its place by halving.
struct WaitingLine<Waiter> {
  /// A place in the line.
  struct Ticket: Hashable, Sendable {
    fileprivate var number: UInt64
  }

  private var places: [(number: UInt64, waiter: Waiter?)] = []
  private var firstPlace = 0
  private var nextNumber: UInt64 = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// How many places the line takes up, holes included.
  var placeCount: Int { places.count }

  /// The next in line.
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

  /// Takes the next one out of the line.
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

  /// Takes somebody out of the line, wherever he stands. Nil when he is not in it any more.
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

  // The first one may stay for long, while others come and give up.
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
