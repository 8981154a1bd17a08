#if NATS
  import Foundation
  import Testing

  @testable import TidemarkCluster
  @testable import TidemarkClusterNATS

  /// The driver of NATS, with three real servers and faults.
  @Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.isRequired)), .serialized)
  struct NATSClusterTests {
    @Test(arguments: LeaderFault.allCases)
    func `no acknowledged entry is lost or duplicated when the leader fails`(fault: LeaderFault) async throws {
      let cluster = try await NATSServers()
      defer { cluster.stop() }
      let configurations = try (0..<3).map(cluster.configuration)
      let faults = Task {
        for _ in 0..<2 {
          try await Task.sleep(for: .milliseconds(300))
          let leader = try await cluster.leader()
          cluster.begin(fault, leader)
          try await Task.sleep(for: .milliseconds(1_500))
          try cluster.end(fault, leader)
          _ = try await cluster.leader()
        }
      }
      let workload = LogWorkload(appenders: 3, readers: 3, entries: 200)
      let (violations, history) = try await workload.run { NATSLog(configurations[$0 % 3]) }
      try await faults.value
      #expect(violations.isEmpty)
      #expect(await history.acknowledgedCount == 600)
    }

    @Test func `without a quorum, appends are unknown and barriers fail, and both succeed afterwards`() async throws {
      let cluster = try await NATSServers()
      defer { cluster.stop() }
      let log = NATSLog(try cluster.configuration(0))
      let first = try await log.appendAll([1])[0]
      for server in cluster.servers[1...] { server.kill() }
      let entry = LogEntry(after: first.position, payload: [2])
      let result = try? await log.append(entry, until: .now + .seconds(3))
      #expect(result == .unknown || result == nil)
      await #expect(throws: LogError.self) { try await log.barrier(until: .now + .seconds(1)) }
      for server in cluster.servers[1...] { try server.start() }
      #expect(try await log.appendUntilDecided(entry) == .appended(entry.position))
      #expect(try await retrying { try await log.barrier(until: .soon) } == entry.position)
    }
  }
#endif
