import Foundation
import Synchronization
import Testing
import Tidemark

@testable import TidemarkCluster

/// The table of failures in `Documentation/Cluster.md`, row by row.
@Suite(.closesClusters) struct ClusterFailureTests {
  private func count(_ database: ClusterDatabase) async throws -> Int? {
    try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") }
  }

  /// Waits until a node is in a state.
  private func wait(for database: ClusterDatabase, _ isReached: (ClusterState) -> Bool) async -> ClusterState? {
    for await state in database.states() where isReached(state) { return state }
    return nil
  }

  // MARK: - The log

  @Test func lostAndDuplicatedAppendsChangeTheDatabaseOnce() async throws {
    let cluster = try TestCluster(seed: 3)
    var nodes: [ClusterDatabase] = []
    for (seed, name) in ["a", "b", "c"].enumerated() {
      let client = cluster.log.client(faults: .all(0.1), seed: UInt64(seed))
      nodes.append(try await cluster.open(name, on: client))
    }
    try await nodes[0].execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await withThrowingTaskGroup { group in
      for (index, node) in nodes.enumerated() {
        group.addTask {
          for number in 0..<30 { try await node.execute("INSERT INTO item VALUES (?, 0)", [index * 1_000 + number]) }
        }
      }
      try await group.waitForAll()
    }
    for node in nodes { try await node.catchUp() }
    #expect(try await count(nodes[0]) == 90)
    #expect(try await expectEqualContents(nodes))
  }

