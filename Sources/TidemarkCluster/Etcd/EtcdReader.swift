import Foundation

/// Reads the entries for one stream, and waits for new ones.
///
/// It reads the entries behind the position of the stream, linearizably, until it has read the last one. Then it
/// receives the following ones from a watch, which begins behind the revision of this read, so that none is missed. If
/// the watch ends or is silent, or does not continue at the position, it reads again. If reads succeed at another
/// server than the watched one, the next watch begins there.
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
      if let entries = await watchedEntries(after: position) { return entries }
      guard let state = try await read(after: position) else { continue }
      if position.number < state.discarded.number {
        throw LogError.behindLog(discardedThrough: state.discarded)
      }
      let entries = state.entries.drop { $0.number <= position.number }
      // The caller compares the position with the predecessor of the first entry.
      if entries.isEmpty, state.last != position {
        throw LogError.historyDiverged(expected: position, found: state.last)
      }
      if entries.last?.position ?? position == state.last {
        await watch(behind: state, hasNew: !entries.isEmpty)
      } else {
        // More entries are to be read first.
        watch = nil
      }
      if !entries.isEmpty { return Array(entries) }
    }
  }

  /// Waits for entries of the watch.
  ///
  /// - Returns: Nil if the log must be read.
  private func watchedEntries(after position: LogPosition) async -> [LogEntry]? {
    guard let watch else { return nil }
    switch await watch.next(atMost: configuration.requestTimeout, clock: configuration.clock) {
    case .entries(let reported):
      let entries = reported.drop { $0.number <= position.number }
      if entries.first?.predecessor == position { return Array(entries) }
      self.watch = nil
    case .silence: break
    case .end:
      self.watch = nil
      await pause()
    }
    return nil
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

  /// Watches what follows a state with the last entry.
  ///
  /// - Parameter hasNew: Whether the state contains entries that the present watch, if there is one, has not reported.
  private func watch(behind state: EtcdState, hasNew: Bool) async {
    let endpoint = await connection.endpoint
    if !hasNew, watch?.endpoint == endpoint { return }
    let creation = EtcdMessage.WatchRequest.Creation(
      key: keys.entry(0), range_end: keys.endOfEntries, start_revision: String(state.revision + 1))
    // Without a watch, the reader polls.
    watch = try? EtcdWatch(
      EtcdMessage.WatchRequest(create_request: creation), at: endpoint, headers: await connection.headers,
      context: await connection.context(for: endpoint))
    if watch == nil { await pause() }
  }

  /// A pause between reads. A cancelled task ends its stream after it.
  private func pause() async {
    try? await configuration.clock.sleep(configuration.clock.now() + configuration.pollInterval)
  }
}
