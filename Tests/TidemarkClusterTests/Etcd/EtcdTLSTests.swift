import Foundation
import Synchronization
import Testing

@testable import TidemarkCluster

/// Connections with TLS to real servers: which ones the client accepts, and which ones accept the client.
@Suite(
  .enabled(
    if: EtcdServer.isInstalled && TestCertificates.isAvailable, Comment(rawValue: TestCertificates.isRequired)),
  .serialized)
struct EtcdTLSTests {
  private let certificates: TestCertificates

  init() throws { certificates = try TestCertificates.shared.get() }

  /// Starts a server, and returns a configuration for it, which has no identity.
  private func start(_ server: EtcdServer, trusting authority: TestCertificates.Name = .authority) async throws
    -> EtcdConfiguration
  {
    try server.start()
    _ = try await server.isLeader()
    var configuration = EtcdConfiguration(endpoints: [server.address.client])
    configuration.tls = certificates.tls(trusting: authority)
    return configuration
  }

  /// Expects that all operations are rejected, for a reason.
  private func expectRejection(
    _ configuration: EtcdConfiguration, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let log = EtcdLog(configuration)
    for operation in [
      { _ = try await log.barrier(until: .soon) }, { _ = try await log.next(1, after: .start) },
      { _ = try await log.append(LogEntry(after: .start, payload: []), until: .soon) },
    ] as [@Sendable () async throws -> Void] {
      let error = await #expect(throws: LogError.self, sourceLocation: sourceLocation) { try await operation() }
      guard case .rejected(let message) = error else {
        Issue.record("\(error.map { "\($0)" } ?? "no error")", sourceLocation: sourceLocation)
        continue
      }
      #expect(message.contains(reason), sourceLocation: sourceLocation)
    }
  }

  // MARK: - The server

  @Test(arguments: [
    (TestCertificates.Name.server, TestCertificates.Name.otherAuthority, "unable to get local issuer certificate"),
    (.otherServer, .authority, "unable to get local issuer certificate"),
    (.expired, .authority, "certificate has expired"), (.elsewhere, .authority, "IP address mismatch"),
  ])
  func `a server with another authority, time or address is rejected`(
    name: TestCertificates.Name, authority: TestCertificates.Name, reason: String
  ) async throws {
    let server = certificates.makeServer(name)
    defer { server.stop() }
    try server.start()
    if name == .expired { try await waitUntilItListens(server) } else { _ = try await server.isLeader() }
    var configuration = EtcdConfiguration(endpoints: [server.address.client])
    configuration.tls = certificates.tls(trusting: authority)
    await expectRejection(configuration, reason)
  }

  /// Waits until connections to the server do not fail before the handshake.
  private func waitUntilItListens(_ server: EtcdServer) async throws {
    while true {
      do {
        _ = try await server.post("maintenance/status", [:])
      } catch EtcdFailure.notSent {
        try await Task.sleep(for: .milliseconds(50))
        continue
      } catch EtcdFailure.insecure {
        return
      }
    }
  }

  @Test func `the host name of the URL must be in the certificate`() async throws {
    let server = certificates.makeServer()
    defer { server.stop() }
    var configuration = try await start(server)
    let port = server.address.clientPort
    configuration.endpoints = [try #require(URL(string: "https://localhost:\(port)"))]
    #expect(try await EtcdLog(configuration).barrier(until: .soon) == .start)
    configuration.tls.serverName = "example.com"
    await expectRejection(configuration, "not accepted for example.com: hostname mismatch")
    configuration.tls.serverName = ""
    await expectRejection(configuration, "“” is not the name of a server")
  }

  @Test func `the name of the server may be another one than that of the URL`() async throws {
    let server = certificates.makeServer(.elsewhere)
    defer { server.stop() }
    var configuration = try await start(server)
    for name in ["example.com", "127.0.0.2"] {
      configuration.tls.serverName = name
      #expect(try await EtcdLog(configuration).barrier(until: .soon) == .start)
    }
    // The subject of the certificate is localhost, but its alternative names decide.
    configuration.tls.serverName = "localhost"
    await expectRejection(configuration, "hostname mismatch")
  }

  @Test func `the authorities of the system are trusted by default`() async throws {
    let server = certificates.makeServer()
    defer { server.stop() }
    try server.start()
    _ = try await server.isLeader()
    let configuration = EtcdConfiguration(endpoints: [server.address.client])
    await expectRejection(configuration, "certificate")
    // OpenSSL uses this file instead of its own list.
    setenv("SSL_CERT_FILE", certificates.certificate(.authority).path, 1)
    defer { unsetenv("SSL_CERT_FILE") }
    #expect(try await EtcdLog(configuration).barrier(until: .soon) == .start)
  }

  @Test func `a connection with TLS to a server without TLS names the likely reason`() async throws {
    let endpoint = try await SharedEtcd.shared.endpoint()
    let secure = try #require(URL(string: "https://127.0.0.1:\(endpoint.port ?? 0)"))
    var configuration = EtcdConfiguration(endpoints: [secure])
    configuration.tls = certificates.tls()
    let log = EtcdLog(configuration)
    let error = await #expect(throws: LogError.self) {
      try await log.append(LogEntry(after: .start, payload: []), until: .now + .milliseconds(300))
    }
    let reason = "the server has closed the connection in the handshake: does it use TLS?"
    #expect(error == .unavailable("\(secure): \(reason)"))
  }

