import Foundation

@testable import TidemarkCluster

/// An etcd server on free ports of the loopback interface, with a temporary folder.
///
/// A shell starts the server and then waits for the end of its standard input. So the server is killed even if the
/// process of the tests crashes.
final class EtcdServer: Sendable {
  /// Whether a server is installed. `Scripts/etcd.sh` installs it.
  static let isInstalled = executable != nil

  /// The comment of tests that are skipped without a server.
  static let isRequired = "No etcd server is installed: Scripts/etcd.sh installs it"

  private static let executable = ["/usr/bin/etcd", "/usr/local/bin/etcd"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

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
  private let name: String
  private let folder: URL
  private let arguments: [String]
  private let launcher: [String]
  private let tls: LogTLS
  private let processes = ProcessBox()

  /// - Parameters:
  ///   - members: The addresses of all servers of the cluster, this one included.
  ///   - arguments: Further arguments of the server.
  ///   - tls: How the test itself connects to the server.
  ///   - launcher: A command with its arguments that executes the server in the same process, such as `nsenter`.
  init(
    _ address: Address = Address(), members: [Address]? = nil, arguments: [String] = [], tls: LogTLS = LogTLS(),
    launcher: [String] = []
  ) {
    (self.address, self.tls, self.launcher) = (address, tls, launcher)
    name = "s\(address.peerPort)"
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("etcd-\(UUID().uuidString)")
    let cluster = (members ?? [address]).map { "s\($0.peerPort)=\($0.peer)" }.joined(separator: ",")
    self.arguments =
      [
        "--name", name, "--data-dir", folder.path, "--listen-client-urls", address.client.absoluteString,
        "--advertise-client-urls", address.client.absoluteString, "--listen-peer-urls", address.peer,
        "--initial-advertise-peer-urls", address.peer, "--initial-cluster", cluster, "--initial-cluster-token", "test",
        "--heartbeat-interval", "50", "--election-timeout", "500", "--log-level", "error",
      ] + arguments
  }

  deinit { stop() }

  /// Starts the server, or starts it again with the same folder.
  func start() throws {
    // Not `wait`: the shell inherits a mask that blocks the signal for which `wait` waits.
    let script = """
      "$@" </dev/null >/dev/null 2>&1 &
      echo $!
      read -r line
      kill -9 $!
      while kill -0 $! 2>/dev/null; do sleep 0.05; done
      [ "$line" = keep ] || rm -rf "$FOLDER"
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "sh"] + launcher + [Self.executable ?? ""] + arguments
    process.environment = ["FOLDER": folder.path, "PATH": "/usr/bin:/bin"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let id = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw UnexpectedResult() }
    processes.set((process, input, id))
  }

  /// Kills the server (`kill -9`), and keeps its folder.
  func kill() { end("keep\n") }

  /// Kills the server, and removes its folder.
  func stop() { end("remove\n") }

  /// Stops the execution of the server (`SIGSTOP`), or continues it.
  func suspend() { processes.get { _ = Foundation.kill($0.2, SIGSTOP) } }
  func resume() { processes.get { _ = Foundation.kill($0.2, SIGCONT) } }

  private func end(_ line: String) {
    processes.get { process, input, _ in
      try? input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
    processes.set(nil)
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
    let message = EtcdSocket.message(
      path: path, body: try JSONEncoder().encode(body), at: address.client, headers: [:])
    var response = Data()
    let context = address.scheme == "https" ? try TLSContext(tls) : nil
    for try await chunk in EtcdSocket.exchange(message, at: address.client, context: context) { response += chunk }
    let (status, data) = try EtcdSocket.parse(response)
    guard status == 200 else { throw UnexpectedResult() }
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }
}

/// The running process of a server, behind a lock.
private final class ProcessBox: @unchecked Sendable {
  typealias Running = (Process, Pipe, pid_t)

  private let lock = NSLock()
  private var running: Running?

  func set(_ new: Running?) { lock.withLock { running = new } }

  func get(_ body: (Running) -> Void) {
    guard let running = lock.withLock({ running }) else { return }
    body(running)
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
