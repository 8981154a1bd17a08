import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// Nodes that share a log in three real servers.
@Suite(.enabled(if: EtcdServer.isInstalled, Comment(rawValue: EtcdServer.isRequired)), .serialized, .closesClusters)
struct EtcdNodeTests {
  /// The results of the writes.
  private struct Outcomes {
    var committed: Set<Int> = []
    var unknown: [Int: ClusterTransactionID] = [:]
  }

  /// Each writer inserts rows on its node. A write whose outcome is unknown is not repeated.
  private func write(_ node: ClusterDatabase, rows: Range<Int>) async throws -> Outcomes {
    var outcomes = Outcomes()
    for id in rows {
      do {
        try await node.write(timeLimit: .seconds(4)) { db in
          let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM item") ?? 0
          try db.execute(sql: "INSERT INTO item VALUES (?, ?)", arguments: [id, count])
        }
        outcomes.committed.insert(id)
      } catch ClusterError.outcomeUnknown(let transaction) {
        outcomes.unknown[id] = transaction
      } catch ClusterError.unavailable {
        // Nothing was written.
      }
    }
    return outcomes
  }

  @Test(arguments: LeaderFault.allCases)
  func acknowledgedWritesAreOnAllNodesOnceWhenTheLeaderFails(fault: LeaderFault) async throws {
    let servers = try await EtcdServers()
    defer { servers.stop() }
    let cluster = try TestCluster()
    var opened: [ClusterDatabase] = []
    for (index, name) in ["a", "b", "c"].enumerated() {
      opened.append(try await cluster.open(name, on: servers.client(index)))
    }
    let nodes = opened
    try await nodes[0].execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    let faults = Task {
      for _ in 0..<2 {
        let leader = try await servers.leader()
        fault.begin(leader)
        try await Task.sleep(for: .milliseconds(1_500))
        try fault.end(leader)
        _ = try await leader.isLeader()
      }
    }
    let outcomes = try await withThrowingTaskGroup(of: Outcomes.self) { group in
      for (index, node) in nodes.enumerated() {
        group.addTask { try await self.write(node, rows: index * 1_000..<index * 1_000 + 100) }
      }
      return try await group.reduce(into: [Outcomes]()) { $0.append($1) }
    }
    try await faults.value
    for node in nodes { try await node.catchUp() }

    let stored = try await nodes[0].read { try Set(Int.fetchAll($0, sql: "SELECT id FROM item")) }
    for outcome in outcomes {
      #expect(outcome.committed.isSubset(of: stored))
      for (id, transaction) in outcome.unknown {
        let isCommitted = try await nodes[1].outcome(of: transaction) != .notCommitted
        #expect(isCommitted == stored.contains(id))
      }
    }
    // Each transaction has seen all those before it: the counts are a permutation.
    let seen = try await nodes[0].read { try Int.fetchAll($0, sql: "SELECT value FROM item ORDER BY value") }
    #expect(seen == Array(0..<stored.count))
    #expect(try await expectEqualContents(nodes))
    for node in nodes { try node.close() }
  }

  @Test func nodesContinueWhenAllServersAreRestarted() async throws {
    let servers = try await EtcdServers()
    defer { servers.stop() }
    let cluster = try TestCluster()
    let nodes = [
      try await cluster.open("a", on: servers.client(0)), try await cluster.open("b", on: servers.client(1)),
    ]
    try await nodes[0].execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    for server in servers.servers { server.kill() }
    #expect(try await nodes[1].read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    for server in servers.servers { try server.start() }
    try await nodes[1].execute("INSERT INTO item VALUES (1, 0)")
    #expect(try await expectEqualContents(nodes))
    for node in nodes { try node.close() }
  }
}
