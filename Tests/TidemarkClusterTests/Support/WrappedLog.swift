import TidemarkCluster

/// A log that passes requests to another one, except those that it changes.
protocol WrappedLog: ReplicatedLog {
  var base: any ReplicatedLog { get }
}

extension WrappedLog {
  var limits: LogLimits { base.limits }

  func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
    try await base.append(entry, until: deadline)
  }

  func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error> {
    base.entries(after: position)
  }

  func entry(at number: UInt64) async throws -> LogEntry? { try await base.entry(at: number) }

  func barrier(until deadline: ContinuousClock.Instant) async throws -> LogPosition {
    try await base.barrier(until: deadline)
  }

  func discard(through position: LogPosition, until deadline: ContinuousClock.Instant) async throws {
    try await base.discard(through: position, until: deadline)
  }

  /// The entries after a position, each of which a closure may delay, replace, or refuse with an error.
  func entries(
    after position: LogPosition, changing change: @escaping @Sendable (LogEntry) async throws -> LogEntry
  ) -> AsyncThrowingStream<LogEntry, any Error> {
    forward(base.entries(after: position).map(change))
  }

  /// A stream of the elements of a sequence.
  func forward<Entries: AsyncSequence & Sendable>(
    _ entries: Entries
  ) -> AsyncThrowingStream<LogEntry, any Error> where Entries.Element == LogEntry {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          for try await entry in entries { continuation.yield(entry) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
