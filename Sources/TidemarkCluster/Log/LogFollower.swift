/// The state of a stream of entries: the position of the last one, and those that were fetched after it.
///
/// It checks that each entry follows the one before it, whatever the log returns.
package actor LogFollower {
  private var position: LogPosition
  private var fetched: ArraySlice<LogEntry> = []
  private let fetch: @Sendable (LogPosition) async throws -> [LogEntry]

  /// - Parameter fetch: Waits until there are entries after a position, and returns them.
  package init(after position: LogPosition, fetch: @escaping @Sendable (LogPosition) async throws -> [LogEntry]) {
    self.position = position
    self.fetch = fetch
  }

  /// The stream. It fetches on demand: a slow reader holds no more than the result of one fetch.
  package nonisolated var stream: AsyncThrowingStream<LogEntry, any Error> {
    AsyncThrowingStream {
      do {
        return try await self.next()
      } catch is CancellationError {
        return nil
      }
    }
  }

  private func next() async throws -> LogEntry {
    while fetched.isEmpty {
      try Task.checkCancellation()
      fetched = try await fetch(position)[...]
    }
    let entry = fetched.removeFirst()
    if entry.predecessor != position {
      throw LogError.historyDiverged(expected: position, found: entry.predecessor)
    }
    position = entry.position
    return entry
  }
}
