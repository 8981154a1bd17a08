import Foundation

@testable import TidemarkCluster

/// A fault of the leader, and its end.
enum LeaderFault: CaseIterable {
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
struct EtcdServers: Sendable {
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
