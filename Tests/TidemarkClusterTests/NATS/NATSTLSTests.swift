#if NATS
  import Foundation
  import Testing

  @testable import TidemarkCluster
  @testable import TidemarkClusterNATS

  /// Connections with TLS to a NATS server that requires certificates of its clients.
  @Suite(
    .enabled(
      if: NATSServer.isInstalled && TestCertificates.isAvailable,
      "The command openssl is not installed, or no NATS server: Scripts/nats.sh installs it"),
    .serialized)
  struct NATSTLSTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates.shared.get() }

    private func makeServer(_ name: TestCertificates.Name = .server) throws -> NATSServer {
      let server = try NATSServer(
        settings: """
          tls {
            cert_file: "\(certificates.certificate(name).path)"
            key_file: "\(certificates.key(name).path)"
            ca_file: "\(certificates.certificate(.authority).path)"
            verify: true
          }
          """)
      try server.start()
      return server
    }

    private func configuration(
      _ server: NATSServer, host: String = "localhost", trusting authority: TestCertificates.Name = .authority,
      as client: TestCertificates.Name? = .client
    ) throws -> NATSConfiguration {
      var configuration = try server.configuration()
      configuration.servers = [try server.url(scheme: "tls", host: host)]
      configuration.tls = certificates.tls(trusting: authority, as: client)
      return configuration
    }

    /// Waits until the server accepts connections.
    private func waitUntilItListens(_ server: NATSServer) async throws {
      while true {
        if let descriptor = LoopbackSocket.connect(to: server.address.port) {
          close(descriptor)
          return
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    }

    private func expectRejection(
      _ configuration: NATSConfiguration, _ text: String = "SSL", sourceLocation: SourceLocation = #_sourceLocation
    ) async {
      let error = await #expect(throws: LogError.self, sourceLocation: sourceLocation) {
        try await NATSLog(configuration).barrier(until: .soon)
      }
      guard case .rejected(let reason) = error else {
        Issue.record("\(error.map { "\($0)" } ?? "no error")", sourceLocation: sourceLocation)
        return
      }
      #expect(reason.contains(text), sourceLocation: sourceLocation)
    }

    @Test func `servers and clients accept each other's certificates`() async throws {
      let server = try makeServer()
      defer { server.stop() }
      try await waitUntilItListens(server)
      let log = NATSLog(try configuration(server))
      let entries = try await log.appendAll(1...3)
      var byAddress = try configuration(server, host: "127.0.0.1")
      byAddress.tls.serverName = "localhost"
      #expect(try await NATSLog(byAddress).next(3, after: .start) == entries)
    }

    @Test func `a server with another authority, time or name is rejected`() async throws {
      let server = try makeServer()
      defer { server.stop() }
      try await waitUntilItListens(server)
      await expectRejection(try configuration(server, trusting: .otherAuthority))
      var renamed = try configuration(server)
      renamed.tls.serverName = "example.com"
      await expectRejection(renamed)

      let expired = try makeServer(.expired)
      defer { expired.stop() }
      try await waitUntilItListens(expired)
      await expectRejection(try configuration(expired))
    }

    @Test func `a server that requires TLS is verified with any scheme`() async throws {
      let server = try makeServer()
      defer { server.stop() }
      try await waitUntilItListens(server)
      var plain = try configuration(server)
      plain.servers = [try server.url(host: "localhost")]
      #expect(try await NATSLog(plain).barrier(until: .soon) == .start)
      plain.tls.authorities = certificates.certificate(.otherAuthority)
      await expectRejection(plain)
    }

    @Test func `a server without TLS is not used if the scheme requires it`() async throws {
      let port = try await SharedNATS.shared.url().port ?? 0
      var configuration = NATSConfiguration(
        servers: [try #require(URL(string: "tls://localhost:\(port)"))], stream: UUID().uuidString)
      configuration.allowTestServers()
      await expectRejection(configuration, "Secure Connection not available")
    }

    @Test func `clients without a certificate, or with one of another authority, have no access`() async throws {
      let server = try makeServer()
      defer { server.stop() }
      try await waitUntilItListens(server)
      for client in [nil, .stranger] as [TestCertificates.Name?] {
        let log = NATSLog(try configuration(server, as: client))
        await #expect(throws: LogError.self) {
          try await log.append(LogEntry(after: .start, payload: []), until: .now + .seconds(1))
        }
      }
      #expect(try await NATSLog(try configuration(server)).barrier(until: .soon) == .start)
    }
  }
#endif
