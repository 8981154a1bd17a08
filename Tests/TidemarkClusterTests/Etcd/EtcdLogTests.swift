import Foundation
import Testing

@testable import TidemarkCluster

/// The driver of etcd, with one real server.
@Suite(.enabled(if: EtcdServer.isInstalled, Comment(rawValue: EtcdServer.isRequired)))
struct EtcdLogTests {
  /// Starts a server, and returns a configuration for it.
  private static func start(_ server: EtcdServer) async throws -> EtcdConfiguration {
    try server.start()
    _ = try await server.isLeader()
    return EtcdConfiguration(endpoints: [server.address.client])
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

  @Test func `entries are not discarded by a request that another client has overtaken`() async throws {
    let endpoint = try await SharedEtcd.shared.endpoint()
    var configuration = EtcdConfiguration(endpoints: [endpoint])
    configuration.keyPrefix = "\(UUID().uuidString)/"
    let log = EtcdLog(configuration)
    let entries = try await log.appendAll(1...6)
    // Two clients have read that nothing was discarded.
    let keys = EtcdKeys(prefix: configuration.keyPrefix)
    let connection = EtcdConnection(configuration)
    for (position, isExecuted) in [(entries[4].position, true), (entries[2].position, false)] {
      let request = EtcdTransactions.discard(through: position, after: .start, keys: keys)
      let response: EtcdMessage.TransactionResponse = try await connection.call("kv/txn", request, until: .soon).get()
      #expect((response.succeeded == true) == isExecuted)
    }
    #expect(try await log.next(1, after: entries[4].position) == [entries[5]])
    await #expect(throws: LogError.behindLog(discardedThrough: entries[4].position)) { try await log.entry(at: 4) }
  }
}
