#if NATS
  import Foundation

  @testable import TidemarkCluster
  @testable import TidemarkClusterNATS

  /// Three servers, which stop with the test.
  struct NATSServers: LogServers {
    let servers: [NATSServer]

    init() async throws {
      let addresses = (0..<3).map { _ in NATSServer.Address() }
      servers = try addresses.map { try NATSServer($0, members: addresses) }
      for server in servers { try server.start() }
      _ = try await leader()
    }

    /// A configuration that uses the server with this number first.
    func configuration(_ number: Int) throws -> NATSConfiguration {
      let urls = try servers.map { try $0.url() }
      let first = number % urls.count
      var configuration = NATSConfiguration(servers: Array(urls[first...] + urls[..<first]), stream: "log")
      configuration.replicas = 3
      configuration.allowTestServers()
      configuration.requestTimeout = .milliseconds(700)
      return configuration
    }

    /// The server that leads the stream.
    func leader() async throws -> NATSServer {
      struct Info: Decodable {
        struct Cluster: Decodable { var leader: String? }
        var cluster: Cluster?
      }
      let connection = NATSConnection(try configuration(0))
      return try await connection.repeating(until: .now + .seconds(60)) { [servers] in
        let info: Info = try await connection.request("$JS.API.STREAM.INFO.log", headers: [], [], until: .soon)
        return servers.first { "s\($0.address.port)" == info.cluster?.leader }
      }.get()
    }

    func client(_ number: Int) throws -> any ReplicatedLog { NATSLog(try configuration(number)) }
  }
#endif
