import Foundation
import Testing

@testable import TidemarkCluster

/// Connections that are kept between requests, through a proxy that counts and closes them.
@Suite(.enabled(if: EtcdServer.isInstalled, Comment(rawValue: EtcdServer.isRequired)))
struct EtcdChannelTests {
  private let server = SharedEtcd.shared

  /// A proxy in front of the shared server, and a log that uses it.
  private func makeLog(cuttingAfter byteCount: Int = .max) async throws -> (proxy: CuttingProxy, log: EtcdLog) {
    let target = try #require(try await server.endpoint().port)
    let proxy = try CuttingProxy(to: UInt16(target), cuttingAfter: byteCount)
    var configuration = EtcdConfiguration(endpoints: [try #require(URL(string: "http://127.0.0.1:\(proxy.port)"))])
    configuration.keyPrefix = "channel-\(UUID())/"
    return (proxy, EtcdLog(configuration))
  }

  @Test func `requests one after the other use one connection`() async throws {
    let (proxy, log) = try await makeLog()
    var position = LogPosition.start
    for number in 0..<20 {
      let entry = LogEntry(after: position, payload: [UInt8](repeating: UInt8(number), count: 3_000 * number))
      #expect(try await log.append(entry, until: .soon) == .appended(entry.position))
      position = entry.position
      #expect(try await log.entry(at: position.number) == entry)
    }
    #expect(proxy.connectionCount == 1)
  }

  @Test func `requests at the same time use different connections, of which some are kept`() async throws {
    let (proxy, log) = try await makeLog()
    for _ in 0..<5 {
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 { group.addTask { _ = try await log.barrier(until: .soon) } }
        try await group.waitForAll()
      }
    }
    #expect(1...4 ~= proxy.connectionCount)
  }

  @Test func `after the server has closed the connection, the next request opens another one`() async throws {
    let (proxy, log) = try await makeLog()
    for number in 1...5 {
      #expect(try await log.barrier(until: .soon) == .start)
      #expect(proxy.connectionCount == number)
      await proxy.closeConnections()
    }
  }

  @Test func `a connection is closed when its log is released`() async throws {
    var (proxy, log): (CuttingProxy, EtcdLog?) = try await makeLog()
    _ = try await log?.barrier(until: .soon)
    #expect(proxy.openConnectionCount == 1)
    log = nil
    await proxy.waitUntilAllAreClosed()
  }

  @Test func `a cancelled request closes its connection, and throws at once`() async throws {
    // This server accepts connections, and never responds.
    let (listener, port) = try LoopbackSocket.listen()
    defer { close(listener) }
    let log = EtcdLog(EtcdConfiguration(endpoints: [try #require(URL(string: "http://127.0.0.1:\(port)"))]))
    let request = Task { try await log.barrier(until: .now + .seconds(1_000)) }
    let client = try await BlockingWork.run { _ in accept(listener, nil, nil) }
    defer { close(client) }
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
    // The rest of the request, and then the end of the connection.
    try await BlockingWork.run { _ in
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      while recv(client, &buffer, buffer.count, 0) > 0 {}
    }
  }

  @Test func `work for a closed channel is refused, and a channel can be closed twice`() async throws {
    let channel = EtcdChannel(to: try await server.endpoint(), context: nil)
    channel.close()
    channel.close()
    await #expect(throws: EtcdFailure.self) { try await channel.response(to: [1]) }
  }

  @Test func `channels that are closed at any moment end their work`() async throws {
    let endpoint = try await server.endpoint()
    let message = EtcdRequest.message(path: "maintenance/status", body: Data("{}".utf8), at: endpoint)
    var (responses, failures) = (0, 0)
    for number in 0..<200 {
      let channel = EtcdChannel(to: endpoint, context: nil)
      let work = Task { try await channel.response(to: message) }
      for _ in 0..<number % 40 { await Task.yield() }
      if number % 2 == 0 { channel.close() } else { work.cancel() }
      switch await work.result {
      case .success(let response):
        #expect(response.status == 200)
        responses += 1
      case .failure(let error):
        #expect(error is EtcdFailure)
        failures += 1
      }
      channel.close()
    }
    #expect(responses + failures == 200)
    #expect(failures > 0)
  }
}
