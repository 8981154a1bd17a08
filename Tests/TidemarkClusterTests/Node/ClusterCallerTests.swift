import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// The promises of the documentation to callers: errors, cancellation, time limits, and calls without the log, inside
/// of a write, and after the end.
@Suite(.closesClusters) struct ClusterCallerTests {
  /// Opens a node over a log that a test interrupts, with a table.
  private func open(_ cluster: TestCluster, _ name: String = "a") async throws -> (ClusterDatabase, GatedLog) {
    let log = GatedLog(cluster.log.client())
    let node = try await cluster.open(name, on: log)
    try await node.execute("CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, value)")
    return (node, log)
  }

  private func waitUntilInDoubt(_ node: ClusterDatabase) async {
    for await state in node.states() where state == .inDoubt { return }
  }

  private func ids(_ node: ClusterDatabase) async throws -> [Int] {
    try await node.read { try Int.fetchAll($0, sql: "SELECT id FROM item ORDER BY id") }
  }

  // MARK: - Outcomes

  /// A transaction that the log has lost, of a node that is closed.
  private func lostTransaction(_ cluster: TestCluster) async throws -> ClusterTransactionID {
    let (node, log) = try await open(cluster, "lost")
    log.mode = .losesAppends
    let write = Task { try await node.execute("INSERT INTO item VALUES (1, 0)") }
    await waitUntilInDoubt(node)
    try node.close()
    let error = await #expect(throws: ClusterError.self) { try await write.value }
    return try #require(error?.unknownTransaction, "\(String(describing: error))")
  }

