import Synchronization
import TidemarkCluster

/// A log with a fault that the checker of histories must find.
final class FaultyLog: ReplicatedLog {
  enum Fault: CaseIterable {
    /// Every seventh entry is acknowledged, and not stored.
    case losesEntries

    /// A refused entry is acknowledged.
    case acknowledgesRefusedEntries

    /// An entry that was stored is refused.
    case refusesStoredEntries

    /// A stream contains an entry of another history.
    case readsOtherHistory
  }

  private let log: any ReplicatedLog
  private let fault: Fault
  private let count = Atomic<Int>(0)
  private let hasRefused = Atomic<Bool>(false)

  init(_ log: any ReplicatedLog, fault: Fault) {
    self.log = log
    self.fault = fault
  }

  var limits: LogLimits { log.limits }

  func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    let isChosen = number == 7
    if isChosen, fault == .losesEntries {
      // The appender continues after the lost entry with an entry that the log accepts.
      return .appended(entry.position)
    }
    let result: AppendResult
    do { result = try await log.append(entry, until: deadline) } catch LogError.historyDiverged {
      // The appender walks along the log again.
      guard let first = try await log.entry(at: 1) else { throw UnexpectedResult() }
      return .refused(winner: first)
    }
    switch (fault, result) {
    case (.acknowledgesRefusedEntries, .refused(let winner)) where isChosen || winner.number == 3:
      return .appended(winner.position)
    case (.refusesStoredEntries, .appended)
    where number >= 7 && !hasRefused.exchange(true, ordering: .relaxed):
      return .refused(winner: entry)
    default: return result
    }
  }

  func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error> {
    guard fault == .readsOtherHistory else { return log.entries(after: position) }
    let source = log.entries(after: position)
    return AsyncThrowingStream { continuation in
      let task = Task {
        do {
          for try await entry in source {
            let isChosen = entry.number == 5
            continuation.yield(isChosen ? LogEntry(after: entry.predecessor, payload: [0]) : entry)
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  func entry(at number: UInt64) async throws -> LogEntry? { try await log.entry(at: number) }

  func barrier(until deadline: ContinuousClock.Instant) async throws -> LogPosition {
    try await log.barrier(until: deadline)
  }

  func discard(through position: LogPosition, until deadline: ContinuousClock.Instant) async throws {
    try await log.discard(through: position, until: deadline)
  }
}
