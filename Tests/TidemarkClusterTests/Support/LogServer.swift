import Foundation
import Testing

@testable import TidemarkCluster

#if NATS
  @testable import TidemarkClusterNATS
#endif

/// A server that stores a log, with a temporary folder.
protocol LogServer: Sendable {
  var process: ServerProcess { get }

  /// Waits until the server executes requests.
  func waitUntilReady() async throws

  /// A client, which uses this server.
  func client(_ settings: ClientSettings) throws -> any ReplicatedLog
}

extension LogServer {
  /// Starts the server, or starts it again with the same folder.
  func start() throws { try process.start() }

  /// Kills the server (`kill -9`), and keeps its folder.
  func kill() { process.kill() }

  /// Kills the server, and removes its folder.
  func stop() { process.stop() }

  /// Stops the execution of the server (`SIGSTOP`), or continues it.
  func suspend() { process.suspend() }
  func resume() { process.resume() }
}

/// How a client of a server behaves.
struct ClientSettings: Sendable {
  /// Whether the client first tries a server that does not exist.
  var hasUnreachableServer = false

  /// How long a request may take before it is repeated, and a stream may be silent; nil for the default.
  var requestTimeout: Duration?
}

/// Three servers that store one log.
protocol LogServers: Sendable {
  associatedtype Server: LogServer

  var servers: [Server] { get }

  /// Waits for the server that leads the others.
  func leader() async throws -> Server

  /// A client, which uses the server with this number first.
  func client(_ number: Int) throws -> any ReplicatedLog
}

extension LogServers {
  func stop() {
    for server in servers { server.stop() }
  }
}

/// The kinds of servers with a driver. The same tests run with each of them.
enum ServerKind: String, CaseIterable, Sendable, CustomStringConvertible {
  case etcd = "etcd"

  #if NATS
    case nats = "NATS"
  #endif

  var description: String { rawValue }

  /// The kinds that are installed.
  static let installed = allCases.filter { kind in
    switch kind {
    case .etcd: EtcdServer.isInstalled
    #if NATS
      case .nats: NATSServer.isInstalled
    #endif
    }
  }

  /// The comment of tests that are skipped without a server.
  static let isRequired = "No server is installed: Scripts/etcd.sh and Scripts/nats.sh install one"

  /// A single server, which was not started.
  func makeServer() throws -> any LogServer {
    switch self {
    case .etcd: EtcdServer()
    #if NATS
      case .nats: try NATSServer()
    #endif
    }
  }

  /// Starts three servers, and waits for their leader.
  func startServers() async throws -> any LogServers {
    switch self {
    case .etcd: try await EtcdServers()
    #if NATS
      case .nats: try await NATSServers()
    #endif
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Tests that require a server of any kind.
  static var requiresServer: Self {
    .enabled(if: !ServerKind.installed.isEmpty, Comment(rawValue: ServerKind.isRequired))
  }
}

/// A fault of the leader, and its end.
enum LeaderFault: CaseIterable {
  case killedLeader, stoppedLeader

  func begin(_ server: some LogServer) {
    switch self {
    case .killedLeader: server.kill()
    case .stoppedLeader: server.suspend()
    }
  }

  func end(_ server: some LogServer) throws {
    switch self {
    case .killedLeader: try server.start()
    case .stoppedLeader: server.resume()
    }
  }

  /// The leader fails some times, for one and a half seconds.
  func happen(times: Int, to servers: some LogServers) async throws {
    for _ in 0..<times {
      try await Task.sleep(for: .milliseconds(300))
      let leader = try await servers.leader()
      begin(leader)
      try await Task.sleep(for: .milliseconds(1_500))
      try end(leader)
      _ = try await servers.leader()
    }
  }
}