  @Test func `a request without TLS to a server with TLS names the likely reason`() async throws {
    let server = certificates.makeServer()
    defer { server.stop() }
    var configuration = try await start(server)
    configuration.endpoints = [try #require(URL(string: "http://127.0.0.1:\(server.address.clientPort)"))]
    let log = EtcdLog(configuration)
    let error = await #expect(throws: LogError.self) { try await log.barrier(until: .now + .milliseconds(300)) }
    #expect(error == .unavailable("the server has closed the connection without a response: does it require https?"))
  }

  @Test func `a server that is not accepted is skipped`() async throws {
    let (expired, server) = (certificates.makeServer(.expired), certificates.makeServer())
    defer { for server in [expired, server] { server.stop() } }
    try expired.start()
    var configuration = try await start(server)
    configuration.endpoints.insert(expired.address.client, at: 0)
    let log = EtcdLog(configuration)
    let entries = try await log.appendAll(1...3)
    #expect(try await log.next(3, after: .start) == entries)
  }

  // MARK: - The client

  @Test func `a client without a certificate is rejected if the server requires one`() async throws {
    let server = certificates.makeServer(requiringClients: true)
    defer { server.stop() }
    var configuration = try await start(server)
    configuration.tls = certificates.tls(as: .client)
    let entry = try await EtcdLog(configuration).appendAll([1])[0]
    for client in [nil, .stranger] as [TestCertificates.Name?] {
      configuration.tls = certificates.tls(as: client)
      await expectRejection(configuration, "the server has not accepted the certificate of the client, or requires one")
    }
    configuration.tls = certificates.tls(as: .client)
    #expect(try await EtcdLog(configuration).barrier(until: .soon) == entry.position)
  }

  @Test func `files that cannot be used are named`() async throws {
    let endpoint = try await SharedEtcd.shared.secureEndpoint()
    var configuration = EtcdConfiguration(endpoints: [endpoint])
    let missing = certificates.folder.appendingPathComponent("missing.pem")
    configuration.tls.authorities = missing
    await expectRejection(configuration, "\(missing.path): No such file or directory")
    configuration.tls.authorities = certificates.key(.server)
    await expectRejection(configuration, certificates.key(.server).path)
    configuration.tls = certificates.tls(as: .client)
    configuration.tls.identity?.privateKey = certificates.key(.stranger)
    await expectRejection(configuration, "\(certificates.key(.stranger).path): key values mismatch")
  }

  // MARK: - Replaced certificates

  @Test func `replaced certificates are used without a restart`() async throws {
    let server = certificates.makeServer(requiringClients: true)
    defer { server.stop() }
    var configuration = try await start(server)
    let files = try ReplacedFiles(in: certificates.folder)
    configuration.tls.authorities = try files.replace("ca.pem", with: certificates.certificate(.otherAuthority))
    configuration.tls.identity = LogTLS.Identity(
      certificateChain: try files.replace("client.pem", with: certificates.certificate(.stranger)),
      privateKey: try files.replace("client-key.pem", with: certificates.key(.stranger)))
    let log = EtcdLog(configuration)
    await #expect(throws: LogError.self) { try await log.barrier(until: .soon) }

    try files.replace("ca.pem", with: certificates.certificate(.authority))
    await #expect(throws: LogError.self) { try await log.barrier(until: .soon) }
    try files.replace("client.pem", with: certificates.certificate(.client))
    // The key does not match the certificate yet, so the previous pair remains in use.
    await #expect(throws: LogError.self) { try await log.barrier(until: .soon) }
    try files.replace("client-key.pem", with: certificates.key(.client))
    #expect(try await log.barrier(until: .soon) == .start)
    // The connection that is open was accepted with the former file.
    try files.replace("ca.pem", with: certificates.certificate(.otherAuthority))
    await #expect(throws: LogError.self) { try await log.barrier(until: .soon) }
  }

  @Test func `the example of the guide connects`() async throws {
    let servers = [try await SharedEtcd.shared.secureEndpoint()]
    let folder = certificates.folder

    var configuration = EtcdConfiguration(endpoints: servers)
    configuration.tls.authorities = folder.appendingPathComponent("authority.pem")
    configuration.tls.identity = LogTLS.Identity(
      certificateChain: folder.appendingPathComponent("client.pem"),
      privateKey: folder.appendingPathComponent("client-key.pem"))
    let log = EtcdLog(configuration)

    _ = try await log.barrier(until: .soon)
  }

  // MARK: - Lost connections

  /// Makes a request through a proxy.
  private func exchange(
    _ message: [UInt8], with server: EtcdServer, cuttingAfter byteCount: Int
  ) async throws -> Result<EtcdResponse, EtcdFailure> {
    let proxy = try CuttingProxy(to: server.address.clientPort, cuttingAfter: byteCount)
    let endpoint = try #require(URL(string: "https://127.0.0.1:\(proxy.port)"))
    let channel = EtcdChannel(to: endpoint, context: try TLSContext(certificates.tls()))
    defer { channel.close() }
    do throws(EtcdFailure) { return .success(try await channel.response(to: message)) } catch { return .failure(error) }
  }

  @Test(arguments: [EtcdRequest.Version.http10, .http11])
  func `a response that was cut off is not complete, whatever its last byte`(version: EtcdRequest.Version) async throws
  {
    let server = certificates.makeServer()
    defer { server.stop() }
    try server.start()
    _ = try await server.isLeader()
    let message = EtcdRequest.message(
      path: "maintenance/status", body: Data("{}".utf8), at: server.address.client, version: version)
    let whole = try await exchange(message, with: server, cuttingAfter: .max).get()
    #expect(whole.status == 200)
    #expect(whole.keepsConnection == (version == .http11))

    // The handshake has about 1,500 bytes, and the response 500.
    var (notSent, lost) = (0, 0)
    for byteCount in stride(from: 0, to: 2_600, by: 37) {
      switch try await exchange(message, with: server, cuttingAfter: byteCount) {
      case .failure(.notSent): notSent += 1
      case .failure(.lost): lost += 1
      case .success(let response):
        #expect(response.body.count == whole.body.count, "after \(byteCount) bytes")
        #expect(response.body.last == UInt8(ascii: "}"), "after \(byteCount) bytes")
      case .failure(let error): Issue.record("\(byteCount) bytes: \(error)")
      }
    }
    #expect(notSent > 10)
    #expect(lost > 10)
  }

  @Test func `a connection that is closed while the client sends causes no signal`() async throws {
    let former = signal(SIGPIPE) { _ in Self.receivedSignals.add(1, ordering: .relaxed) }
    defer { signal(SIGPIPE, former) }
    let server = certificates.makeServer()
    defer { server.stop() }
    try server.start()
    _ = try await server.isLeader()
    // The handshake has about 1,000 bytes. Behind it, the client sends the message until the connection is closed.
    let message = [UInt8](repeating: 32, count: 8 << 20)
    for byteCount in stride(from: 0, to: 1_400, by: 100) {
      _ = try await exchange(message, with: server, cuttingAfter: byteCount)
    }
    #expect(Self.receivedSignals.load(ordering: .relaxed) == 0)
  }

  private static let receivedSignals = Atomic<Int>(0)
}
