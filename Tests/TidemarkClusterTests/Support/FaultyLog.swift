import Synchronization
import TidemarkCluster

/// A log with a fault that the checker of histories must find.
final class FaultyLog: WrappedLog {
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

  let base: any ReplicatedLog
  private let fault: Fault
  private let count = Atomic<Int>(0)
  private let hasRefused = Atomic<Bool>(false)

  init(_ base: any ReplicatedLog, fault: Fault) {
    self.base = base
    self.fault = fault
  }

  func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    let isChosen = number == 7
    if isChosen, fault == .losesEntries {
      // The appender continues after the lost entry with an entry that the log accepts.
      return .appended(entry.position)
    }
    let result: AppendResult
    do { result = try await base.append(entry, until: deadline) } catch LogError.historyDiverged {
      // The appender walks along the log again.
      guard let first = try await base.entry(at: 1) else { throw UnexpectedResult() }
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
    guard fault == .readsOtherHistory else { return base.entries(after: position) }
    return entries(after: position) { $0.number == 5 ? LogEntry(after: $0.predecessor, payload: [0]) : $0 }
  }
}
