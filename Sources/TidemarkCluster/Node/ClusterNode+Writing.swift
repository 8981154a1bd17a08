import Foundation
import Tidemark

// The attempts of a node: the waiting writes are executed in one transaction, appended as one group, and committed if
// the log has stored them.

extension ClusterNode {
  /// Writes that were executed in the open transaction.
  private struct Group {
    var writes: [(write: PendingWrite, outcome: Result<Void, any Error>)] = []
    var transactions: [(id: UUID, changes: [UInt8])] = []
    var byteCount = 0

    mutating func add(_ write: PendingWrite, _ changes: [UInt8]) {
      transactions.append((write.id, changes))
      byteCount += changes.count
    }

    var pending: [PendingWrite] { writes.map(\.write) }
  }

  /// Executes the waiting writes.
  func execute(_ storage: inout NodeStorage) {
    var group = Group()
    do {
      try pool.writeWithoutTransaction { db in
        try db.reloadVirtualTables()
        try db.beginTransaction(.immediate)
        do {
          try storage.checkForeignWrites(db)
          guard try executeWrites(db, &group, storage) else { return }
          try attempt(db, &group, &storage)
        } catch {
          rollBack(db)
          throw error
        }
      }
    } catch {
      if error is NodeWasKilled { group.pending.forEach { $0.giveUp(ClusterError.closed) } }
      update { machine, _ in machine.didRollBack() }
      for write in group.pending { write.wasNotAppended() }
      putBack(group.pending.filter(\.isWanted))
      fileFailed(error)
    }
  }

  private func rollBack(_ db: Database) {
    do { try db.rollback() } catch { Database.log(error, "Could not roll back a transaction of the node") }
  }

  // MARK: - Executing