  @Test func anOutcomeThatIsNotDecidedInTimeIsUnavailable() async throws {
    let cluster = try TestCluster()
    let transaction = try await lostTransaction(cluster)
    let (node, log) = try await open(cluster)
    log.mode = .losesAppends
    let error = await #expect(throws: ClusterError.self) {
      try await node.outcome(of: transaction, timeLimit: .milliseconds(50))
    }
    #expect(error?.isUnavailable == true, "\(String(describing: error))")
    log.mode = .connected
    #expect(try await node.outcome(of: transaction) == .notCommitted)
  }

  @Test func decidingAnOutcomeCanBeCancelled() async throws {
    let cluster = try TestCluster()
    let transaction = try await lostTransaction(cluster)
    let (node, log) = try await open(cluster)
    log.mode = .losesAppends
    let decision = Task { try await node.outcome(of: transaction) }
    await waitUntilInDoubt(node)
    decision.cancel()
    await #expect(throws: CancellationError.self) { try await decision.value }
    log.mode = .connected
    #expect(try await node.outcome(of: transaction) == .notCommitted)
  }

  @Test func aCancelledBootstrapInDoubtHasAnUnknownOutcome() async throws {
    let cluster = try TestCluster()
    let path = cluster.path("existing")
    try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY)") }
    let log = GatedLog(cluster.log.client())
    log.mode = .losesAppends
    let bootstrap = Task { try await ClusterDatabase.bootstrap(log, from: path, snapshots: cluster.snapshots) }
    while log.lostAppendCount == 0 { await Task.yield() }
    bootstrap.cancel()
    let error = await #expect(throws: ClusterError.self) { try await bootstrap.value }
    #expect(error?.unknownTransaction?.entryNumber == 1, "\(String(describing: error))")
  }

  // MARK: - Cancellation

  @Test func aCancelledTaskDoesNotInterruptAClosure() async throws {
    let cluster = try TestCluster()
    let (node, _) = try await open(cluster)
    let (hasBegun, hasEnded) = (ProtectedValue(false), ProtectedValue(false))
    let mayEnd = DispatchSemaphore(value: 0)
    let write = Task {
      try await node.write { db in
        hasBegun.withLock { $0 = true }
        mayEnd.wait()
        try db.execute(sql: "INSERT INTO item VALUES (1, 0)")
        hasEnded.withLock { $0 = true }
      }
    }
    while !hasBegun.withLock(\.self) { await Task.yield() }
    write.cancel()
    mayEnd.signal()
    // Its entry may be appended.
    let error = await #expect(throws: ClusterError.self) { try await write.value }
    let transaction = try #require(error?.unknownTransaction, "\(String(describing: error))")
    #expect(hasEnded.withLock { $0 })
    let isCommitted = try await node.outcome(of: transaction) != .notCommitted
    try await node.catchUp()
    #expect(try await ids(node) == (isCommitted ? [1] : []))
  }

  // MARK: - Without the log

  @Test func aNodeIsOpenedAndReadWithoutTheLog() async throws {
    let cluster = try TestCluster()
    let (node, _) = try await open(cluster)
    try await node.execute("INSERT INTO item VALUES (1, 0)")
    let position = node.position
    try node.close()

    let log = GatedLog(cluster.log.client())
    log.mode = .unreachable
    let again = try await cluster.open("a", on: log)
    #expect(try await ids(again) == [1])
    let seen = try await again.read(after: position) { try ClusterDatabase.position($0) }
    #expect(seen == position)
    let error = await #expect(throws: ClusterError.self) {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("v1") { try $0.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY)") }
      try await again.migrate(migrator, timeLimit: .milliseconds(50))
    }
    #expect(error?.isUnavailable == true, "\(String(describing: error))")
  }

  @Test func aRejectedWriteFailsBeforeItsTimeLimitAndTheNodeContinues() async throws {
    let cluster = try TestCluster()
    let (node, log) = try await open(cluster)
    log.mode = .rejects
    // Without an end: the test ends only if the write does not wait.
    let error = await #expect(throws: ClusterError.self) {
      try await node.write(timeLimit: .seconds(1_000_000)) { try $0.execute(sql: "INSERT INTO item VALUES (1, 0)") }
    }
    #expect(error == .unavailable("the test rejects requests"))
    log.mode = .connected
    try await node.execute("INSERT INTO item VALUES (2, 0)")
    #expect(try await ids(node) == [2])
  }

  @Test func aLogThatHasLostEntriesStopsTheNode() async throws {
    let cluster = try TestCluster()
    let (node, _) = try await open(cluster)
    try node.close()
    let again = try await cluster.open("a", on: InProcessLog().client())
    for await state in again.states() { if case .stopped(.historyDiverged) = state { break } }
    guard case .stopped(let reason) = again.state else {
      Issue.record("expected to stop, found \(again.state)")
      return
    }
    #expect(try await ids(again) == [])
    await #expect(throws: reason) { try await again.execute("INSERT INTO item VALUES (1, 0)") }
    await #expect(throws: reason) { try await again.catchUp() }
  }

  // MARK: - Inside of a write

  @Test func aClosureSeesThePositionBeforeItsWrite() async throws {
    let cluster = try TestCluster()
    let (node, _) = try await open(cluster)
    let before = node.position
    let (seen, after) = try await node.writeReturningPosition { db in
      try db.execute(sql: "INSERT INTO item VALUES (1, 0)")
      return try ClusterDatabase.position(db)
    }
    #expect(seen == before)
    #expect(after.number == before.number + 1)
    let current = try await node.read { try ClusterDatabase.position($0) }
    #expect(current == after)
  }

  // MARK: - After the end

  @Test func aClosedDatabaseReportsThatItIsClosed() async throws {
    let cluster = try TestCluster()
    let (node, _) = try await open(cluster)
    try await node.execute("INSERT INTO item VALUES (1, 0)")
    try node.close()
    try node.close()
    await #expect(throws: ClusterError.closed) { try await node.execute("INSERT INTO item VALUES (2, 0)") }
    await #expect(throws: ClusterError.closed) { try await node.catchUp() }
    await #expect(throws: ClusterError.closed) { try await node.readLatest { _ in } }
    let transaction = ClusterTransactionID(id: UUID(), entryNumber: 1)
    await #expect(throws: ClusterError.closed) { try await node.outcome(of: transaction) }
    let later = LogPosition(number: 100, digest: .zero)
    await #expect(throws: ClusterError.closed) { try await node.read(after: later) { _ in } }
    await #expect(throws: DatabaseError.self) { try await ids(node) }
    var states: [ClusterState] = []
    for await state in node.states() { states.append(state) }
    #expect(states == [.closed])
    #expect(node.metrics.committedTransactions == 2)
  }

  // MARK: - The configuration

  @Test func anUnsuitableConfigurationIsRefused() async throws {
    let cluster = try TestCluster()
    for name in ["", String(repeating: "n", count: 256)] {
      await #expect(throws: ClusterError.self) {
        try await ClusterDatabase.open(
          cluster.path("a"), log: cluster.log.client(), ClusterConfiguration(node: name))
      }
    }
    await #expect(throws: ClusterError.self) { try await cluster.open("a") { $0.database.readonly = true } }
    await #expect(throws: ClusterError.self) {
      try await cluster.open("a") { $0.database.accessTimeLimit = .seconds(1) }
    }
    let small = try TestCluster(limits: LogLimits(payloadBytes: 0))
    await #expect(throws: ClusterError.self) { try await small.open("a") }
    let node = try await cluster.open("a") { $0.snapshots = nil }
    await #expect(throws: ClusterError.self) { try await node.saveSnapshot() }
  }

  // MARK: - Logs that break their promises

  @Test func `a write that is always refused is unavailable after its time limit`() async throws {
    let cluster = try TestCluster()
    try await open(cluster).0.close()
    let node = try await cluster.open("b", on: UnreliableLog(cluster.log.client(), fault: .refusesAppends))
    let error = try await node.failedWrite { try $0.execute(sql: "INSERT INTO item VALUES (1, 0)") }
    #expect(error.isUnavailable, "\(error)")
  }

  @Test func `entries arrive after their stream has ended`() async throws {
    let cluster = try TestCluster()
    let (first, _) = try await open(cluster)
    let second = try await cluster.open("b", on: UnreliableLog(cluster.log.client(), fault: .endsStreams))
    for id in 1...3 { try await first.execute("INSERT INTO item VALUES (?, 0)", [id]) }
    try await second.catchUp()
    #expect(try await ids(second) == [1, 2, 3])
  }

  @Test(arguments: [Duration.seconds(10_000_000_000), .seconds(Int64.max)])
  func `a time limit may be longer than any clock can measure`(_ limit: Duration) async throws {
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    log.mode = .unreachable
    let node = try await cluster.open("a", on: log) { configuration in
      (configuration.requestTimeLimit, configuration.heartbeatInterval) = (limit, .milliseconds(50))
    }
    let write = Task {
      try await node.writeReturningPosition(timeLimit: limit) { try $0.execute(sql: "CREATE TABLE a (b)") }
    }
    // The node notices the end of this write, and then waits for the other write.
    await #expect(throws: ClusterError.self) { try await node.write(timeLimit: .zero) { _ in } }
    log.mode = .connected
    let position = try await write.value.position
    #expect(try await node.readLatest(timeLimit: limit) { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM a") } == 0)
    let other = try await cluster.open("b")
    #expect(try await other.read(after: position, timeLimit: limit) { try $0.tableExists("a") })
  }

  @Test func `closures of writes that have ended are released while the log cannot be reached`() async throws {
    final class Content: Sendable {}
    let cluster = try TestCluster()
    let log = GatedLog(cluster.log.client())
    log.mode = .unreachable
    let node = try await cluster.open("a", on: log)
    weak var released: Content?
    do {
      let content = Content()
      released = content
      await #expect(throws: ClusterError.self) {
        try await node.write(timeLimit: .zero) { _ in withExtendedLifetime(content) {} }
      }
    }
    // The node has removed the first write from the queue before it notices the end of the second one.
    await #expect(throws: ClusterError.self) { try await node.write(timeLimit: .zero) { _ in } }
    #expect(released == nil)
  }

  @Test func `a write whose entry is refused because of itself is executed once`() async throws {
    let cluster = try TestCluster()
    let log = UnreliableLog(cluster.log.client(), fault: .refusesStoredEntries)
    let node = try await cluster.open("a", on: log)
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await node.execute("INSERT INTO item (value) VALUES (0)")
    #expect(try await ids(node) == [1])
    #expect(try await log.barrier(until: .now + .seconds(10)).number == 2)
  }

  @Test func `closing a node ends a read of the latest state that waits for the log`() async throws {
    let cluster = try TestCluster()
    let (node, log) = try await open(cluster)
    log.mode = .unreachable
    let reading = Task { try await node.readLatest { try Int.fetchOne($0, sql: "SELECT 1") } }
    for await state in node.states() { if case .detached = state { break } }
    try node.close()
    await #expect(throws: ClusterError.closed) { try await reading.value }
  }

  @Test func `closing a node ends a decision about an outcome that waits for the log`() async throws {
    let cluster = try TestCluster()
    let transaction = try await lostTransaction(cluster)
    let (node, log) = try await open(cluster)
    log.mode = .unreachable
    let decision = Task { try await node.outcome(of: transaction) }
    for await state in node.states() { if case .detached = state { break } }
    try node.close()
    await #expect(throws: ClusterError.closed) { try await decision.value }
  }
}

/// A log that breaks the promises of its protocol.
private struct UnreliableLog: WrappedLog {
  enum Fault {
    /// Each append is refused because of the first entry.
    case refusesAppends

    /// Each append is executed, and refused because of its own entry. Streams deliver nothing.
    case refusesStoredEntries

    /// Each stream ends after one entry.
    case endsStreams
  }

  let base: any ReplicatedLog
  private let fault: Fault

  init(_ base: any ReplicatedLog, fault: Fault) { (self.base, self.fault) = (base, fault) }

  func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
    if fault == .refusesStoredEntries {
      _ = try await base.append(entry, until: deadline)
      return .refused(winner: entry)
    }
    guard fault == .refusesAppends, let first = try await base.entry(at: 1) else {
      return try await base.append(entry, until: deadline)
    }
    return .refused(winner: first)
  }

  func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error> {
    if fault == .refusesStoredEntries { return AsyncThrowingStream { _ in } }
    let entries = base.entries(after: position)
    return fault == .endsStreams ? forward(entries.prefix(1)) : entries
  }
}
