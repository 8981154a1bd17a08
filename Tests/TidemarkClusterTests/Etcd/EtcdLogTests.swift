import Foundation
import Testing

@testable import TidemarkCluster

/// The driver of etcd, with one real server.
@Suite(.enabled(if: EtcdServer.isInstalled, Comment(rawValue: EtcdServer.isRequired)))
struct EtcdLogTests {
  private static let closedEndpoint = EtcdServer.Address().client

  /// Starts a server, and returns a configuration for it.
  private static func start(_ server: EtcdServer) async throws -> EtcdConfiguration {
    try server.start()
    _ = try await server.isLeader()
    return EtcdConfiguration(endpoints: [server.address.client])
  }

  @Test func `an unreachable endpoint is skipped`() async throws {
    let endpoint = try await SharedEtcd.shared.endpoint()
    var configuration = EtcdConfiguration(endpoints: [Self.closedEndpoint, endpoint])
    configuration.keyPrefix = "\(UUID().uuidString)/"
    let entries = try await EtcdLog(configuration).appendAll(1...3)
    #expect(try await EtcdLog(configuration).next(3, after: .start) == entries)
  }

  @Test func `without any server, an append fails at its deadline and was not sent`() async throws {
    let log = EtcdLog(EtcdConfiguration(endpoints: [Self.closedEndpoint]))
    let start = ContinuousClock.now
    let error = await #expect(throws: LogError.self) {
      try await log.append(LogEntry(after: .start, payload: []), until: start + .milliseconds(300))
    }
    guard case .unavailable = error else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
  }

  @Test func `a stopped server makes an append unknown, and repeating it decides`() async throws {
    let server = EtcdServer()
    defer { server.stop() }
    var configuration = try await Self.start(server)
    configuration.requestTimeout = .milliseconds(200)
    let log = EtcdLog(configuration)
    let first = try await log.appendAll([1])[0]
    server.suspend()
    let entry = LogEntry(after: first.position, payload: [2])
    #expect(try await log.append(entry, until: .now + .milliseconds(500)) == .unknown)
    let start = ContinuousClock.now
    let cancelled = Task { try await log.append(entry, until: .soon) }
    try await Task.sleep(for: .milliseconds(100))
    cancelled.cancel()
    #expect(try await cancelled.value == .unknown)
    #expect(ContinuousClock.now - start < .seconds(5), "A cancelled append does not wait for its deadline")
    server.resume()
    #expect(try await log.appendUntilDecided(entry) == .appended(entry.position))
    #expect(try await LogWorkload.contents(of: log) == [first, entry])
  }

  @Test func `a stream continues after a restart of the server`() async throws {
    let server = EtcdServer()
    defer { server.stop() }
    var configuration = try await Self.start(server)
    configuration.requestTimeout = .milliseconds(500)
    let log = EtcdLog(configuration)
    async let received = log.next(2, after: .start)
    let first = try await log.appendAll([1])[0]
    try await Task.sleep(for: .milliseconds(200))
    server.kill()
    try server.start()
    let second = try await log.appendAll([2], after: first.position)[0]
    #expect(try await received == [first, second])
  }

  @Test func `a new token is requested after the server has forgotten it`() async throws {
    let server = EtcdServer()
    defer { server.stop() }
    var configuration = try await Self.start(server)
    try await server.post("auth/user/add", ["name": "root", "password": "secret"])
    try await server.post("auth/user/grant", ["user": "root", "role": "root"])
    try await server.post("auth/enable", [:])

    let entry = LogEntry(after: .start, payload: [])
    let anonymous = EtcdLog(configuration)
    await #expect(throws: LogError.self) { try await anonymous.append(entry, until: .soon) }
    configuration.credentials = .init(user: "root", password: "wrong")
    let stranger = EtcdLog(configuration)
    let error = await #expect(throws: LogError.self) { try await stranger.append(entry, until: .soon) }
    guard case .rejected = error else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }

    configuration.credentials = .init(user: "root", password: "secret")
    let log = EtcdLog(configuration)
    let first = try await log.appendAll([1])[0]
    var iterator = log.entries(after: .start).makeAsyncIterator()
    #expect(try await iterator.next() == first)
    // The tokens are in the memory of the server.
    server.kill()
    try server.start()
    let second = try await log.appendAll([2], after: first.position)[0]
    #expect(try await iterator.next() == second)
  }

  @Test func `an endpoint with another scheme is rejected`() async throws {
    let endpoint = try #require(URL(string: "ftp://127.0.0.1:2379"))
    let log = EtcdLog(EtcdConfiguration(endpoints: [endpoint]))
    let error = await #expect(throws: LogError.self) { try await log.barrier(until: .soon) }
    #expect(error == .rejected("ftp://127.0.0.1:2379: the scheme of an endpoint is http or https"))
  }

  @Test func `a damaged entry is reported`() async throws {
    let endpoint = try await SharedEtcd.shared.endpoint()
    var configuration = EtcdConfiguration(endpoints: [endpoint])
    configuration.keyPrefix = "\(UUID().uuidString)/"
    let log = EtcdLog(configuration)
    let entry = try await log.appendAll([1])[0]
    var bytes = entry.encoded
    bytes[70] ^= 1
    let keys = EtcdKeys(prefix: configuration.keyPrefix)
    let request = EtcdMessage.TransactionRequest(success: [.put(keys.entry(1), Data(bytes))])
    let connection = EtcdConnection(configuration)
    let response: EtcdMessage.TransactionResponse = try await connection.call("kv/txn", request, until: .soon).get()
    #expect(response.succeeded == true)
    for operation in [
      { _ = try await log.entry(at: 1) }, { _ = try await log.next(1, after: .start) },
      { _ = try await log.append(entry, until: .soon) },
    ] as [@Sendable () async throws -> Void] {
      let error = await #expect(throws: LogError.self) { try await operation() }
      guard case .corrupted = error else {
        Issue.record("\(error.map { "\($0)" } ?? "no error")")
        continue
      }
    }
  }

  @Test func `a new entry arrives by a notification, long before the next poll`() async throws {
    let endpoint = try await SharedEtcd.shared.endpoint()
    var configuration = EtcdConfiguration(endpoints: [endpoint])
    configuration.keyPrefix = "\(UUID().uuidString)/"
    configuration.pollInterval = .seconds(60)
    configuration.requestTimeout = .seconds(60)
    let log = EtcdLog(configuration)
    async let received = log.next(20, after: .start)
    let start = ContinuousClock.now
    var entries: [LogEntry] = []
    for payload in 1...20 as ClosedRange<UInt8> {
      try await Task.sleep(for: .milliseconds(20))
      entries += try await log.appendAll([payload], after: entries.last?.position ?? .start)
    }
    #expect(try await received == entries)
    #expect(ContinuousClock.now - start < .seconds(30))
  }
}
