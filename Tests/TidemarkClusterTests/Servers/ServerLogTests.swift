import Foundation
import Testing

@testable import TidemarkCluster

/// The drivers, each with one real server. What differs between the kinds of servers has suites of its own.
@Suite(.requiresServer, .serialized) struct ServerLogTests {
  /// Starts a server, and waits until it executes requests.
  private static func start(_ kind: ServerKind) async throws -> any LogServer {
    let server = try kind.makeServer()
    try server.start()
    try await server.waitUntilReady()
    return server
  }

  @Test(arguments: ServerKind.installed)
  func `an unreachable server is skipped`(kind: ServerKind) async throws {
    let server = try await Self.start(kind)
    defer { server.stop() }
    let settings = ClientSettings(hasUnreachableServer: true)
    let entries = try await server.client(settings).appendAll(1...3)
    #expect(try await server.client(settings).next(3, after: .start) == entries)
  }

  @Test(arguments: ServerKind.installed)
  func `without any server, an append fails at its deadline and was not sent`(kind: ServerKind) async throws {
    let server = try kind.makeServer()
    defer { server.stop() }
    let error = await #expect(throws: LogError.self) {
      try await server.client(ClientSettings()).append(
        LogEntry(after: .start, payload: []), until: .now + .milliseconds(300))
    }
    guard case .unavailable = error else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
  }

  @Test(arguments: ServerKind.installed)
  func `a stopped server makes an append unknown, and repeating it decides`(kind: ServerKind) async throws {
    let server = try await Self.start(kind)
    defer { server.stop() }
    let log = try server.client(ClientSettings(requestTimeout: .milliseconds(200)))
    let first = try await log.appendAll([1])[0]
    server.suspend()
    let entry = LogEntry(after: first.position, payload: [2])
    #expect(try await log.append(entry, until: .now + .milliseconds(500)) == .unknown)
    server.resume()
    #expect(try await log.appendUntilDecided(entry) == .appended(entry.position))
    #expect(try await LogWorkload.contents(of: log) == [first, entry])
  }

  @Test(arguments: ServerKind.installed)
  func `a cancelled append does not wait for its deadline`(kind: ServerKind) async throws {
    let server = try await Self.start(kind)
    defer { server.stop() }
    let log = try server.client(ClientSettings())
    let first = try await log.appendAll([1])[0]
    server.suspend()
    defer { server.resume() }
    let appending = Task {
      try await log.append(LogEntry(after: first.position, payload: []), until: .now + .seconds(3_600))
    }
    try await Task.sleep(for: .milliseconds(100))
    appending.cancel()
    #expect(try await appending.value == .unknown)
  }

  @Test(arguments: ServerKind.installed)
  func `a stream continues after a restart of the server`(kind: ServerKind) async throws {
    let server = try await Self.start(kind)
    defer { server.stop() }
    let log = try server.client(ClientSettings(requestTimeout: .milliseconds(500)))
    let first = try await log.appendAll([1])[0]
    var iterator = log.entries(after: .start).makeAsyncIterator()
    #expect(try await iterator.next() == first)
    server.kill()
    try server.start()
    let second = try await log.appendAll([2], after: first.position)[0]
    #expect(try await iterator.next() == second)
  }

  /// The client would ask for new entries again after an hour only.
  @Test(arguments: ServerKind.installed)
  func `a new entry arrives by a notification`(kind: ServerKind) async throws {
    let server = try await Self.start(kind)
    defer { server.stop() }
    let log = try server.client(ClientSettings(requestTimeout: .seconds(3_600)))
    var iterator = log.entries(after: .start).makeAsyncIterator()
    var position = LogPosition.start
    for payload in 1...20 as ClosedRange<UInt8> {
      let entry = try await log.appendAll([payload], after: position)[0]
      #expect(try await iterator.next() == entry)
      position = entry.position
    }
  }
}
