import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster

/// Nodes that share a log in three real servers.
@Suite(.requiresServer, .serialized, .closesClusters) struct ServerNodeTests {
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

  /// Opens a node for each name, with a table. Each of them uses another server first.
  private func open(_ names: [String], on servers: some LogServers) async throws -> [ClusterDatabase] {
    let cluster = try TestCluster()
    var nodes: [ClusterDatabase] = []
    for (index, name) in names.enumerated() {
      nodes.append(try await cluster.open(name, on: servers.client(index)))
    }
    try await nodes[0].execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
    return nodes
  }

  @Test(arguments: ServerKind.installed, LeaderFault.allCases)
  func `acknowledged writes are on all nodes once when the leader fails`(
    kind: ServerKind, fault: LeaderFault
  ) async throws {
    let servers = try await kind.startServers()
    defer { servers.stop() }
    let nodes = try await open(["a", "b", "c"], on: servers)
    let faults = Task { try await fault.happen(times: 2, to: servers) }
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

  @Test(arguments: ServerKind.installed)
  func `nodes continue when all servers are restarted`(kind: ServerKind) async throws {
    let servers = try await kind.startServers()
    defer { servers.stop() }
    let nodes = try await open(["a", "b"], on: servers)
    for server in servers.servers { server.kill() }
    #expect(try await nodes[1].read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    for server in servers.servers { try server.start() }
    try await nodes[1].execute("INSERT INTO item VALUES (1, 0)")
    #expect(try await expectEqualContents(nodes))
    for node in nodes { try node.close() }
  }
}
