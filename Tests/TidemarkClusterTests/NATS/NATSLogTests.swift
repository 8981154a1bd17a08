#if NATS
  import Foundation
  import Testing

  @testable import TidemarkCluster
  @testable import TidemarkClusterNATS

  /// The driver of NATS, with one real server.
  @Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.isRequired)), .serialized)
  struct NATSLogTests {
    // MARK: - Servers

    @Test func `servers that do not sync before they acknowledge are rejected`() async throws {
      var configuration = NATSConfiguration(servers: [try await SharedNATS.shared.url()], stream: UUID().uuidString)
      for isConfigured in NATSServer.canSync ? [false] : [false, true] {
        configuration.serversSyncAlways = isConfigured
        let log = NATSLog(configuration)
        let error = await #expect(throws: LogError.self) { try await log.barrier(until: .soon) }
        guard case .rejected(let reason) = error else {
          Issue.record("\(error.map { "\($0)" } ?? "no error")")
          continue
        }
        #expect(reason.contains("acknowledges entries before they are on its disk"))
        #expect(
          reason.contains(NATSServer.canSync ? "set sync_interval: always on all servers" : "use version 2.10 or later")
        )
      }
    }

    @Test(.enabled(if: NATSServer.canSync, "This server has no setting sync_interval: always"))
    func `servers that sync before they acknowledge are used if the configuration says so`() async throws {
      var configuration = NATSConfiguration(servers: [try await SharedNATS.shared.url()], stream: UUID().uuidString)
      configuration.serversSyncAlways = true
      #expect(try await NATSLog(configuration).barrier(until: .soon) == .start)
    }

    @Test func `a server of another protocol is not used`() async throws {
      // It accepts connections, and says nothing.
      let (listener, port) = try LoopbackSocket.listen()
      defer { close(listener) }
      let silent = try #require(URL(string: "nats://127.0.0.1:\(port)"))
      let log = NATSLog(NATSConfiguration(servers: [silent], stream: "log"))
      let start = ContinuousClock.now
      await #expect(throws: LogError.self) { try await log.barrier(until: start + .milliseconds(300)) }
      #expect(ContinuousClock.now - start < .milliseconds(1_500), "Connecting does not delay the deadline")
    }

    @Test func `wrong credentials are rejected`() async throws {
      let server = try NATSServer(settings: "authorization { user: tidemark, password: secret }")
      defer { server.stop() }
      try server.start()
      var configuration = try server.configuration()
      configuration.credentials = .password(user: "tidemark", password: "secret")
      let entry = try await NATSLog(configuration).appendAll([1])[0]
      configuration.credentials = .password(user: "tidemark", password: "wrong")
      let stranger = NATSLog(configuration)
      let error = await #expect(throws: LogError.self) {
        try await stranger.append(LogEntry(after: entry.position, payload: []), until: .soon)
      }
      guard case .rejected = error else {
        Issue.record("\(error.map { "\($0)" } ?? "no error")")
        return
      }
    }

    @Test func `the example of the guide connects`() async throws {
      let server = try NATSServer()
      defer { server.stop() }
      try server.start()
      let servers = [try server.url()]

      var configuration = NATSConfiguration(servers: servers, stream: "accounts")
      configuration.replicas = 1
      configuration.allowsUnsyncedServers = true
      configuration.requestTimeout = .seconds(2)
      let log = NATSLog(configuration)

      #expect(try await log.barrier(until: .soon) == .start)
    }

    @Test func `the examples of the documentation comments open nodes`() async throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: folder) }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path = folder.appendingPathComponent("node.sqlite").path
      let servers = [try #require(URL(string: "nats://127.0.0.1:\(LoopbackSocket.freePort())"))]
      let password = "secret"
      do {
        var configuration = NATSConfiguration(servers: servers, stream: "shop")
        configuration.replicas = 3
        configuration.serversSyncAlways = true
        configuration.credentials = .file(URL(fileURLWithPath: "/etc/tidemark/node.creds"))
        configuration.tls.authorities = URL(fileURLWithPath: "/etc/tidemark/ca.pem")
        let log = NATSLog(configuration)

        await #expect(throws: LogError.self) { try await log.barrier(until: .now + .milliseconds(100)) }
      }
      var configuration = NATSConfiguration(servers: servers, stream: "accounts")
      configuration.replicas = 3
      configuration.serversSyncAlways = true
      configuration.credentials = .password(user: "tidemark", password: password)
      let log = NATSLog(configuration)
      let database = try await ClusterDatabase.open(path, log: log, ClusterConfiguration(node: "berlin"))

      #expect(database.position == .start)
      try database.close()
    }

    // MARK: - Faults

    @Test func `a log continues after a restart of the server, which has forgotten the last identity`() async throws {
      let server = try NATSServer()
      defer { server.stop() }
      try server.start()
      // Servers remember identities for this time only.
      try await Self.createStream(server, duplicateWindow: 100_000_000)
      let log = NATSLog(try server.configuration())
      async let received = log.next(3, after: .start)
      let first = try await log.appendAll([1])[0]
      try await Task.sleep(for: .milliseconds(300))
      server.kill()
      try server.start()
      let others = try await log.appendAll([2, 3], after: first.position)
      #expect(try await received == [first] + others)
    }

    // MARK: - The stream

    /// Creates a stream with other settings than the driver would.
    private static func createStream(
      _ server: NATSServer, retention: String = "limits", maxAge: Int64 = 0, duplicateWindow: Int64 = 0
    ) async throws {
      var configuration = try server.configuration(stream: "other")
      configuration.requestTimeout = .milliseconds(500)
      let connection = NATSConnection(configuration)
      let settings = """
        {"name": "log", "subjects": ["log.entry.*", "log.mark"], "retention": "\(retention)", "storage": "file",
         "discard": "new", "num_replicas": 1, "max_age": \(maxAge), "max_msgs": -1, "max_bytes": -1,
         "allow_rollup_hdrs": true, "duplicate_window": \(duplicateWindow)}
        """
      let response: JetStream.StreamResponse = try await connection.repeating(until: .soon) {
        try await connection.request("$JS.API.STREAM.CREATE.log", headers: [], Array(settings.utf8), until: .soon)
      }.get()
      guard response.error == nil else { throw UnexpectedResult() }
    }

    @Test(
      arguments: [
        ("interest", 0, "its retention is interest, not limits"),
        ("limits", 3_600_000_000_000, "it removes old messages"),
      ] as [(String, Int64, String)])
    func `a stream that would lose entries is rejected`(retention: String, maxAge: Int64, reason: String) async throws {
      let server = try NATSServer()
      defer { server.stop() }
      try server.start()
      try await Self.createStream(server, retention: retention, maxAge: maxAge)
      let log = NATSLog(try server.configuration())
      await #expect(throws: LogError.rejected("the stream log cannot contain a log: \(reason)")) {
        try await log.barrier(until: .soon)
      }
    }

    @Test func `a stream with too few replicas is rejected`() async throws {
      let server = try NATSServer()
      defer { server.stop() }
      try server.start()
      try await Self.createStream(server)
      var configuration = try server.configuration()
      configuration.replicas = 3
      let log = NATSLog(configuration)
      await #expect(throws: LogError.rejected("the stream log cannot contain a log: it has 1 replicas, of 3")) {
        try await log.barrier(until: .soon)
      }
    }

    @Test func `messages of other programs and removed messages are reported`() async throws {
      let server = try NATSServer()
      defer { server.stop() }
      try server.start()
      let log = NATSLog(try server.configuration())
      let entry = try await log.appendAll([1])[0]
      let connection = NATSConnection(try server.configuration())
      let _: JetStream.Acknowledgement = try await connection.request(
        "log.entry.2", headers: [], Array("Hello".utf8), until: .soon)
      let next = LogEntry(after: entry.position, payload: [2])
      await #expect(throws: LogError.corrupted("message 2 is not part of a log")) {
        try await log.appendUntilDecided(next)
      }
      let _: JetStream.PurgeResponse = try await connection.request(
        "$JS.API.STREAM.PURGE.log", headers: [], [], until: .soon)
      await #expect(throws: LogError.corrupted("all messages of the stream log were removed, through 2")) {
        try await NATSLog(try server.configuration()).barrier(until: .soon)
      }
    }

    @Test func `barriers do not make the stream grow`() async throws {
      let server = try NATSServer()
      defer { server.stop() }
      try server.start()
      let log = NATSLog(try server.configuration())
      let last = try await log.appendAll(1...3)[2].position
      for _ in 1...20 { #expect(try await log.barrier(until: .soon) == last) }
      try await log.discard(through: last, until: .soon)
      let connection = NATSConnection(try server.configuration())
      let info: JetStream.StreamResponse = try await connection.request(
        "$JS.API.STREAM.INFO.log", headers: [], [], until: .soon)
      #expect(info.state?.messages == 1)
      #expect(info.state?.last_seq == 24)
    }

    @Test func `a barrier of one client does not disturb the appends of another`() async throws {
      let server = try NATSServer()
      defer { server.stop() }
      try server.start()
      let (log, other) = (NATSLog(try server.configuration()), NATSLog(try server.configuration()))
      var position = LogPosition.start
      for payload in 1...10 as ClosedRange<UInt8> {
        position = try await log.appendAll([payload], after: position)[0].position
        #expect(try await other.barrier(until: .soon) == position)
      }
    }
  }
#endif
