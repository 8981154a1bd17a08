import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// The snapshots that nodes save, and the entries that they discard.
@Suite(.closesClusters) struct ClusterSnapshotTests {
  @Test func `the last two snapshots are kept`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open(["a"])[0]
    var saved: [LogPosition] = []
    for id in 1...3 {
      try await node.execute("INSERT INTO item VALUES (?, 0)", [id])
      saved.append(try await node.saveSnapshot())
      #expect(await cluster.snapshots.positions == saved.suffix(2))
    }
  }

  @Test func `a snapshot discards the entries before the kept ones`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a") { $0.keptEntryCount = 3 }
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    for id in 1...9 { try await node.execute("INSERT INTO item VALUES (?, 0)", [id]) }
    let number = try await node.saveSnapshot().number
    let log = cluster.log.client()
    let error = await #expect(throws: LogError.self) { try await log.entry(at: number - 3) }
    guard case .behindLog(let discarded) = error else {
      Issue.record("expected behindLog, found \(String(describing: error))")
      return
    }
    #expect(discarded.number == number - 3)
    #expect(try await log.entry(at: number - 2)?.number == number - 2)
  }

  @Test func `a transaction in parts that goes beyond the interval saves a snapshot`() async throws {
    let cluster = try TestCluster(limits: LogLimits(payloadBytes: 2_000))
    let interval = 3
    let node = try await cluster.open("a") { $0.snapshotInterval = interval }
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    #expect(node.metrics.savedSnapshots == 0)
    try await node.write { db in
      for id in 1...5 {
        try db.execute(sql: "INSERT INTO item VALUES (?, ?)", arguments: [id, String(repeating: "x", count: 700)])
      }
    }
    let number = Int(node.position.number)
    try #require(number > interval && number % interval != 0, "The test is to be adapted: \(number)")
    while node.metrics.savedSnapshots == 0 { await Task.yield() }
  }

  @Test func `a node begins with a copy of a snapshot`() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open(["a"])[0]
    try await first.execute("INSERT INTO item VALUES (1, 0)")
    let position = try await first.saveSnapshot()
    try await cluster.snapshots.fetch(position, to: URL(fileURLWithPath: cluster.path("b")))
    let second = try await cluster.open("b")
    #expect(second.position == position)
    #expect(try await expectEqualContents([first, second]))
  }

  @Test func `a write does not wait for a snapshot beyond its time limit`() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open("a") { $0.keptEntryCount = 0 }
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await first.saveSnapshot()
    let (end, continuation) = AsyncStream.makeStream(of: Void.self)
    let second = try await cluster.open("b") { $0.snapshots = SlowStore(base: cluster.snapshots, end: end) }
    let error = await #expect(throws: ClusterError.self) {
      try await second.write(timeLimit: .milliseconds(50)) { try $0.execute(sql: "INSERT INTO item VALUES (1, 0)") }
    }
    #expect(error?.isUnavailable == true, "\(String(describing: error))")
    continuation.finish()
    try await second.execute("INSERT INTO item VALUES (2, 0)")
    #expect(try await expectEqualContents([first, second]))
    #expect(try await first.read { try Int.fetchAll($0, sql: "SELECT id FROM item") } == [2])
  }

  @Test func `the file of another program stops the node, whose file stays as it is`() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open("a") { $0.keptEntryCount = 0 }
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value); INSERT INTO item VALUES (1, 'a')")
    try await cluster.withNode("b") { try await $0.catchUp() }
    try await first.execute("INSERT INTO item VALUES (2, 'b')")
    try await first.saveSnapshot()
    let second = try await cluster.open("b") { $0.snapshots = ForeignStore(base: cluster.snapshots) }
    for await state in second.states() {
      if case .stopped(.unsuitableFile) = state { break }
    }
    #expect(try await second.read { try String.fetchAll($0, sql: "SELECT value FROM item") } == ["a"])
    try second.close()
    #expect(try await expectEqualContents([first, cluster.open("b")]))
  }

  @Test func `a snapshot with the contents of another history stops the node`() async throws {
    let (cluster, other) = (try TestCluster(), try TestCluster())
    var positions: [LogPosition] = []
    for cluster in [cluster, other] {
      let node = try await cluster.open("a") { $0.keptEntryCount = 0 }
      try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
      positions.append(try await node.saveSnapshot())
    }
    #expect(positions[0].number == positions[1].number)
    let store = ExchangedStore(base: cluster.snapshots, other: other.snapshots, position: positions[1])
    let node = try await cluster.open("b") { $0.snapshots = store }
    let expected = ClusterError.historyDiverged("the snapshot of \(positions[0]) contains \(positions[1])")
    for await state in node.states() where state != .catchingUp {
      #expect(state == .stopped(expected))
      break
    }
  }

  @Test func `a full disk after a snapshot was copied into the file is no foreign write`() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open("a") { $0.keptEntryCount = 0 }
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let log = GatedLog(cluster.log.client())
    let refusal = CommitRefusal()
    let second = try await cluster.open("b", on: log) { configuration in
      configuration.didReach = { if $0 == .willInstallSnapshot { refusal.refuse(commit: 1) } }
    }
    try await second.write { $0.add(transactionObserver: refusal, extent: .databaseLifetime) }
    log.mode = .delaysEntries
    try await first.execute("INSERT INTO item VALUES (1, 0)")
    try await first.saveSnapshot()
    // The append shows that the log was discarded.
    try await second.execute("INSERT INTO item VALUES (2, 0)")
    log.mode = .connected
    #expect(refusal.count == 1)
    #expect(second.metrics.installedSnapshots == 1)
    #expect(try await expectEqualContents([first, second]))
  }
}

/// A store that fetches a snapshot when a stream has ended.
private struct SlowStore: SnapshotStore {
  var base: any SnapshotStore
  var end: AsyncStream<Void>

  func save(_ file: URL, at position: LogPosition) async throws { try await base.save(file, at: position) }
  func latest() async throws -> LogPosition? { try await base.latest() }

  func fetch(_ position: LogPosition, to file: URL) async throws {
    for await _ in end {}
    try await base.fetch(position, to: file)
  }

  func removeSnapshots(before position: LogPosition) async throws {
    try await base.removeSnapshots(before: position)
  }
}

/// A store that fetches the file of another program.
private struct ForeignStore: SnapshotStore {
  var base: any SnapshotStore

  func save(_ file: URL, at position: LogPosition) async throws { try await base.save(file, at: position) }
  func latest() async throws -> LogPosition? { try await base.latest() }

  func fetch(_ position: LogPosition, to file: URL) async throws {
    let queue = try DatabaseQueue(path: file.path)
    try await queue.write { try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, value)") }
    try queue.close()
  }

  func removeSnapshots(before position: LogPosition) async throws {
    try await base.removeSnapshots(before: position)
  }
}

/// A store whose snapshots are exchanged with a snapshot of another cluster.
private struct ExchangedStore: SnapshotStore {
  var base: any SnapshotStore
  var other: any SnapshotStore
  var position: LogPosition

  func save(_ file: URL, at position: LogPosition) async throws { try await base.save(file, at: position) }
  func latest() async throws -> LogPosition? { try await base.latest() }
  func fetch(_ position: LogPosition, to file: URL) async throws { try await other.fetch(self.position, to: file) }

  func removeSnapshots(before position: LogPosition) async throws {
    try await base.removeSnapshots(before: position)
  }
}
