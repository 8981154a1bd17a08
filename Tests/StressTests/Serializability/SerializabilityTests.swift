import StressSupport
import Testing
import Tidemark

/// The transactions of concurrent sessions are strictly serializable (P3): of threads and tasks, with savepoints that
/// are rolled back, refused and cancelled transactions, snapshots, concurrent reads and live queries.
@Suite(.serialized) struct SerializabilityTests {
  enum Store: CaseIterable, Sendable {
    case pool, poolWithGroups, poolWithFeed, queue, queueInMemory
  }

  private func open(_ store: Store, _ folder: TestFolder) throws -> any DatabaseWriter {
    let writer: any DatabaseWriter =
      switch store {
      case .pool: try folder.pool(readers: 3)
      case .poolWithGroups: try folder.pool(readers: 3) { $0.groupsWrites = true }
      case .poolWithFeed: try folder.feedPool()
      case .queue: try DatabaseQueue(path: folder.database)
      case .queueInMemory: try DatabaseQueue()
      }
    try writer.write(HistoryTables.create)
    return writer
  }

  /// - Parameter isBroken: Adds a fault to the recorded history.
  private func check(
    _ run: Run, _ store: Store, size: Int,
    thenBreak fault: ((any DatabaseWriter, TransactionRecorder) async throws -> Void)? = nil
  ) async throws -> [Anomaly] {
    let folder = try TestFolder()
    let writer = try open(store, folder)
    let recorder = TransactionRecorder()
    let sessions = SerializabilityRun(run: run, recorder: recorder, size: size)
    await sessions.perform(in: writer)
    if let fault {
      try await fault(writer, recorder)
      await sessions.perform(in: writer, firstSession: 101)
    }
    try HistoryTables.readAll(keyCount: recorder.recorded.keyCount, in: writer, session: 1_999, recorder)
    try writer.close()
    let history = recorder.recorded
    let verdict = SerializabilityChecker.verdict(on: history)
    run.count("histories")
    run.count("operations", history.operationCount)
    if verdict.dependencyCount < history.transactionCount { run.problem("hardly anything depends on anything") }
    return verdict.anomalies
  }

  @Test(arguments: Store.allCases, Scale.seeds(daily: 1, full: 4))
  func historiesAreStrictlySerializable(store: Store, seed: UInt64) async throws {
    let run = Run("serializability", seed: seed)
    for anomaly in try await check(run, store, size: Scale.of(daily: 150, full: 20_000)) {
      run.problem("\(store): \(anomaly)")
    }
    run.finish()
  }

  // MARK: - Planted faults

  private func find(
    _ name: String, _ fault: @escaping (any DatabaseWriter, TransactionRecorder) async throws -> Void,
    _ isExpected: (Anomaly) -> Bool
  ) async throws {
    let run = Run("planted-\(name)", seed: Scale.seed)
    let anomalies = try await check(run, .pool, size: 20, thenBreak: fault)
    if !anomalies.isEmpty, anomalies.allSatisfy(isExpected) {
      run.count("planted")
    } else {
      run.problem("\(name) was planted, and \(anomalies) found")
    }
    run.finish()
  }

  @Test func aReadWithoutTransactionIsFound() async throws {
    try await find("skew") { writer, recorder in
      let begin = moment()
      let operations = try writer.unsafeReentrantRead { db in
        let first = try HistoryTables.perform(.list(key: 500, []), db)
        // Another connection writes between the two statements.
        try writer.unsafeReentrantWrite { db in
          let begin = moment()
          var operations: [TransactionHistory.Operation] = [.append(key: 500, value: 1), .append(key: 501, value: 2)]
          try db.inTransaction {
            operations = try HistoryTables.perform(operations, db)
            return .commit
          }
          recorder.ends(.init(session: 1_001, begin: begin, end: moment(), operations: operations))
        }
        return [first, try HistoryTables.perform(.list(key: 501, []), db)]
      }
      recorder.ends(.init(session: 1_000, begin: begin, end: moment(), operations: operations))
    } _: {
      guard case .cycle(let cycle) = $0 else { return false }
      return cycle.kind == .singleMissedWrite && cycle.transactions.count == 2
    }
  }

  @Test func anAcknowledgedTransactionThatWasRolledBackIsFound() async throws {
    try await find("loss") { writer, recorder in
      let begin = moment()
      try writer.writeWithoutTransaction { db in
        try db.inTransaction {
          _ = try HistoryTables.perform(.append(key: 500, value: 1), db)
          return .rollback
        }
      }
      recorder.ends(.init(session: 1_000, begin: begin, end: moment(), operations: [.append(key: 500, value: 1)]))
    } _: {
      $0 == .lost(key: 500, value: 1, writer: $0.writer ?? -1)
    }
  }

  @Test func aFailedTransactionThatWasCommittedIsFound() async throws {
    try await find("failure") { writer, recorder in
      let begin = moment()
      _ = try await writer.write { try HistoryTables.perform(.append(key: 500, value: 1), $0) }
      recorder.ends(
        .init(
          session: 1_000, begin: begin, end: moment(), outcome: .aborted, operations: [.append(key: 500, value: 1)]))
    } _: {
      if case .abortedRead(key: 500, value: 1, _, _) = $0 { true } else { false }
    }
  }

  @Test func aCachedReadIsFound() async throws {
    try await find("cache") { writer, recorder in
      let stale = try await writer.read { try HistoryTables.perform(.list(key: 500, []), $0) }
      let written = moment()
      _ = try await writer.write { try HistoryTables.perform(.append(key: 500, value: 1), $0) }
      recorder.ends(.init(session: 1_000, begin: written, end: moment(), operations: [.append(key: 500, value: 1)]))
      recorder.ends(.init(session: 1_001, begin: moment(), end: moment(), operations: [stale]))
    } _: {
      guard case .cycle(let cycle) = $0 else { return false }
      return cycle.kind == .singleMissedWrite && cycle.needsTime
    }
  }
}

extension Anomaly {
  fileprivate var writer: Int? {
    if case .lost(_, _, let writer) = self { writer } else { nil }
  }
}
