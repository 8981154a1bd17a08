/// The requests of this process for process locks, in their order.
///
///     add ──► waiting ── the requests before it are removed ──► its turn ── remove ──► the turn of the next one
///
/// A request whose turn it is takes the lock of the file, holds it, and releases it. So of a process, one request at a
/// time competes with other processes, and its tasks take their turns in the order of their requests.
///
/// A pure value. Locks are identified by the paths of their files.
struct ProcessLockQueue {
  private var requests: [String: [Int]] = [:]

  /// Adds a request.
  ///
  /// - Returns: Whether it is its turn.
  mutating func add(_ id: Int, for path: String) -> Bool {
    requests[path, default: []].append(id)
    return isTurn(of: id, for: path)
  }

  func isTurn(of id: Int, for path: String) -> Bool { requests[path]?.first == id }

  /// The number of requests for a lock.
  func count(for path: String) -> Int { requests[path]?.count ?? 0 }

  /// Removes a request: it has released the lock, or does not wait any longer.
  ///
  /// - Returns: The request whose turn begins.
  mutating func remove(_ id: Int, for path: String) -> Int? {
    guard var others = requests[path], let index = others.firstIndex(of: id) else { return nil }
    others.remove(at: index)
    requests[path] = others.isEmpty ? nil : others
    return index == 0 ? others.first : nil
  }
}

/// The pauses between attempts to take the lock of a file.
///
/// They begin short, and become longer. After an event of the file, they are short again: the lock of a killed process
/// is released soon after the event.
struct ProcessLockPauses {
  private static let first = Duration.milliseconds(1)

  private let longest: Duration
  private var current = first

  /// - Parameter hasEvents: Whether the system reports when the lock may have been released.
  init(hasEvents: Bool) { longest = hasEvents ? .seconds(1) : .milliseconds(50) }

  mutating func next() -> Duration {
    defer { current = min(current * 2, longest) }
    return current
  }

  mutating func eventWasReported() { current = Self.first }
}
