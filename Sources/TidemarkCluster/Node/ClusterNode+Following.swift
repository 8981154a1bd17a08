import Foundation
import Tidemark

// A node receives the entries of the log, and its last position.

extension ClusterNode {
  // MARK: - Receiving

  /// Receives the entries of the log, until the node ends.
  func follow() async {
    var pause = NodeMachine.Pause()
    following: while ending == nil, !Task.isCancelled {
      let start = update { machine, _ in machine.received }
      do {
        for try await entry in log.entries(after: start) {
          let received = ReceivedEntry(entry)
          update { machine, now in machine.entryArrived(received, at: now) }
          pause.reset()
          if received.isSnapshot {
            await waitForPosition(entry.number)
            continue following
          }
          await waitForRoom()
          if ending != nil { return }
        }
        update { machine, _ in machine.logFailed("the stream of entries has ended") }
      } catch LogError.behindLog(let discarded) {
        update { machine, _ in machine.logWasDiscarded(through: discarded) }
        await waitForPosition(discarded.number)
        continue
      } catch let error as LogError where error.meansOtherHistory {
        update { machine, _ in machine.end(.historyDiverged(error.description)) }
        return
      } catch {
        let reason = "\(error)"
        update { machine, _ in machine.logFailed(reason) }
      }
      pause.begin(at: .now)
      // A cancelled task ends the loop.
      if let end = pause.end { try? await Task.sleep(until: end, clock: .continuous) }
    }
  }

  /// Waits until the received entries take little memory.
  private func waitForRoom() async {
    while !Task.isCancelled {
      let signals = positionSignal.count
      if update({ machine, _ in machine.receivedByteCount < 8 << 20 || machine.ending != nil }) { return }
      await positionSignal.wait(after: signals)
    }
  }

  /// Waits until the file has a position, or the node has stopped.
  func waitForPosition(_ number: UInt64) async {
    while !Task.isCancelled {
      let signals = positionSignal.count
      if position.number >= number || ending != nil { return }
      await positionSignal.wait(after: signals)
    }
  }

  /// Asks for the last position of the log, again and again.
  func listen() async {
    while ending == nil, !Task.isCancelled {
      await ask()
      // A cancelled task ends the loop.
      try? await Task.sleep(until: .end(of: configuration.heartbeatInterval), clock: .continuous)
    }
  }

  private func ask() async {
    let known = position
    do {
      let last = try await log.barrier(until: .end(of: configuration.requestTimeLimit))
      update { machine, _ in machine.logAnswered(last, whenKnown: known) }
    } catch let error as LogError where error.meansOtherHistory {
      update { machine, _ in machine.end(.historyDiverged(error.description)) }
    } catch {
      let reason = "\(error)"
      update { machine, _ in machine.logFailed(reason) }
    }
  }

  // MARK: - Applying

  /// Applies entries in one transaction.
  func apply(_ entries: [ReceivedEntry], _ storage: inout NodeStorage) {
    do {
      try pool.writeWithoutTransaction { db in
        try db.beginTransaction(.immediate)
        do {
          try apply(entries, db, &storage)
        } catch {
          do { try db.rollback() } catch { Database.log(error, "Could not roll back the changes of other nodes") }
          throw error
        }
        try db.reloadVirtualTables()
      }
    } catch {
      fileFailed(error)
    }
  }

  private func apply(_ entries: [ReceivedEntry], _ db: Database, _ storage: inout NodeStorage) throws {
    try storage.checkForeignWrites(db)
    var batch = NodeStorage.Batch()
    var last: LogPosition?
    var (failure, count): (ClusterError?, Int) = (nil, 0)
    for received in entries {
      switch received.payload {
      case .success(let payload):
        try batch.apply(payload, db)
        last = received.entry.position
        count += 1
      case .failure(let error): failure = error
      }
      if failure != nil { break }
    }
    try batch.finish(db)
    if let last {
      let origin = try storage.willCommit(db, at: last, removingParts: false)
      try reach(.willCommitApplied)
      try db.commit()
      let (rows, applied) = (batch.rowCount, count)
      self.count { metrics in
        metrics.appliedEntries += applied
        metrics.appliedRows += rows
      }
      update { machine, _ in machine.didApply(through: last) }
      try storage.didCommit(db, at: last, origin: origin)
    } else {
      try db.rollback()
    }
    if let failure { update { machine, _ in machine.end(failure) } }
  }
}

