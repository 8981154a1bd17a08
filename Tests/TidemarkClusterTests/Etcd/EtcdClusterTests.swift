import Foundation
import Testing

@testable import TidemarkCluster

/// The driver of etcd, with three real servers and faults.
@Suite(.enabled(if: EtcdServer.isInstalled, Comment(rawValue: EtcdServer.isRequired)), .serialized)
struct EtcdClusterTests {
  @Test(arguments: LeaderFault.allCases)
  func `no acknowledged entry is lost or duplicated when the leader fails`(fault: LeaderFault) async throws {
    let cluster = try await EtcdServers()
    defer { cluster.stop() }
    let faults = Task {
      for _ in 0..<3 {
        try await Task.sleep(for: .milliseconds(300))
        let leader = try await cluster.leader()
        fault.begin(leader)
        try await Task.sleep(for: .milliseconds(1_500))
        try fault.end(leader)
        _ = try await leader.isLeader()
      }
    }
    let workload = LogWorkload(appenders: 3, readers: 3, entries: 200)
    let (violations, history) = try await workload.run { cluster.client($0) }
    try await faults.value
    #expect(violations.isEmpty)
    #expect(await history.acknowledgedCount == 600)
  }

  @Test func `without a quorum, appends are unknown and barriers fail, and both succeed afterwards`() async throws {
    let cluster = try await EtcdServers()
    defer { cluster.stop() }
    let log = cluster.client(0)
    let first = try await log.appendAll([1])[0]
    for server in cluster.servers[1...] { server.kill() }
    let entry = LogEntry(after: first.position, payload: [2])
    let result = try? await log.append(entry, until: .now + .seconds(3))
    #expect(result == .unknown)
    await #expect(throws: LogError.self) { try await log.barrier(until: .now + .seconds(1)) }
    for server in cluster.servers[1...] { try server.start() }
    #expect(try await log.appendUntilDecided(entry) == .appended(entry.position))
    #expect(try await log.barrier(until: .soon) == entry.position)
  }
}
