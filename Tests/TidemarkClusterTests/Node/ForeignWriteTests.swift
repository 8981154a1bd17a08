import Testing
import Tidemark

@testable import TidemarkCluster

/// Writes of other programs into the file of a node.
@Suite(.closesClusters) struct ForeignWriteTests {
  /// Another program writes into the file of a node.
  private func intrude(_ cluster: TestCluster, _ node: String, _ sql: String) throws {
    let stranger = try DatabaseQueue(path: cluster.path(node))
    try stranger.writeWithoutTransaction { try $0.execute(sql: sql) }
    try stranger.close()
  }

  private func values(_ node: ClusterDatabase) async throws -> [String] {
    try await node.read { try String.fetchAll($0, sql: "SELECT value FROM item ORDER BY id") }
  }

  @Test func `a foreign write stops the node at its next write`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open(["a"])[0]
    try intrude(cluster, "a", "INSERT INTO item VALUES (1, 'foreign')")
    let error = ClusterError.foreignWrite(cluster.path("a"))
    await #expect(throws: error) { try await node.execute("INSERT INTO item VALUES (2, 'own')") }
    #expect(node.state == .stopped(error))
  }

  @Test func `a foreign write stops the node at the next entry of another node`() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"])
    try intrude(cluster, "b", "INSERT INTO item VALUES (1, 'foreign')")
    try await nodes[0].execute("INSERT INTO item VALUES (2, 'own')")
    let error = ClusterError.foreignWrite(cluster.path("b"))
    await #expect(throws: error) { try await nodes[1].catchUp() }
    #expect(nodes[1].state == .stopped(error))
    #expect(try await values(nodes[1]) == ["foreign"])
  }

  @Test func `a file with a foreign write is not replaced by a snapshot`() async throws {
    let cluster = try TestCluster()
    let first = try await cluster.open("a") { $0.keptEntryCount = 0 }
    try await first.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await cluster.withNode("b") { try await $0.catchUp() }
    try await first.execute("INSERT INTO item VALUES (2, 'own')")
    try await cluster.log.client().discard(through: first.position, until: .soon)
    let second = try await cluster.open("b")
    for await state in second.states() where state == .behindLog { break }
    try intrude(cluster, "b", "INSERT INTO item VALUES (1, 'foreign')")
    try await first.saveSnapshot()
    let expected = ClusterState.stopped(.foreignWrite(cluster.path("b")))
    for await state in second.states() where state != .behindLog {
      #expect(state == expected)
      break
    }
    #expect(try await values(second) == ["foreign"])
  }

  @Test func `a node that a foreign write has stopped saves no snapshot`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open(["a"])[0]
    try intrude(cluster, "a", "INSERT INTO item VALUES (1, 'foreign')")
    let error = ClusterError.foreignWrite(cluster.path("a"))
    await #expect(throws: error) { try await node.execute("INSERT INTO item VALUES (2, 'own')") }
    await #expect(throws: error) { try await node.saveSnapshot() }
    #expect(await cluster.snapshots.positions.isEmpty)
  }

  @Test func `a foreign write into a closed file is found when it is opened`() async throws {
    let cluster = try TestCluster()
    try await cluster.withNode("a") { try await $0.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)") }
    // A node is opened again without a foreign write.
    try await cluster.withNode("a") { try await $0.execute("INSERT INTO item VALUES (1, 'own')") }
    try intrude(cluster, "a", "INSERT INTO item VALUES (2, 'foreign')")
    await #expect(throws: ClusterError.foreignWrite(cluster.path("a"))) { try await cluster.open("a") }
  }

  @Test(arguments: [1, 20])
  func `the node's own checkpoints are no foreign writes`(frameCount: Int) async throws {
    let cluster = try TestCluster()
    for id in 1...4 {
      let node = try await cluster.open("a") { configuration in
        configuration.database.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = \(frameCount)") }
      }
      try await node.execute("CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, value)")
      // Each of them makes the log long: it is checkpointed, and the next one begins it again.
      for size in [80_000, 120_000] { try await node.execute("INSERT INTO item (value) VALUES (zeroblob(\(size)))") }
      #expect(try await node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") } == id * 2)
      try node.close()
    }
  }

  @Test func `a checkpoint of another program is no foreign write`() async throws {
    let cluster = try TestCluster()
    try await cluster.withNode("a") { node in
      try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
      // The next commit begins the write-ahead log again.
      try intrude(cluster, "a", "PRAGMA wal_checkpoint(TRUNCATE)")
      try await node.execute("INSERT INTO item VALUES (1, 'own')")
    }
    try await cluster.withNode("a") { node in
      try await node.catchUp()
      #expect(try await values(node) == ["own"])
    }
  }

  @Test func `a full disk after the commit of a write is no foreign write`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a") { configuration in
      // After each commit, the node commits again, because the write-ahead log has begun again.
      configuration.database.prepareDatabase { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 1") }
    }
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let refusal = CommitRefusal()
    try await node.write { $0.add(transactionObserver: refusal, extent: .databaseLifetime) }
    for id in 1...6 {
      try await node.write { db in
        refusal.refuse(commit: 2)
        try db.execute(sql: "INSERT INTO item VALUES (?, 'own')", arguments: [id])
      }
    }
    #expect(refusal.count > 0)
    #expect(try await values(node).count == 6)
  }
}