extension LogError {
  /// Whether the log has another history than the node.
  var meansOtherHistory: Bool {
    switch self {
    case .historyDiverged, .corrupted, .identityReused: true
    case .behindLog, .entryTooLarge, .unavailable, .rejected: false
    }
  }
}

extension ContinuousClock.Instant {
  /// The end of a time limit that begins now. Beyond 100 years, the clocks of the system would overflow.
  static func end(of limit: Duration) -> Self { .now + min(limit, .seconds(100 * 365 * 86_400)) }
}

// MARK: - Waiting for positions

extension ClusterNode {
  /// Waits until the file has a position.
  func wait(for position: LogPosition, until deadline: Instant) async throws {
    try await withTimeLimit(until: deadline) { await self.waitForPosition(position.number) }
    let current = self.position
    if current.number < position.number {
      throw obstacle ?? .unavailable("this node has the position \(current), and waits for \(position)")
    }
    if current.number == position.number, current != position {
      throw ClusterError.historyDiverged("expected \(position), found \(current)")
    }
  }

  /// Waits until the file has the last position of the log.
  func catchUp(until deadline: Instant) async throws -> LogPosition {
    let known = position
    let last = try await untilTheEnd { [log] in
      try await Self.repeating(until: deadline) { try await log.barrier(until: deadline) }
    }
    update { machine, _ in machine.logAnswered(last, whenKnown: known) }
    if let ending { throw ending }
    try await wait(for: last, until: deadline)
    return last
  }

  /// Runs an operation that ends when its task is cancelled. It is cancelled when the node ends, and does not begin
  /// after that.
  func untilTheEnd<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    if let ending { throw ending }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await operation() }
      group.addTask {
        await self.waitForEnd()
        return nil
      }
      if let value = try await group.next() ?? nil { return value }
      throw ending ?? CancellationError()
    }
  }

  /// Waits until the node has stopped.
  private func waitForEnd() async {
    while !Task.isCancelled {
      let signals = positionSignal.count
      if ending != nil { return }
      await positionSignal.wait(after: signals)
    }
  }

  /// Makes a request, and repeats it until a time while the log is unavailable.
  static func repeating<Value: Sendable>(
    until deadline: Instant, _ request: @Sendable () async throws -> Value
  ) async throws -> Value {
    var pause = NodeMachine.Pause()
    while true {
      do {
        return try await request()
      } catch LogError.unavailable(let reason) {
        pause.begin(at: .now)
        guard let end = pause.end, end < deadline else { throw ClusterError.unavailable(reason) }
        try await Task.sleep(until: end, clock: .continuous)
      } catch LogError.rejected(let reason) {
        throw ClusterError.unavailable(reason)
      }
    }
  }

  /// Runs an operation that ends when its task is cancelled, until a time at most.
  private func withTimeLimit(until deadline: Instant, _ body: @escaping @Sendable () async -> Void) async throws {
    await withTaskGroup { group in
      group.addTask { await body() }
      // A cancelled task ends the wait.
      group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  /// Whether an entry contains a transaction.
  func contains(_ entry: LogEntry, _ id: UUID) async throws -> Bool {
    switch try ClusterPayload(decoding: entry.payload).content {
    case .transactions(let transactions): return transactions.contains { $0.id == id }
    case .snapshot(id): return true
    case .part, .snapshot: return false
    case .end(let group, let partCount, _):
      // The parts are the entries before the end.
      guard partCount < entry.number else {
        throw ClusterError.historyDiverged("entry \(entry.number) is the end of \(partCount) parts")
      }
      var bytes: [UInt8] = []
      for number in entry.number - UInt64(partCount)..<entry.number {
        guard let part = try await log.entry(at: number),
          case .part(group, _, let content) = try ClusterPayload(decoding: part.payload).content
        else { throw ClusterError.unavailable("entry \(number) could not be read") }
        bytes += content
      }
      return try ClusterPayload.transactions(decoding: bytes).contains { $0.id == id }
    }
  }
}
