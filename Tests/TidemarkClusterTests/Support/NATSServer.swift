#if NATS
  import Foundation
  import Testing

  @testable import TidemarkCluster
  @testable import TidemarkClusterNATS

  /// A NATS server with JetStream on free ports of the loopback interface, with a temporary folder.
  final class NATSServer: LogServer {
    /// Whether a server is installed. `Scripts/nats.sh` installs it.
    static let isInstalled = executable != nil

    /// The comment of tests that are skipped without a server.
    static let isRequired = "No NATS server is installed: Scripts/nats.sh installs it"

    /// `TIDEMARK_NATS` selects another server than the installed one.
    private static let executable =
      (ProcessInfo.processInfo.environment["TIDEMARK_NATS"].map { [$0] }
      ?? ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"])
      .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether the server can sync messages before it acknowledges them: version 2.10 or later.
    static let canSync = {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: executable ?? "")
      process.arguments = ["--version"]
      let output = Pipe()
      process.standardOutput = output
      do { try process.run() } catch { return false }
      // "nats-server: v2.15.1"
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let numbers = text.drop { !$0.isNumber }.split(separator: ".").prefix(2).compactMap { Int($0) }
      return numbers.count == 2 && (numbers[0], numbers[1]) >= (2, 10)
    }()

    /// The ports of a server.
    struct Address: Sendable {
      let port = LoopbackSocket.freePort()
      let clusterPort = LoopbackSocket.freePort()
    }

    let address: Address
    let process: ServerProcess

    /// - Parameters:
    ///   - members: The addresses of all servers of the cluster; nil for a single server.
    ///   - settings: Further lines of the configuration file.
    init(_ address: Address = Address(), members: [Address]? = nil, settings: String = "") throws {
      self.address = address
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nats-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appendingPathComponent("server.conf")
      var text = """
        listen: "127.0.0.1:\(address.port)"
        server_name: "s\(address.port)"
        jetstream { store_dir: "\(folder.path)/data"\(Self.canSync ? ", sync_interval: always" : "") }
        \(settings)

        """
      if let members {
        let routes = members.map { "\"nats://127.0.0.1:\($0.clusterPort)\"" }.joined(separator: ", ")
        text += "cluster { name: test, listen: \"127.0.0.1:\(address.clusterPort)\", routes: [\(routes)] }\n"
      }
      try Data(text.utf8).write(to: file)
      process = ServerProcess(Self.executable ?? "", ["-c", file.path], folder: folder)
    }

    /// The URL of the server.
    func url(scheme: String = "nats", host: String = "127.0.0.1") throws -> URL {
      try #require(URL(string: "\(scheme)://\(host):\(address.port)"))
    }

    func waitUntilReady() async throws { _ = try await client(ClientSettings()).barrier(until: .soon) }

    func client(_ settings: ClientSettings) throws -> any ReplicatedLog {
      var configuration = try configuration()
      if settings.hasUnreachableServer {
        let closed = try #require(URL(string: "nats://127.0.0.1:\(LoopbackSocket.freePort())"))
        configuration.servers.insert(closed, at: 0)
      }
      if let timeout = settings.requestTimeout { configuration.requestTimeout = timeout }
      return NATSLog(configuration)
    }

    /// A configuration for a stream in this server.
    func configuration(stream: String = "log") throws -> NATSConfiguration {
      var configuration = NATSConfiguration(servers: [try url()], stream: stream)
      configuration.allowTestServers()
      return configuration
    }
  }

  extension NATSConfiguration {
    /// States what is true for the servers of the tests.
    mutating func allowTestServers() {
      serversSyncAlways = NATSServer.canSync
      allowsUnsyncedServers = !NATSServer.canSync
    }
  }

  /// The server that the tests of one process share.
  actor SharedNATS {
    static let shared = SharedNATS()

    private var server: NATSServer?

    func url() async throws -> URL {
      let server = try self.server ?? NATSServer()
      if self.server == nil { try server.start() }
      self.server = server
      return try server.url()
    }
  }
#endif