  @Test func withoutTheLogReadsGoOnAndWritesFail() async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    let node = try await cluster.open("a", on: log)
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    log.mode = .unreachable
    let error = try await node.failedWrite { try $0.execute(sql: "INSERT INTO item VALUES (1, 0)") }
    #expect(error.isUnavailable, "\(error)")
    #expect(try await count(node) == 0)
    let state = await wait(for: node) { if case .detached = $0 { true } else { false } }
    #expect(state != nil)
    await #expect(throws: ClusterError.self) {
      try await node.readLatest(timeLimit: .milliseconds(100)) { try Int.fetchOne($0, sql: "SELECT 1") }
    }
    log.mode = .connected
    try await node.execute("INSERT INTO item VALUES (2, 0)")
    #expect(try await node.read { try Int.fetchAll($0, sql: "SELECT id FROM item") } == [2])
  }

  @Test func anUnknownOutcomeIsDecidedLater() async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    let node = try await cluster.open("a", on: log)
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    for (mode, id) in [(GatedLog.Mode.losesResults, 1), (.losesRequests, 2)] {
      log.mode = mode
      let transaction = try await node.lostWrite {
        try $0.execute(sql: "INSERT INTO item VALUES (?, 0)", arguments: [id])
      }
      #expect(node.state == .inDoubt, "\(mode)")
      log.mode = .connected
      // The node repeats the append, so both are committed.
      guard case .committed = try await node.outcome(of: transaction) else {
        Issue.record("the transaction is not committed")
        return
      }
      try await node.catchUp()
    }
    #expect(try await node.readLatest { try Int.fetchAll($0, sql: "SELECT id FROM item") } == [1, 2])
  }

  @Test func theOutcomeOfALostWriteIsDecidedByAnotherNode() async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    let first = try await cluster.open("a", on: log)
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let second = try await cluster.open("b")
    log.mode = .losesRequests
    let transaction = try await first.lostWrite { try $0.execute(sql: "INSERT INTO item VALUES (1, 0)") }
    try first.close()
    #expect(try await second.outcome(of: transaction) == .notCommitted)
    #expect(try await count(second) == 0)
  }

  @Test func aNodeThatTheLogHasLeftBehindBeginsWithASnapshot() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open("a") { $0.keptEntryCount = 0 }
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await cluster.withNode("b") { try await $0.catchUp() }
    for id in 1...20 { try await first.execute("INSERT INTO item VALUES (?, 0)", [id]) }
    try await first.saveSnapshot()
    try await first.execute("INSERT INTO item VALUES (21, 0)")
    let second = try await cluster.open("b")
    try await second.catchUp()
    #expect(second.metrics.installedSnapshots == 1)
    #expect(try await expectEqualContents([first, second]))
    try await second.execute("INSERT INTO item VALUES (22, 0)")
    #expect(try await expectEqualContents([first, second]))
  }

  @Test func withoutASnapshotANodeStaysBehindTheLog() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open("a")
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await cluster.withNode("b") { try await $0.catchUp() }
    try await first.execute("INSERT INTO item VALUES (1, 0)")
    try await cluster.log.client().discard(through: first.position, until: .now + .seconds(5))
    let second = try await cluster.open("b") { $0.snapshots = nil }
    #expect(await wait(for: second) { $0 == .behindLog } == .behindLog)
    #expect(try await count(second) == 0)
    let expected = ClusterError.behindLog(discardedThrough: first.position)
    await #expect(throws: expected) {
      try await second.write(timeLimit: .milliseconds(50)) { try $0.execute(sql: "INSERT INTO item VALUES (2, 0)") }
    }
    await #expect(throws: expected) {
      try await second.read(after: first.position, timeLimit: .milliseconds(50)) { _ in }
    }
  }

  @Test func aForkedLogStopsTheNode() async throws {
    let cluster = try TestCluster()
    try await cluster.withNode("a") { try await $0.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)") }
    let other = InProcessLog()
    let entry = LogEntry(after: .start, payload: [1])
    _ = try await other.client().append(entry, until: .now + .seconds(5))
    let node = try await cluster.open("a", on: other.client())
    let state = await wait(for: node) { if case .stopped(.historyDiverged) = $0 { true } else { false } }
    #expect(state != nil)
    #expect(try await count(node) == 0)
    await #expect(throws: ClusterError.self) { try await node.execute("INSERT INTO item VALUES (1, 0)") }
  }

  @Test func anEntryOfALaterVersionStopsTheNodeUntilItIsUpdated() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a")
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let entry = LogEntry(after: node.position, payload: [ClusterPayload.version + 1, 0, 0])
    _ = try await cluster.log.client().append(entry, until: .now + .seconds(5))
    let expected = ClusterState.stopped(.unsupportedEntry(version: Int(ClusterPayload.version) + 1))
    #expect(await wait(for: node) { $0 == expected } == expected)
    #expect(try await count(node) == 0)
  }

  // MARK: - The node

  @Test(arguments: [NodeEvent.willAppend, .didAppend])
  func aNodeThatIsKilledInAWriteContinues(_ event: NodeEvent) async throws {
    let cluster = try TestCluster()
    let kills = Mutex(false)
    let node = try await cluster.open("a") { configuration in
      configuration.didReach = { if $0 == event, kills.withLock(\.self) { throw NodeWasKilled() } }
    }
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    kills.withLock { $0 = true }
    let error = await #expect(throws: ClusterError.self) { try await node.execute("INSERT INTO item VALUES (1, 0)") }
    try node.close()
    let transaction = try #require(error?.unknownTransaction, "\(String(describing: error))")
    let again = try await cluster.open("a")
    let isCommitted = event == .didAppend
    let outcome = try await again.outcome(of: transaction)
    #expect((outcome != .notCommitted) == isCommitted)
    try await again.catchUp()
    #expect(try await count(again) == (isCommitted ? 1 : 0))
  }

  @Test func aNodeThatIsKilledWhileItAppliesContinues() async throws {
    let cluster = try TestCluster()
    let kills = Mutex(true)
    let first = try await cluster.open("a")
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await first.execute("INSERT INTO item VALUES (1, 0)")
    let second = try await cluster.open("b") { configuration in
      configuration.didReach = { if $0 == .willCommitApplied, kills.withLock(\.self) { throw NodeWasKilled() } }
    }
    #expect(await wait(for: second) { $0 == .closed } == .closed)
    try second.close()
    let again = try await cluster.open("b")
    #expect(try await expectEqualContents([first, again]))
  }

  @Test func aNodeThatIsKilledWhileItInstallsASnapshotContinues() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open("a") { $0.keptEntryCount = 0 }
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await first.saveSnapshot()
    let second = try await cluster.open("b") { configuration in
      configuration.didReach = { if $0 == .willInstallSnapshot { throw NodeWasKilled() } }
    }
    #expect(await wait(for: second) { $0 == .closed } == .closed)
    try second.close()
    let again = try await cluster.open("b")
    #expect(try await expectEqualContents([first, again]))
  }

  @Test func aNodeThatIsKilledWhileItSavesASnapshotHasSavedNone() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a") { configuration in
      configuration.didReach = { if $0 == .didCopySnapshot { throw NodeWasKilled() } }
    }
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    await #expect(throws: NodeWasKilled.self) { try await node.saveSnapshot() }
    #expect(await cluster.snapshots.positions.isEmpty)
    try await node.execute("INSERT INTO item VALUES (1, 0)")
  }

  @Test func aCommitThatFailsAfterTheAppendIsRepeated() async throws {
    final class Refusal: TransactionObserver {
      private var isFirst = true

      func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseDidCommit(_ db: Database) {}
      func databaseDidRollback(_ db: Database) {}

      func databaseWillCommit() throws {
        defer { isFirst = false }
        if isFirst { throw DatabaseError(resultCode: .SQLITE_FULL) }
      }
    }
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"])
    let error = await #expect(throws: ClusterError.self) {
      try await nodes[0].write { db in
        db.add(transactionObserver: Refusal(), extent: .databaseLifetime)
        try db.execute(sql: "INSERT INTO item VALUES (1, 0)")
      }
    }
    guard case .committedElsewhere? = error else {
      Issue.record("expected committedElsewhere, found \(String(describing: error))")
      return
    }
    #expect(try await expectEqualContents(nodes))
    #expect(try await count(nodes[0]) == 1)
  }

  @Test func oneOfTwoNodesWithTheSameNameStops() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open("a")
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    var configuration = ClusterConfiguration(node: "a")
    configuration.heartbeatInterval = .milliseconds(50)
    let second = try await ClusterDatabase.open(cluster.path("other"), log: cluster.log.client(), configuration)
    try await second.catchUp()
    try await second.execute("INSERT INTO item VALUES (1, 0)")
    #expect(await wait(for: first) { $0 == .stopped(.replaced(node: "a")) } != nil)
    try await second.execute("INSERT INTO item VALUES (2, 0)")
  }

  // MARK: - The caller

  @Test func aCancelledWriteThatWaitsIsNotExecuted() async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    let node = try await cluster.open("a", on: log)
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    log.mode = .losesRequests
    let first = Task { try await node.execute("INSERT INTO item VALUES (1, 0)") }
    _ = await wait(for: node) { $0 == .inDoubt }
    let second = PendingWrite(until: .soon) { try $0.execute(sql: "INSERT INTO item VALUES (2, 0)") }
    node.node.submit(second)
    node.node.cancel(second)
    await #expect(throws: CancellationError.self) {
      try await withCheckedThrowingContinuation { continuation in second.wait { continuation.resume(with: $0) } }
    }
    log.mode = .connected
    try await first.value
    try await node.execute("INSERT INTO item VALUES (3, 0)")
    #expect(try await node.readLatest { try Int.fetchAll($0, sql: "SELECT id FROM item") } == [1, 3])
  }

  @Test func closingANodeInDoubtTellsThatTheOutcomeIsUnknown() async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    let node = try await cluster.open("a", on: log)
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    log.mode = .losesResults
    let write = Task { try await node.execute("INSERT INTO item VALUES (1, 0)") }
    _ = await wait(for: node) { $0 == .inDoubt }
    try node.close()
    let error = await #expect(throws: ClusterError.self) { try await write.value }
    #expect(error?.unknownTransaction != nil, "\(String(describing: error))")
    await #expect(throws: ClusterError.closed) { try await node.execute("INSERT INTO item VALUES (2, 0)") }
    let again = try await cluster.open("a")
    try await again.catchUp()
    #expect(try await count(again) == 1)
  }

  @Test func manyNodesAreClosedAtOnceWhileTheyWaitForTheLog() async throws {
    let cluster = try TestCluster()
    var opened: [ClusterDatabase] = []
    let log = GatedLog(cluster.log.client())
    for number in 0..<8 { opened.append(try await cluster.open("n\(number)", on: log)) }
    let nodes = opened
    for node in nodes { try await node.catchUp() }
    log.mode = .neverReturns
    let writes = nodes.map { node in Task { try await node.execute("CREATE TABLE item (id)") } }
    while log.waitingAppendCount < nodes.count { await Task.yield() }
    // Closing blocks threads of Swift's pool, of which there may be two.
    try await withThrowingTaskGroup { group in
      for node in nodes { group.addTask { try node.close() } }
      try await group.waitForAll()
    }
    for write in writes { await #expect(throws: ClusterError.self) { try await write.value } }
    log.mode = .connected
  }

  @Test func closuresCannotEndTheirTransaction() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a"])
    await #expect(throws: DatabaseError.self) { try await nodes[0].execute("INSERT INTO item VALUES (1, 0); COMMIT") }
    #expect(try await count(nodes[0]) == 0)
    try await nodes[0].execute("INSERT INTO item VALUES (2, 0)")
  }

  @Test func migrationsOfAllNodesAreAppliedOnce() async throws {
    let cluster = try TestCluster()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, value)") }
    migrator.registerMigration("v2") { try $0.execute(sql: "INSERT INTO item VALUES (1, 0)") }
    let nodes = [try await cluster.open("a"), try await cluster.open("b"), try await cluster.open("c")]
    try await withThrowingTaskGroup { [migrator] group in
      for node in nodes { group.addTask { try await node.migrate(migrator) } }
      try await group.waitForAll()
    }
    #expect(try await expectEqualContents(nodes))
    #expect(try await count(nodes[2]) == 1)
  }

  @Test func closingInsideOfAWriteIsAnError() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let node = try await TestCluster().open("a")
      try await node.write { _ in try node.close() }
    }
    #if DEBUG
      // Optimized code prints no message.
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("cannot be closed inside of one of its writes"))
    #endif
  }
}
