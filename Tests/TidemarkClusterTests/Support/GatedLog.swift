import Foundation
import Synchronization
import TidemarkEssentials

@testable import TidemarkCluster

/// A log whose connection a test interrupts.
final class GatedLog: WrappedLog {
  enum Mode {
    case connected

    /// Requests fail, and nothing is stored.
    case unreachable

    /// Appends do not arrive, and their results are unknown.
    case losesRequests

    /// Appends do not arrive, and their results are unknown. Other requests succeed.
    case losesAppends

    /// Appends are executed, and their results are unknown.
    case losesResults

    /// Requests are refused for a reason that does not pass by itself.
    case rejects

    /// Appends wait until the connection is there again, even if they are cancelled.
    case neverReturns

    /// Appends do not arrive, and their results are unknown at their deadlines.
    case returnsAtDeadline

    /// Streams deliver nothing, and all other requests are executed.
    case delaysEntries
  }

  let base: any ReplicatedLog
  private let state = Mutex(Mode.connected)
  private let signal = AsyncSignal()
  private let waitingAppends = Mutex(0)

  private let lostAppends = Mutex(0)

  /// The number of appends that did not arrive in the mode ``Mode/losesAppends``.
  var lostAppendCount: Int { lostAppends.withLock(\.self) }

  /// The number of appends that have begun to wait in the mode ``Mode/neverReturns``.
  var waitingAppendCount: Int { waitingAppends.withLock(\.self) }

  init(_ base: any ReplicatedLog) { self.base = base }

  var mode: Mode {
    get { state.withLock(\.self) }
    set {
      state.withLock { $0 = newValue }
      signal.raise()
    }
  }

  func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
    switch mode {
    case .connected, .delaysEntries: return try await base.append(entry, until: deadline)
    case .unreachable: throw LogError.unavailable("the test has interrupted the connection")
    case .rejects: throw LogError.rejected("the test rejects requests")
    case .losesRequests: return .unknown
    case .losesAppends:
      lostAppends.withLock { $0 += 1 }
      return .unknown
    case .returnsAtDeadline:
      // A cancelled task ends the wait.
      try? await Task.sleep(until: deadline, clock: .continuous)
      return .unknown
    case .losesResults:
      _ = try await base.append(entry, until: deadline)
      return .unknown
    case .neverReturns:
      waitingAppends.withLock { $0 += 1 }
      while true {
        let count = signal.count
        if mode != .neverReturns { return .unknown }
        await signal.wait(after: count)
        if Task.isCancelled { await Task.yield() }
      }
    }
  }

  func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error> {
    // A stream that is interrupted delivers nothing, but does not fail.
    entries(after: position) { entry in
      await self.waitForConnection()
      return entry
    }
  }

  func entry(at number: UInt64) async throws -> LogEntry? {
    try check()
    return try await base.entry(at: number)
  }

  func barrier(until deadline: ContinuousClock.Instant) async throws -> LogPosition {
    try check()
    return try await base.barrier(until: deadline)
  }

  func discard(through position: LogPosition, until deadline: ContinuousClock.Instant) async throws {
    try check()
    try await base.discard(through: position, until: deadline)
  }

  private func waitForConnection() async {
    while !Task.isCancelled {
      let count = signal.count
      if mode == .connected || mode == .losesAppends { return }
      await signal.wait(after: count)
    }
  }

  private func check() throws {
    switch mode {
    case .connected, .losesAppends, .delaysEntries: break
    case .rejects: throw LogError.rejected("the test rejects requests")
    case .unreachable, .losesRequests, .losesResults, .neverReturns, .returnsAtDeadline:
      throw LogError.unavailable("the test has interrupted the connection")
    }
  }
}
