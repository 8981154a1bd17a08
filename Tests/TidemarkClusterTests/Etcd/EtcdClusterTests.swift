import Foundation
import Testing

@testable import TidemarkCluster

/// The driver of etcd, with three real servers and faults.
@Suite(.enabled(if: EtcdServer.isInstalled, Comment(rawValue: EtcdServer.isRequired)), .serialized)
struct EtcdClusterTests {
  /// A fault of the leader, and its end.
  enum Fault: CaseIterable {
    case killedLeader, stoppedLeader

    func begin(_ server: EtcdServer) {
      switch self {
      case .killedLeader: server.kill()
      case .stoppedLeader: server.suspend()
      }
    }

    func end(_ server: EtcdServer) throws {
      switch self {
      case .killedLeader: try server.start()
      case .stoppedLeader: server.resume()
      }
    }
  }

  /// Three servers, which stop with the test.
  private struct Cluster: Sendable {
    let servers: [EtcdServer]

    init() async throws {
      let addresses = (0..<3).map { _ in EtcdServer.Address() }
      servers = addresses.map { EtcdServer($0, members: addresses) }
      for server in servers { try server.start() }
      _ = try await leader()
    }

    func leader() async throws -> EtcdServer {
      while true {
        for server in servers where try await server.isLeader() { return server }
      }
    }

    /// A client, which uses the server with this number first.
    func client(_ number: Int) -> any ReplicatedLog {
      let endpoints = servers.map(\.address.client)
      let first = number % endpoints.count
      var configuration = EtcdConfiguration(endpoints: Array(endpoints[first...] + endpoints[..<first]))
      configuration.requestTimeout = .milliseconds(700)
      return EtcdLog(configuration)
    }

    func stop() {
      for server in servers { server.stop() }
    }
  }

  @Test(arguments: Fault.allCases)
  func `no acknowledged entry is lost or duplicated when the leader fails`(fault: Fault) async throws {
    let cluster = try await Cluster()
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
    let cluster = try await Cluster()
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
