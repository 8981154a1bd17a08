import Foundation

/// Reads the entries for one stream, and waits for new ones.
///
/// Each round reads the entries behind the position of the stream, linearizably. If there are none, it waits for a
/// signal of a watch that begins behind the revision of this read, so that no change is missed. If reads succeed at
/// another server than the watched one, the next watch begins there.
actor EtcdReader {
  /// How many entries one read returns at most: a batch has at most 8 MB by default.
  private static let batchCount = 16

  private let connection: EtcdConnection
  private let keys: EtcdKeys
  private var watch: EtcdWatch?

  init(connection: EtcdConnection, keys: EtcdKeys) {
    self.connection = connection
    self.keys = keys
  }

  private var configuration: EtcdConfiguration { connection.configuration }

  /// Waits until there are entries after a position, and returns some of them.
  func entries(after position: LogPosition) async throws -> [LogEntry] {
    while true {
      try Task.checkCancellation()
      guard let state = try await read(after: position) else { continue }
      if position.number < state.discarded.number {
        throw LogError.behindLog(discardedThrough: state.discarded)
      }
      let entries = state.entries.drop { $0.number <= position.number }
      // The caller compares the position with the predecessor of the first entry.
      if !entries.isEmpty { return Array(entries) }
      if state.last != position { throw LogError.historyDiverged(expected: position, found: state.last) }
      await wait(behind: state.revision)
    }
  }

  /// Reads the entries behind a position; nil if no server could be reached in time.
  private func read(after position: LogPosition) async throws -> EtcdState? {
    do {
      return try await EtcdState.read(
        connection, keys: keys, entriesAfter: position.number, limit: Self.batchCount,
        until: configuration.clock.now() + configuration.readTimeout)
    } catch LogError.unavailable {
      return nil
    }
  }

  private func wait(behind revision: UInt64) async {
    let endpoint = await connection.endpoint
    if watch?.endpoint != endpoint { watch = await makeWatch(from: revision + 1, at: endpoint) }
    if let watch, await watch.wait(atMost: configuration.requestTimeout, clock: configuration.clock) { return }
    // The watch could not begin, or it has ended. A cancelled task ends its stream in the next round.
    watch = nil
    try? await configuration.clock.sleep(configuration.clock.now() + configuration.pollInterval)
  }

  private func makeWatch(from revision: UInt64, at endpoint: URL) async -> EtcdWatch? {
    let creation = EtcdMessage.WatchRequest.Creation(key: keys.last, start_revision: String(revision))
    // Without a watch, the reader polls.
    return try? EtcdWatch(
      EtcdMessage.WatchRequest(create_request: creation), at: endpoint, headers: await connection.headers,
      context: await connection.context(for: endpoint))
  }
}
