import Testing

@testable import TidemarkCluster

/// The drivers, each with three real servers and faults.
@Suite(.requiresServer, .serialized) struct ServerClusterTests {
  @Test(arguments: ServerKind.installed, LeaderFault.allCases)
  func `no acknowledged entry is lost or duplicated when the leader fails`(
    kind: ServerKind, fault: LeaderFault
  ) async throws {
    let servers = try await kind.startServers()
    defer { servers.stop() }
    let faults = Task { try await fault.happen(times: 3, to: servers) }
    let clients = try (0..<3).map { try servers.client($0) }
    let workload = LogWorkload(appenders: 3, readers: 3, entries: 200)
    let (violations, history) = try await workload.run { clients[$0 % 3] }
    try await faults.value
    #expect(violations.isEmpty)
    #expect(await history.acknowledgedCount == 600)
  }

  @Test(arguments: ServerKind.installed)
  func `without a quorum, nothing is appended or confirmed until it returns`(kind: ServerKind) async throws {
    let cluster = try await kind.startServers()
    defer { cluster.stop() }
    let log = try cluster.client(0)
    let first = try await log.appendAll([1])[0]
    for server in cluster.servers[1...] { server.kill() }
    let entry = LogEntry(after: first.position, payload: [2])
    do {
      #expect(try await log.append(entry, until: .now + .seconds(3)) == .unknown)
    } catch LogError.unavailable where kind != .etcd {
      // The remaining server was not asked. An etcd server always is.
    }
    await #expect(throws: LogError.self) { try await log.barrier(until: .now + .seconds(1)) }
    for server in cluster.servers[1...] { try server.start() }
    #expect(try await log.appendUntilDecided(entry) == .appended(entry.position))
    #expect(try await retrying { try await log.barrier(until: .soon) } == entry.position)
  }

  @Test(arguments: ServerKind.installed)
  func `a stream whose server is stopped continues at another one`(kind: ServerKind) async throws {
    let servers = try await kind.startServers()
    defer { servers.stop() }
    let first = try await servers.client(1).appendAll([1])[0]
    var iterator = try servers.client(0).entries(after: .start).makeAsyncIterator()
    #expect(try await iterator.next() == first)
    let stopped = servers.servers[0]
    stopped.suspend()
    defer { stopped.resume() }
    let second = try await servers.client(1).appendAll([2], after: first.position)[0]
    #expect(try await iterator.next() == second)
  }
}
