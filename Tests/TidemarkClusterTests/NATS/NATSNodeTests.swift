#if NATS
  import Foundation
  import Testing
  import Tidemark

  @testable import TidemarkCluster
  @testable import TidemarkClusterNATS

  /// Nodes that share a log in three real servers.
  @Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.isRequired)), .serialized, .closesClusters)
  struct NATSNodeTests {
    /// Inserts rows. Returns the rows that were committed, and the others whose outcome is unknown.
    private func write(
      _ node: ClusterDatabase, rows: Range<Int>
    ) async throws -> (committed: Set<Int>, unknown: [Int: ClusterTransactionID]) {
      var (committed, unknown): (Set<Int>, [Int: ClusterTransactionID]) = ([], [:])
      for id in rows {
        do {
          try await node.write(timeLimit: .seconds(4)) { db in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM item") ?? 0
            try db.execute(sql: "INSERT INTO item VALUES (?, ?)", arguments: [id, count])
          }
          committed.insert(id)
        } catch ClusterError.outcomeUnknown(let transaction) {
          unknown[id] = transaction
        } catch ClusterError.unavailable {
          // Nothing was written.
        }
      }
      return (committed, unknown)
    }

    @Test(arguments: LeaderFault.allCases)
    func `acknowledged writes are on all nodes once when the leader fails`(fault: LeaderFault) async throws {
      let servers = try await NATSServers()
      defer { servers.stop() }
      let cluster = try TestCluster()
      var nodes: [ClusterDatabase] = []
      for (index, name) in ["a", "b", "c"].enumerated() {
        nodes.append(try await cluster.open(name, on: NATSLog(try servers.configuration(index))))
      }
      try await nodes[0].execute("CREATE TABLE item (id INTEGER PRIMARY KEY, value)")
      let faults = Task {
        let leader = try await servers.leader()
        servers.begin(fault, leader)
        try await Task.sleep(for: .milliseconds(1_500))
        try servers.end(fault, leader)
      }
      let outcomes = try await withThrowingTaskGroup { group in
        for (index, node) in nodes.enumerated() {
          group.addTask { try await self.write(node, rows: index * 1_000..<index * 1_000 + 100) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
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
  }
#endif
