import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

@Suite(.closesClusters) struct ClusterWriteTests {
  @Test func aWriteOnOneNodeIsReadOnAnother() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"])
    let (count, position) = try await nodes[0].writeReturningPosition { db in
      try db.execute(sql: "INSERT INTO item (value) VALUES ('Hello')")
      return db.changesCount
    }
    #expect(count == 1)
    let value = try await nodes[1].read(after: position) { try String.fetchOne($0, sql: "SELECT value FROM item") }
    #expect(value == "Hello")
  }

  @Test func aClosureThatThrowsChangesNothing() async throws {
    struct Refusal: Error {}
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"])
    let end = nodes[0].position
    await #expect(throws: Refusal.self) {
      try await nodes[0].write { db in
        try db.execute(sql: "INSERT INTO item (value) VALUES (1)")
        throw Refusal()
      }
    }
    #expect(nodes[0].position == end)
    #expect(try await nodes[0].read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") } == 0)
  }

  @Test func aWriteWithoutChangesAppendsNothing() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a"])
    let end = nodes[0].position
    let (count, position) = try await nodes[0].writeReturningPosition {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item")
    }
    #expect(count == 0)
    #expect(position == end)
  }

  @Test func concurrentIncrementsOnThreeNodesAreNotLost() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b", "c"])
    try await nodes[0].execute("INSERT INTO item VALUES (1, 0)")
    try await withThrowingTaskGroup { group in
      for node in nodes {
        for _ in 0..<40 {
          group.addTask { try await node.execute("UPDATE item SET value = value + 1") }
        }
      }
      try await group.waitForAll()
    }
    for node in nodes {
      let value = try await node.readLatest { try Int.fetchOne($0, sql: "SELECT value FROM item") }
      #expect(value == 120)
    }
    #expect(try await expectEqualContents(nodes))
  }

  @Test func writesThatWaitShareAnEntry() async throws {
    let cluster = try TestCluster()
    var faults = InProcessLogFaults()
    faults.delay = .milliseconds(20)
    let node = try await cluster.open("a", on: cluster.log.client(faults: faults))
    try await node.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    try await withThrowingTaskGroup { group in
      for number in 0..<50 { group.addTask { try await node.execute("INSERT INTO item VALUES (\(number), 0)") } }
      try await group.waitForAll()
    }
    #expect(try await node.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") } == 50)
    #expect(node.metrics.committedTransactions == 51)
    #expect(node.metrics.appendedEntries < 51)
  }

  @Test func aLiveQueryReceivesTheRowsOfOtherNodes() async throws {
    let cluster = try TestCluster()
    let nodes = try await cluster.open(["a", "b"])
    let observation = ValueObservation.tracking { try Int.fetchAll($0, sql: "SELECT value FROM item ORDER BY id") }
    var values = observation.values(in: nodes[1]).makeAsyncIterator()
    #expect(try await values.next() == [])
    try await nodes[0].execute("INSERT INTO item VALUES (1, 7)")
    #expect(try await values.next() == [7])
    try await nodes[0].execute("UPDATE item SET value = 8")
    #expect(try await values.next() == [8])
  }

  @Test func aLargeTransactionIsAppendedInParts() async throws {
    let cluster = try TestCluster(limits: LogLimits(payloadBytes: 2_000))
    let nodes = try await cluster.open(["a", "b"])
    let end = nodes[0].position.number
    try await nodes[0].write { db in
      for id in 1...50 {
        try db.execute(sql: "INSERT INTO item VALUES (?, ?)", arguments: [id, String(repeating: "x", count: 500)])
      }
    }
    #expect(nodes[0].position.number > end + 10)
    #expect(try await expectEqualContents(nodes))
    #expect(try await nodes[1].read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM tidemark_cluster_part") } == 0)
  }

  @Test func deferredForeignKeysAreCheckedBeforeTheLogStoresAWrite() async throws {
    let cluster = try TestCluster()
    let schema = """
      CREATE TABLE item (id INTEGER PRIMARY KEY, value);
      CREATE TABLE part (item INTEGER REFERENCES item DEFERRABLE INITIALLY DEFERRED);
      """
    let nodes = try await cluster.open(["a"], schema: schema)
    let end = nodes[0].position
    await #expect(throws: DatabaseError.self) { try await nodes[0].execute("INSERT INTO part VALUES (1)") }
    #expect(nodes[0].position == end)
    try await nodes[0].execute("INSERT INTO item VALUES (1, 0)")
  }
}
