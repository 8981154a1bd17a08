extension InProcessLog {
  /// The connection of one node to an ``InProcessLog``, with its faults: see ``InProcessLog/client(faults:seed:)``.
  public actor Client: ReplicatedLog {
    /// The log.
    public nonisolated let log: InProcessLog

    private let faults: InProcessLogFaults
    private var random: LogRandom

    init(log: InProcessLog, faults: InProcessLogFaults, seed: UInt64) {
      self.log = log
      self.faults = faults
      random = LogRandom(seed: seed)
    }

    /// The limits of the log.
    public nonisolated var limits: LogLimits { log.limits }

    /// Appends an entry, with the faults of the client: see ``ReplicatedLog/append(_:until:)``.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - deadline: When the method returns at the latest. The result is unknown if a delay takes longer.
    /// - Returns: Whether the entry is in the log.
    /// - Throws: ``LogError``, or `CancellationError`: nothing was stored by this call.
    public func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
      try limits.check(entry)
      try checkBeforeSending(until: deadline)
      let request = nextFaults()
      let restartCount = await log.restartCount
      guard await pause(request.delayBefore, until: deadline) else {
        await log.postpone(entry)
        return .unknown
      }
      guard await log.restartCount == restartCount else { return .unknown }
      let result: Result<AppendResult, any Error>
      switch request.fate {
      case .requestLost: return .unknown
      case .late:
        await log.postpone(entry)
        return .unknown
      case .delivered, .resultLost: result = await execute(entry)
      case .duplicated:
        result = await execute(entry)
        // The duplicate has no receiver.
        _ = await execute(entry)
      }
      guard request.fate != .resultLost, await pause(request.delayAfter, until: deadline),
        await log.restartCount == restartCount
      else { return .unknown }
      return try result.get()
    }

    /// Returns the entries after a position, and then each new one: see ``ReplicatedLog/entries(after:)``.
    ///
    /// - Parameter position: The position of an entry, or ``LogPosition/start``.
    /// - Returns: The stream.
    public nonisolated func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error> {
      LogFollower(after: position) { [self] position in
        let request = await nextFaults()
        try await log.clock.sleep(log.clock.now() + request.delayBefore)
        return try await log.entries(after: position)
      }.stream
    }

    /// Returns the entry with a number, unless the read is stale: see ``ReplicatedLog/entry(at:)``.
    ///
    /// - Parameter number: The number of an entry.
    /// - Returns: The entry; nil if this read has not found it.
    /// - Throws: ``LogError``, or `CancellationError`.
    public func entry(at number: UInt64) async throws -> LogEntry? {
      let missed = nextFaults().missedEntries
      return try await read(until: nil) { log in try await log.entry(at: number, missing: missed) }
    }

    /// Returns the position of the last entry. It is never stale: see ``ReplicatedLog/barrier(until:)``.
    ///
    /// - Parameter deadline: When the method returns at the latest.
    /// - Returns: The position.
    /// - Throws: ``LogError``, or `CancellationError`.
    public func barrier(until deadline: ContinuousClock.Instant) async throws -> LogPosition {
      try await read(until: deadline) { log in await log.last() }
    }

    /// Removes the entries up to a position: see ``ReplicatedLog/discard(through:until:)``.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry to remove.
    ///   - deadline: When the method returns at the latest.
    /// - Throws: ``LogError``, or `CancellationError`: the entries may have been removed or not.
    public func discard(through position: LogPosition, until deadline: ContinuousClock.Instant) async throws {
      try await read(until: deadline) { log in try await log.discard(through: position) }
    }

    // MARK: - Requests

    private func nextFaults() -> RequestFaults { RequestFaults(faults, using: &random) }

    private func checkBeforeSending(until deadline: ContinuousClock.Instant?) throws {
      try Task.checkCancellation()
      if let deadline, log.clock.now() >= deadline { throw LogError.unavailable("the deadline has passed") }
    }

    private func execute(_ entry: LogEntry) async -> Result<AppendResult, any Error> {
      do { return .success(try await log.append(entry)) } catch { return .failure(error) }
    }

    /// Makes a request whose repetition is harmless. If it or its result is lost, it throws.
    private func read<Value: Sendable>(
      until deadline: ContinuousClock.Instant?, _ body: @Sendable (InProcessLog) async throws -> Value
    ) async throws -> Value {
      try checkBeforeSending(until: deadline)
      let request = nextFaults()
      let restartCount = await log.restartCount
      guard await pause(request.delayBefore, until: deadline), request.fate != .requestLost,
        await log.restartCount == restartCount
      else { throw lost() }
      let value = try await body(log)
      guard request.fate != .resultLost, await pause(request.delayAfter, until: deadline),
        await log.restartCount == restartCount
      else { throw lost() }
      return value
    }

    private func lost() -> any Error {
      if Task.isCancelled { return CancellationError() }
      return LogError.unavailable("the connection was lost")
    }

    /// Waits.
    ///
    /// - Returns: Whether the time has passed before the deadline, in a task that was not cancelled.
    private func pause(_ duration: Duration, until deadline: ContinuousClock.Instant?) async -> Bool {
      if duration <= .zero { return true }
      let end = log.clock.now() + duration
      do {
        try await log.clock.sleep(deadline.map { min($0, end) } ?? end)
        return deadline.map { end < $0 } ?? true
      } catch {
        return false
      }
    }
  }
}
