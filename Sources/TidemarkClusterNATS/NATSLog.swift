#if NATS
  import Foundation
  public import TidemarkCluster

  /// A log in a stream of NATS JetStream, version 2.9 or later.
  ///
  /// Each message contains the state of the log after it, and is stored only if the message before it is still the last
  /// one. So the stream is a chain, whatever clients do at the same time. `Documentation/NATS.md` describes the
  /// messages and the reasons.
  ///
  /// NATS acknowledges entries before they are on a disk, unless it has the setting `sync_interval: always`. Servers
  /// without it are rejected: see ``NATSConfiguration/serversSyncAlways``.
  ///
  /// ```swift
  /// var configuration = NATSConfiguration(servers: servers, stream: "accounts")
  /// configuration.replicas = 3
  /// configuration.serversSyncAlways = true
  /// configuration.credentials = .password(user: "tidemark", password: password)
  /// let log = NATSLog(configuration)
  /// let database = try await ClusterDatabase.open(path, log: log, ClusterConfiguration(node: "berlin"))
  /// ```
  ///
  /// A client repeats requests, on all servers in turn, until the deadline of the operation. Without a quorum, appends
  /// are `AppendResult.unknown`, and barriers throw `LogError.unavailable`. If the client accepts none of the servers,
  /// or they do not accept the client, all operations throw `LogError.rejected`.
  public struct NATSLog: ReplicatedLog {
    private let connection: NATSConnection
    private let stream: NATSStream

    /// Creates a client. It connects when it is used.
    ///
    /// - Parameter configuration: The servers, and how to use them.
    public init(_ configuration: NATSConfiguration) {
      connection = NATSConnection(configuration)
      stream = NATSStream(connection)
    }

    private var configuration: NATSConfiguration { connection.configuration }

    public var limits: LogLimits { configuration.limits }

    public func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
      try limits.check(entry)
      let outcome = await connection.repeating(until: deadline) { [stream] in
        try await Self.attempt(entry, stream, until: deadline)
      }
      switch outcome {
      case .value(let result): return result
      case .failed(_, mayHaveArrived: true): return .unknown
      case .failed(let error, mayHaveArrived: false): throw error
      }
    }

    /// Makes one attempt to append an entry; nil if nothing was decided.
    private static func attempt(
      _ entry: LogEntry, _ stream: NATSStream, until deadline: ContinuousClock.Instant
    ) async throws -> AppendResult? {
      var state = try await stream.recentState(until: deadline)
      if state.last != entry.predecessor { state = try await stream.readState(until: deadline) }
      if state.last == entry.predecessor {
        return try await stream.append(entry, in: state, until: deadline).map { .appended($0.last) }
      }
      let stored = try await stream.readEntry(entry.number, until: deadline)?.entry
      if stored == nil, entry.number > state.discarded.number {
        // Nothing explains the missing entry, except that the reads were old ones.
        guard let confirmed = try await stream.mark(state, until: deadline) else { return nil }
        if entry.number <= confirmed.last.number || confirmed.last == entry.predecessor { return nil }
        state = confirmed
      }
      return try LogContents.decision(about: entry, stored: stored, last: state.last, discarded: state.discarded)
    }

    public func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error> {
      let reader = NATSReader(stream)
      return LogFollower(after: position) { try await reader.entries(after: $0) }.stream
    }

    public func entry(at number: UInt64) async throws -> LogEntry? {
      guard number > 0 else { return nil }
      let deadline = configuration.clock.now() + configuration.readTimeout
      // An optional in an optional: a missing entry does not repeat the operation.
      return try await connection.repeating(until: deadline) { [stream] () -> LogEntry?? in
        let state = try await stream.readState(until: deadline)
        if number <= state.discarded.number { throw LogError.behindLog(discardedThrough: state.discarded) }
        return .some(try await stream.readEntry(number, until: deadline)?.entry)
      }.get()
    }

    public func barrier(until deadline: ContinuousClock.Instant) async throws -> LogPosition {
      try await connection.repeating(until: deadline) { [stream] in
        try await Self.confirm(stream, until: deadline)?.last
      }.get()
    }

    /// Reads the state linearizably; nil if it must be repeated.
    private static func confirm(
      _ stream: NATSStream, until deadline: ContinuousClock.Instant
    ) async throws -> NATSState? {
      try await stream.mark(stream.recentState(until: deadline), until: deadline)
    }

    public func discard(through position: LogPosition, until deadline: ContinuousClock.Instant) async throws {
      let isDone = await connection.repeating(until: deadline) { [stream] in
        try await Self.discard(through: position, stream, until: deadline)
      }
      _ = try isDone.get()
    }

    /// Makes one attempt to discard entries; nil if nothing was decided.
    private static func discard(
      through position: LogPosition, _ stream: NATSStream, until deadline: ContinuousClock.Instant
    ) async throws -> Bool? {
      let state = try await stream.readState(until: deadline)
      if position.number < state.discarded.number { return true }
      if position == state.discarded {
        // The mark of an earlier attempt was stored, but its messages may have remained.
        if let stored = try await stream.readEntry(position.number, until: deadline) {
          try await stream.removeMessages(through: stored.sequence, until: deadline)
        }
        return true
      }
      if position.number == state.discarded.number {
        throw LogError.historyDiverged(expected: position, found: state.discarded)
      }
      guard let stored = try await stream.readEntry(position.number, until: deadline) else {
        guard let confirmed = try await stream.mark(state, until: deadline) else { return nil }
        if position.number <= confirmed.last.number { return nil }
        throw LogError.historyDiverged(expected: position, found: confirmed.last)
      }
      if stored.entry.position != position {
        throw LogError.historyDiverged(expected: position, found: stored.entry.position)
      }
      guard try await stream.mark(state, discarding: position, until: deadline) != nil else { return nil }
      try await stream.removeMessages(through: stored.sequence, until: deadline)
      return true
    }
  }
#endif
