import Foundation

@testable import TidemarkCluster

/// Three servers, which stop with the test.
struct EtcdServers: LogServers {
  let servers: [EtcdServer]

  /// - Parameter network: The network whose members 0 to 2 the servers are; nil for the loopback interface.
  init(in network: ClusterNetwork? = nil) async throws {
    let addresses = (0..<3).map { member in
      network.map { EtcdServer.Address(host: $0.host(of: member)) } ?? EtcdServer.Address()
    }
    servers = addresses.enumerated().map { member, address in
      EtcdServer(address, members: addresses, launcher: network?.launcher(of: member) ?? [])
    }
    for server in servers { try server.start() }
    _ = try await leader()
  }

  func leader() async throws -> EtcdServer {
    while true {
      for server in servers where try await server.isLeader() { return server }
    }
  }

  /// The URLs of the servers, beginning with a number.
  func endpoints(from number: Int) -> [URL] {
    let endpoints = servers.map(\.address.client)
    let first = number % endpoints.count
    return Array(endpoints[first...] + endpoints[..<first])
  }

  /// A client, which uses the server with this number first.
  func client(_ number: Int) -> any ReplicatedLog {
    var configuration = EtcdConfiguration(endpoints: endpoints(from: number))
    configuration.requestTimeout = .milliseconds(700)
    return EtcdLog(configuration)
  }
}
