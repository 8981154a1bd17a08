#if NATS
  import Foundation
  import TidemarkCluster

  /// Reads the entries for one stream, and waits for new ones.
  ///
  /// A signal has no contents: entries are read separately. So a lost signal delays entries, for the time of a request
  /// at most, and nothing else. The signals begin before the first read, so that no entry is between them.
  actor NATSReader {
    /// How many entries are requested at the same time.
    private static let batchCount: UInt64 = 16

    private let stream: NATSStream
    private var signals: NATSSignals?

    /// Whether the last wait has ended without a signal.
    private var isSilent = false

    init(_ stream: NATSStream) { self.stream = stream }

    private var connection: NATSConnection { stream.connection }
    private var configuration: NATSConfiguration { connection.configuration }

    /// Waits until there are entries after a position, and returns some of them.
    func entries(after position: LogPosition) async throws -> [LogEntry] {
      while true {
        try Task.checkCancellation()
        do {
          let deadline = configuration.clock.now() + configuration.readTimeout
          let found = try await connection.repeating(until: deadline) { try await self.read(after: position) }.get()
          if found.isEmpty {
            await wait()
            continue
          }
          // If the signal of an entry is missing, its consumer may have ended with a server.
          if isSilent { endSignals() }
          isSilent = false
          return found
        } catch LogError.unavailable {
          // Another server, or the same one later, may be available.
        }
      }
    }

    /// Reads the entries behind a position; nil if they could not be read yet.
    private func read(after position: LogPosition) async throws -> [LogEntry]? {
      let deadline = configuration.clock.now() + configuration.requestTimeout
      if signals == nil { signals = try await stream.makeSignals(until: deadline) }
      let state = try await stream.readState(until: deadline)
      if position.number < state.discarded.number { throw LogError.behindLog(discardedThrough: state.discarded) }
      if position == state.last { return [] }
      if position.number >= state.last.number {
        // The read may be an old one.
        guard let confirmed = try await stream.mark(state, until: deadline) else { return nil }
        if position != confirmed.last {
          throw LogError.historyDiverged(expected: position, found: confirmed.last)
        }
        return []
      }
      let end = min(position.number + Self.batchCount, state.last.number)
      // A server may miss an entry that another one has, or that was discarded meanwhile.
      let entries = try await entries(position.number + 1...end, last: state.entry, until: deadline)
      return entries.isEmpty ? nil : entries
    }

    /// Reads consecutive entries at the same time, up to the first one that is not found.
    private func entries(
      _ numbers: ClosedRange<UInt64>, last: LogEntry?, until deadline: ContinuousClock.Instant
    ) async throws -> [LogEntry] {
      let found = try await withThrowingTaskGroup(of: LogEntry?.self) { [stream] group in
        for number in numbers where number != last?.number {
          group.addTask { try await stream.readEntry(number, until: deadline)?.entry }
        }
        return try await group.reduce(into: last.map { [$0.number: $0] } ?? [:]) { entries, entry in
          if let entry { entries[entry.number] = entry }
        }
      }
      return Array(numbers.lazy.map { found[$0] }.prefix { $0 != nil }.compactMap(\.self))
    }

    private func wait() async {
      switch await signals?.next(atMost: configuration.requestTimeout, clock: configuration.clock) {
      case .message: isSilent = false
      case .time: isSilent = true
      // The next read begins new ones. A cancelled task ends its stream in the next round.
      case nil: endSignals()
      }
    }

    private func endSignals() {
      signals?.finish()
      signals = nil
    }

    deinit { signals?.finish() }
  }
#endif
