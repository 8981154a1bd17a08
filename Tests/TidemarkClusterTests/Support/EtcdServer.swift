import Foundation

@testable import TidemarkCluster

/// An etcd server on free ports of the loopback interface, with a temporary folder.
final class EtcdServer: LogServer {
  /// Whether a server is installed. `Scripts/etcd.sh` installs it.
  static let isInstalled = executable != nil

  /// The comment of tests that are skipped without a server.
  static let isRequired = "No etcd server is installed: Scripts/etcd.sh installs it"

  /// `TIDEMARK_ETCD` selects another server than the installed one.
  private static let executable =
    (ProcessInfo.processInfo.environment["TIDEMARK_ETCD"].map { [$0] } ?? ["/usr/bin/etcd", "/usr/local/bin/etcd"])
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The ports and URLs of a server.
  struct Address: Sendable {
    let scheme: String
    let host: String
    let clientPort = LoopbackSocket.freePort()
    let peerPort = LoopbackSocket.freePort()

    init(scheme: String = "http", host: String = "127.0.0.1") { (self.scheme, self.host) = (scheme, host) }

    var client: URL { URL(string: "\(scheme)://\(host):\(clientPort)") ?? URL(fileURLWithPath: "/") }
    var peer: String { "http://\(host):\(peerPort)" }
  }

  let address: Address
  let process: ServerProcess
  private let tls: LogTLS

  /// - Parameters:
  ///   - members: The addresses of all servers of the cluster, this one included.
  ///   - arguments: Further arguments of the server.
  ///   - tls: How the test itself connects to the server.
  ///   - launcher: A command with its arguments that executes the server in the same process, such as `nsenter`.
  init(
    _ address: Address = Address(), members: [Address]? = nil, arguments: [String] = [], tls: LogTLS = LogTLS(),
    launcher: [String] = []
  ) {
    self.address = address
    self.tls = tls
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("etcd-\(UUID().uuidString)")
    let cluster = (members ?? [address]).map { "s\($0.peerPort)=\($0.peer)" }.joined(separator: ",")
    let arguments =
      [
        "--name", "s\(address.peerPort)", "--data-dir", folder.path, "--listen-client-urls",
        address.client.absoluteString,
        "--advertise-client-urls", address.client.absoluteString, "--listen-peer-urls", address.peer,
        "--initial-advertise-peer-urls", address.peer, "--initial-cluster", cluster, "--initial-cluster-token", "test",
        "--heartbeat-interval", "50", "--election-timeout", "500", "--log-level", "error",
      ] + arguments
    let words = launcher + [Self.executable ?? ""] + arguments
    process = ServerProcess(words[0], Array(words.dropFirst()), folder: folder)
  }

  func waitUntilReady() async throws { _ = try await isLeader() }

  func client(_ settings: ClientSettings) -> any ReplicatedLog {
    let unreachable = settings.hasUnreachableServer ? [Address().client] : []
    var configuration = EtcdConfiguration(endpoints: unreachable + [address.client])
    if let timeout = settings.requestTimeout {
      (configuration.requestTimeout, configuration.pollInterval) = (timeout, timeout)
    }
    return EtcdLog(configuration)
  }

  /// Waits until the server has a leader.
  ///
  /// - Returns: Whether this server is the leader.
  func isLeader() async throws -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
      if let status = try? await post("maintenance/status", [:]), let leader = status["leader"] as? String {
        return (status["header"] as? [String: Any])?["member_id"] as? String == leader
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw UnexpectedResult()
  }

  /// Makes a request to the gateway.
  @discardableResult
  func post(_ path: String, _ body: [String: String]) async throws -> [String: Any] {
    let message = EtcdRequest.message(path: path, body: try JSONEncoder().encode(body), at: address.client)
    let channel = EtcdChannel(to: address.client, context: address.scheme == "https" ? try TLSContext(tls) : nil)
    defer { channel.close() }
    let response = try await channel.response(to: message)
    guard response.status == 200 else { throw UnexpectedResult() }
    return try JSONSerialization.jsonObject(with: response.body) as? [String: Any] ?? [:]
  }
}

/// The server that the tests of one process share.
actor SharedEtcd {
  static let shared = SharedEtcd()

  private var server: EtcdServer?

  private var secureServer: EtcdServer?

  func endpoint() async throws -> URL {
    let server = self.server ?? EtcdServer()
    if self.server == nil { try server.start() }
    self.server = server
    _ = try await server.isLeader()
    return server.address.client
  }

  /// The endpoint of another server, with TLS, which requires certificates of its clients.
  func secureEndpoint() async throws -> URL {
    let server = try self.secureServer ?? TestCertificates.shared.get().makeServer(requiringClients: true)
    if secureServer == nil { try server.start() }
    secureServer = server
    _ = try await server.isLeader()
    return server.address.client
  }
}
