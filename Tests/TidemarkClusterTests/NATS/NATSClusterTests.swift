#if NATS
  import Foundation
  import Testing

  @testable import TidemarkCluster
  @testable import TidemarkClusterNATS

  /// The driver of NATS, with three real servers and faults.
  @Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.isRequired)), .serialized)
  struct NATSClusterTests {
    /// Three servers, which stop with the test.
    private struct Servers {
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
        configuration.allowsUnsyncedServers = true
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

      func stop() {
        for server in servers { server.stop() }
      }
    }

    @Test(arguments: LeaderFault.allCases)
    func `no acknowledged entry is lost or duplicated when the leader fails`(fault: LeaderFault) async throws {
      let cluster = try await Servers()
      defer { cluster.stop() }
      let configurations = try (0..<3).map(cluster.configuration)
      let faults = Task {
        for _ in 0..<2 {
          try await Task.sleep(for: .milliseconds(300))
          let leader = try await cluster.leader()
          switch fault {
          case .killedLeader: leader.kill()
          case .stoppedLeader: leader.suspend()
          }
          try await Task.sleep(for: .milliseconds(1_500))
          switch fault {
          case .killedLeader: try leader.start()
          case .stoppedLeader: leader.resume()
          }
          _ = try await cluster.leader()
        }
      }
      let workload = LogWorkload(appenders: 3, readers: 3, entries: 200)
      let (violations, history) = try await workload.run { NATSLog(configurations[$0 % 3]) }
      try await faults.value
      #expect(violations.isEmpty)
      #expect(await history.acknowledgedCount == 600)
    }

    @Test func `without a quorum, appends are unknown and barriers fail, and both succeed afterwards`() async throws {
      let cluster = try await Servers()
      defer { cluster.stop() }
      let log = NATSLog(try cluster.configuration(0))
      let first = try await log.appendAll([1])[0]
      for server in cluster.servers[1...] { server.kill() }
      let entry = LogEntry(after: first.position, payload: [2])
      let result = try? await log.append(entry, until: .now + .seconds(3))
      #expect(result == .unknown || result == nil)
      await #expect(throws: LogError.self) { try await log.barrier(until: .now + .seconds(1)) }
      for server in cluster.servers[1...] { try server.start() }
      #expect(try await log.appendUntilDecided(entry) == .appended(entry.position))
      #expect(try await retrying { try await log.barrier(until: .soon) } == entry.position)
    }
  }
#endif
