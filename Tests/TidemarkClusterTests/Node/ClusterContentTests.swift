import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// The contents that are replicated.
@Suite(.closesClusters) struct ClusterContentTests {
  @Test func fullTextTablesAreReplicatedInBothDirections() async throws {
    let cluster = try TestCluster()
    let schema = "CREATE VIRTUAL TABLE note USING fts5(text); CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)"
    let nodes = try await cluster.open(["a", "b"], schema: schema)
    for round in 0..<5 {
      for (index, node) in nodes.enumerated() {
        try await node.catchUp()
        try await node.execute("INSERT INTO note VALUES ('word\(round) from \(index)')")
        try await node.execute("INSERT INTO box VALUES (?, 0, 1)", [round * 2 + index])
      }
    }
    for node in nodes {
      try await node.catchUp()
      let found = try await node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM note WHERE note MATCH 'from'") }
      #expect(found == 10)
      #expect(try await node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM box WHERE x1 >= 1") } == 10)
    }
    try await nodes[1].execute("INSERT INTO note (note) VALUES ('integrity-check')")
    #expect(try await expectEqualContents(nodes))
  }

  @Test func aLiveQueryGoesOnWithoutAReferenceToItsNode() async throws {
    let cluster = try TestCluster()
    let writer = try await cluster.open(["a"])[0]
    let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") ?? 0 }
    func values() async throws -> AsyncValueObservation<Int>.Iterator {
      // Opened without the cluster, which keeps a reference.
      let node = try await ClusterDatabase.open(
        cluster.path("b"), log: cluster.log.client(), ClusterConfiguration(node: "b"))
      try await node.catchUp()
      return observation.values(in: node).makeAsyncIterator()
    }
    var iterator = try await values()
    #expect(try await iterator.next() == 0)
    try await writer.execute("INSERT INTO item VALUES (1, 'x')")
    #expect(try await iterator.next() == 1)
  }

  @Test func liveQueriesOfFullTextTablesAreUpdated() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"], schema: "CREATE VIRTUAL TABLE note USING fts5(text)")
    let observation = ValueObservation.tracking {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM note WHERE note MATCH 'hello'") ?? 0
    }
    var values = observation.values(in: nodes[1]).makeAsyncIterator()
    #expect(try await values.next() == 0)
    try await nodes[0].execute("INSERT INTO note VALUES ('hello world')")
    #expect(try await values.next() == 1)
  }

  @Test func schemaChangesTriggersAndCountersAreReplicated() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(
      ["a", "b"],
      schema: """
        CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, value);
        CREATE TABLE log (text);
        CREATE TRIGGER logs AFTER INSERT ON item BEGIN INSERT INTO log VALUES (new.value || random()); END;
        """)
    try await nodes[0].execute("INSERT INTO item (value) VALUES ('a'), ('b')")
    try await nodes[0].execute("DELETE FROM item WHERE value = 'b'; PRAGMA user_version = 3")
    try await nodes[0].execute("ALTER TABLE item ADD COLUMN more DEFAULT 7; CREATE INDEX by_value ON item (value)")
    try await nodes[1].catchUp()
    try await nodes[1].execute("INSERT INTO item (value) VALUES ('c')")
    #expect(try await nodes[1].read { try Int.fetchOne($0, sql: "SELECT MAX(id) FROM item") } == 3)
    #expect(try await expectEqualContents(nodes))
  }

  @Test func temporaryTablesStayOnTheirNode() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"])
    try await nodes[0].write { db in
      try db.execute(sql: "CREATE TEMPORARY TABLE scratch (n); INSERT INTO scratch VALUES (1)")
      try db.execute(sql: "INSERT INTO item SELECT n, n FROM scratch")
    }
    #expect(try await expectEqualContents(nodes))
    #expect(try await nodes[1].read { try Int.fetchOne($0, sql: "SELECT value FROM item") } == 1)
  }

  @Test func snapshotsAreSavedAndTheLogIsDiscardedByItself() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a") { configuration in
      configuration.snapshotInterval = 5
      configuration.keptEntryCount = 2
    }
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    for id in 1...30 {
      try await node.execute("INSERT INTO item VALUES (?, 0)", [id])
      // The snapshots are saved in the background: they may skip an interval.
      if id % 10 == 0 { while await cluster.snapshots.positions.isEmpty { await Task.yield() } }
    }
    while node.metrics.savedSnapshots == 0 { await Task.yield() }
    let positions = await cluster.snapshots.positions
    #expect(positions.count <= 2)
    await #expect(throws: LogError.self) { try await cluster.log.client().entry(at: 1) }
    let second = try await cluster.open("b")
    #expect(try await expectEqualContents([node, second]))
    // The first node may have discarded more entries meanwhile.
    #expect(second.metrics.installedSnapshots >= 1)
  }
}
