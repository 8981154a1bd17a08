/// A log in memory: a value, without tasks and clocks.
///
/// It is the specification of ``ReplicatedLog``: `InProcessLog` shares one, and tests compare other logs with it.
package struct LogContents: Sendable {
  /// The position through which entries were discarded.
  private(set) var discarded = LogPosition.start

  /// The entries after ``discarded``.
  private(set) var entries: [LogEntry] = []

  /// The last position.
  var last: LogPosition { entries.last?.position ?? discarded }

  /// Appends an entry if its predecessor is the last one.
  mutating func append(_ entry: LogEntry) throws(LogError) -> AppendResult {
    if entry.predecessor == last {
      entries.append(entry)
      return .appended(entry.position)
    }
    return try Self.decision(about: entry, stored: stored(at: entry.number), last: last, discarded: discarded)
  }

  /// The result of an append whose condition was not true.
  ///
  /// - Parameters:
  ///   - stored: The stored entry with the number of the entry.
  ///   - last: The last position.
  ///   - discarded: The position through which entries were discarded.
  package static func decision(
    about entry: LogEntry, stored: LogEntry?, last: LogPosition, discarded: LogPosition
  ) throws(LogError) -> AppendResult {
    guard let stored else {
      if entry.number <= discarded.number { throw .behindLog(discardedThrough: discarded) }
      if entry.number <= last.number { throw .corrupted("entry \(entry.number) is missing") }
      // The log ends at the predecessor with another digest, or before: it does not contain the predecessor.
      throw .historyDiverged(expected: entry.predecessor, found: last)
    }
    if stored == entry { return .appended(entry.position) }
    if stored.id == entry.id { throw .identityReused(entry.id) }
    if stored.predecessor != entry.predecessor {
      throw .historyDiverged(expected: entry.predecessor, found: stored.predecessor)
    }
    return .refused(winner: stored)
  }

  /// Returns the entry with a number; nil if there is none.
  func entry(at number: UInt64) throws(LogError) -> LogEntry? {
    if number > 0, number <= discarded.number { throw .behindLog(discardedThrough: discarded) }
    return stored(at: number)
  }

  /// Returns the entries after a position that the log contains.
  func entries(after position: LogPosition) throws(LogError) -> [LogEntry] {
    if position.number < discarded.number { throw .behindLog(discardedThrough: discarded) }
    try check(position)
    return Array(entries[Int(position.number - discarded.number)...])
  }

  /// Removes the entries through a position.
  mutating func discard(through position: LogPosition) throws(LogError) {
    if position.number < discarded.number { return }
    try check(position)
    entries.removeFirst(Int(position.number - discarded.number))
    discarded = position
  }

  /// Throws if a position, which is not before the discarded one, is not in the log.
  private func check(_ position: LogPosition) throws(LogError) {
    let found =
      position.number == discarded.number ? discarded : stored(at: position.number)?.position ?? last
    if found != position { throw .historyDiverged(expected: position, found: found) }
  }

  private func stored(at number: UInt64) -> LogEntry? {
    guard number > discarded.number, number <= last.number else { return nil }
    return entries[Int(number - discarded.number - 1)]
  }
}