  /// Executes waiting writes, each in a savepoint.
  ///
  /// - Returns: Whether there is something to do.
  private func executeWrites(_ db: Database, _ group: inout Group, _ storage: NodeStorage) throws -> Bool {
    let limit = log.limits.payloadBytes / 2
    let start = Instant.now
    let end = start + configuration.turnLength
    while group.writes.count < max(1, configuration.groupSizeMax), group.byteCount < limit {
      guard let write = takeWrite() else {
        // The callers of the group before are about to write again: an entry for each of them would take longer.
        if waitForWrites(beyond: group.writes.count, since: start) { continue }
        break
      }
      do {
        let (_, elements) = try db.recordingReplicatedChanges { try write.run($0) }
        if !elements.isEmpty || write.isFence {
          let changes = TransactionChanges(
            microsecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000_000), elements: elements)
          group.add(write, changes.encoded())
        }
        group.writes.append((write, .success(())))
      } catch {
        // SQLite has rolled back the others, too, or observers must not be notified of a commit.
        if !db.isInsideTransaction || db.hasObserversOfNextTransaction {
          try isolate(write, error, db, &group, storage)
          break
        }
        group.writes.append((write, .failure(error)))
      }
      if Instant.now > end { break }
    }
    if group.writes.isEmpty { rollBack(db) }
    return !group.writes.isEmpty
  }

  /// Rolls back the transaction, and begins one for a write that has thrown: the log has to confirm the state that it
  /// has read. The other writes are executed again.
  private func isolate(
    _ write: PendingWrite, _ error: any Error, _ db: Database, _ group: inout Group, _ storage: NodeStorage
  ) throws {
    rollBack(db)
    for other in group.pending { other.wasNotAppended() }
    putBack(group.pending)
    group = Group()
    group.writes.append((write, .failure(error)))
    try db.beginTransaction(.immediate)
    try storage.checkForeignWrites(db)
  }

  /// Waits for more writes, if the group before had more of them, for a small part of the time of an append.
  ///
  /// - Returns: Whether there may be some.
  private func waitForWrites(beyond count: Int, since start: Instant) -> Bool {
    let (expected, appendTime) = pace
    let rest = start + min(appendTime / 4, configuration.turnLength / 4) - .now
    if count >= expected || rest <= .zero { return false }
    _ = wake.wait(timeout: .now() + .nanoseconds(Int(rest / .nanoseconds(1))))
    return true
  }

  /// The entries of a group: one, or several parts and an end.
  private func entries(of group: Group, after position: LogPosition, by author: ClusterPayload.Author) -> [LogEntry] {
    if group.transactions.isEmpty { return [] }
    let bytes = ClusterPayload.encoded(group.transactions)
    let limit = max(1, log.limits.payloadBytes - ClusterPayload.overhead(author))
    if bytes.count <= limit {
      let payload = ClusterPayload.payload(author: author, transactions: bytes)
      return [LogEntry(id: .random(), after: position, payload: payload)]
    }
    let id = UUID.random()
    var contents = stride(from: 0, to: bytes.count, by: limit).enumerated().map { index, start in
      ClusterPayload.Content.part(
        group: id, index: UInt32(index), bytes: Array(bytes[start..<min(start + limit, bytes.count)]))
    }
    contents.append(.end(group: id, partCount: UInt32(contents.count), digest: LogDigest(of: bytes)))
    var entries: [LogEntry] = []
    for content in contents {
      let payload = ClusterPayload(author: author, content: content).encoded
      entries.append(LogEntry(id: .random(), after: entries.last?.position ?? position, payload: payload))
    }
    return entries
  }

  // MARK: - The attempt

  /// Appends the changes of a group, and ends its transaction.
  private func attempt(_ db: Database, _ group: inout Group, _ storage: inout NodeStorage) throws {
    let start = storage.position
    let author = update { machine, _ in machine.nextAuthor }
    let entries = entries(of: group, after: start, by: author)
    let end = entries.last?.position ?? start
    // Also if nothing was changed: SQLite may commit pages that were changed and restored.
    let origin = try storage.willCommit(db, at: end, removingParts: !entries.isEmpty)
    update { machine, _ in machine.didExecute(entries) }
    let appended = Set(group.transactions.map(\.id))
    for write in group.pending {
      if appended.contains(write.id) { write.willAppend(as: end.number) } else { write.wasNotAppended() }
    }
    while true {
      switch nextStep() {
      case .append(let entry): try append(entry, for: group.pending)
      case .confirm: confirm(for: group.pending)
      case .wait(let until):
        waitForLog(until: until, group.pending)
      case .commit:
        if !entries.isEmpty { try reach(.didAppend) }
        return commit(db, &group, entries, origin, &storage, author)
      case .rollBack(let defeat):
        try db.rollback()
        return endDefeated(&group, defeat)
      case .apply, .execute, .installSnapshot, .stop: preconditionFailure("An attempt is going on")
      }
    }
  }

  /// Waits before the next request of an attempt. If the time of a caller is over, the attempt ends. If it may have
  /// been stored, it goes on, and the outcome is unknown to the caller.
  private func waitForLog(until end: Instant?, _ writes: [PendingWrite]) {
    let now = Instant.now
    if !writes.contains(where: { $0.isWanted && $0.deadline > now }) || writes.contains(where: { $0.deadline <= now }) {
      if update({ machine, _ in machine.attemptIsUnwanted() }) { return }
    }
    wait(until: end, writes)
  }

  private func append(_ entry: LogEntry, for writes: [PendingWrite]) throws {
    try reach(.willAppend)
    // A caller whose time is over does not wait for the end of a request.
    let deadlines = writes.filter(\.isWanted).map(\.deadline)
    let limit = Instant.end(of: configuration.requestTimeLimit)
    let deadline = max(min(limit, deadlines.min() ?? limit), .now + .milliseconds(1))
    let start = Instant.now
    let result = waiting(with: writes) { [log] in try await log.append(entry, until: deadline) }
    notePace(of: writes.count, .now - start)
    if case .success(.unknown) = result { count { $0.unknownAppends += 1 } }
    update { machine, now in
      switch result {
      case .success(let result): machine.appendReturned(result, of: entry, at: now)
      case .failure(let error as LogError): machine.appendFailed(error, of: entry, at: now)
      // The wait was ended, and the request may arrive.
      case .failure: machine.appendReturned(.unknown, of: entry, at: now)
      }
    }
  }

  /// Nothing was changed: the results are right if the database was the current one.
  private func confirm(for writes: [PendingWrite]) {
    let deadline = Instant.end(of: configuration.requestTimeLimit)
    let result = waiting(with: writes) { [log] in try await log.barrier(until: deadline) }
    update { machine, now in
      switch result {
      case .success(let last): machine.didConfirm(last, at: now)
      case .failure(let error): machine.confirmFailed("\(error)", at: now)
      }
    }
  }

  private func commit(
    _ db: Database, _ group: inout Group, _ entries: [LogEntry], _ origin: [UInt8], _ storage: inout NodeStorage,
    _ author: ClusterPayload.Author
  ) {
    let (start, end) = (storage.position, entries.last?.position ?? storage.position)
    do {
      try db.commit()
    } catch {
      Database.log(error, "Could not commit a transaction that the log has stored")
      rollBack(db)
      let reason = "\(error)"
      update { machine, now in machine.commitFailed(reason, entries, at: now) }
      return finish(&group) { .failure(entries.isEmpty ? error : ClusterError.committedElsewhere(end)) }
    }
    do {
      try storage.didCommit(db, at: end, origin: origin)
    } catch {
      fileFailed(error)
    }
    update { machine, now in
      machine.didCommit(ClusterPayload(author: author, content: .transactions([])), at: now)
    }
    let committed = group.transactions.count
    count { metrics in
      metrics.committedTransactions += committed
      if !entries.isEmpty { metrics.appendedEntries += 1 }
    }
    finish(&group) { .success(end) }
    let interval = UInt64(max(1, configuration.snapshotInterval))
    if configuration.snapshots != nil, end.number / interval > start.number / interval { saveSnapshotInBackground() }
  }

  /// Resumes the callers of a group.
  private func finish(_ group: inout Group, _ result: () -> Result<LogPosition, any Error>) {
    let result = result()
    for (write, outcome) in group.writes {
      switch outcome {
      case .success: write.finish(result)
      case .failure(let error): write.finish(.failure(error))
      }
    }
    group = Group()
  }

  /// The transaction was rolled back.
  private func endDefeated(_ group: inout Group, _ defeat: NodeMachine.Defeat) {
    update { machine, _ in machine.didRollBack() }
    switch defeat {
    case .refused:
      count { $0.refusedAttempts += 1 }
      putBack(group, "the log has refused each attempt")
    case .failed(let reason):
      for write in group.pending {
        write.wasNotAppended()
        write.giveUp(ending ?? .unavailable(reason))
      }
    case .expired(let reason): putBack(group, reason)
    case .abandoned:
      let appended = Set(group.transactions.map(\.id))
      // The outcome of these is unknown.
      for write in group.pending where appended.contains(write.id) { write.giveUp(ending ?? .closed) }
      // The others are in no entry. If the node goes on, with a snapshot, they are executed again.
      let others = group.pending.filter { !appended.contains($0.id) }
      if let ending { others.forEach { $0.giveUp(ending) } } else { putBack(others.filter(\.isWanted)) }
    }
    group = Group()
  }

  /// Executes the writes of a group again, except those whose time is over.
  private func putBack(_ group: Group, _ reason: String) {
    let now = Instant.now
    for write in group.pending {
      write.wasNotAppended()
      if write.deadline <= now { write.giveUp(ClusterError.unavailable(reason)) }
    }
    putBack(group.pending.filter(\.isWanted))
  }
}
