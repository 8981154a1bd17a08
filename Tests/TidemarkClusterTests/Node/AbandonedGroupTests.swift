import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// A group whose entry may be stored, when the log was discarded beyond it.
@Suite(.closesClusters) struct AbandonedGroupTests {
  @Test func itsWritesWithoutChangesAreExecutedAgain() async throws {
    let cluster = try TestCluster()
    let log = DiscardedLog(cluster.log.client())
    let node = try await cluster.open("a", on: log)
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let other = try await cluster.open("b") { $0.keptEntryCount = 0 }
    try await other.catchUp()

    let isHeld = DispatchSemaphore(value: 0)
    let writing = PendingWrite(until: .now + .seconds(60)) { db in
      // Until the other write waits, so that both are in one group.
      isHeld.wait()
      isHeld.signal()
      try db.execute(sql: "INSERT INTO item VALUES (1, 'a')")
    }
    let reading = PendingWrite(until: .now + .seconds(60)) {
      _ = try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item")
    }
    log.isInterrupted.withLock { $0 = true }
    node.node.submit(writing)
    node.node.submit(reading)
    isHeld.signal()
    for await state in node.states() where state == .inDoubt { break }
    try await other.execute("INSERT INTO item VALUES (2, 'b')")
    let position = try await other.saveSnapshot()
    log.discarded.withLock { $0 = position }

    let read = try await withCheckedThrowingContinuation { continuation in
      reading.wait { continuation.resume(with: $0) }
    }
    #expect(read == position)
    let error = await #expect(throws: ClusterError.self) {
      _ = try await withCheckedThrowingContinuation { continuation in
        writing.wait { continuation.resume(with: $0) }
      }
    }
    #expect(error?.unknownTransaction != nil)
  }
}

/// A log that loses appends while it is interrupted, and does not deliver entries then. It ends with the next append
/// after it was discarded.
private final class DiscardedLog: WrappedLog {
  let isInterrupted = ProtectedValue(false)
  let discarded = ProtectedValue<LogPosition?>(nil)
  let base: any ReplicatedLog

  init(_ base: any ReplicatedLog) { self.base = base }

  func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
    guard isInterrupted.withLock(\.self) else { return try await base.append(entry, until: deadline) }
    guard let position = discarded.withLock(\.self) else { return .unknown }
    isInterrupted.withLock { $0 = false }
    throw LogError.behindLog(discardedThrough: position)
  }

  func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error> {
    entries(after: position) { entry in
      while self.isInterrupted.withLock(\.self) { try await Task.sleep(for: .milliseconds(1)) }
      // The entry was received before it was discarded. If the node received it before the error of its append, it
      // would know that its own entry is not stored.
      if let discarded = self.discarded.withLock(\.self), entry.number <= discarded.number {
        throw LogError.behindLog(discardedThrough: discarded)
      }
      return entry
    }
  }
}
