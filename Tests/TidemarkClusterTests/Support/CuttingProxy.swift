import Foundation
import TidemarkEssentials

/// A server on the loopback interface that forwards connections to another one, and closes each of them after it has
/// forwarded some bytes of the response.
///
/// It closes the connection without the message that ends a connection with TLS, as an attacker would.
final class CuttingProxy: Sendable {
  /// The port on which the proxy listens.
  let port: UInt16

  private let listener: Int32

  /// The connections of clients.
  private let connections = ProtectedValue(Connections())
  private let hasChanged = AsyncSignal()

  private struct Connections {
    /// The sockets of the open ones.
    var clients: Set<Int32> = []
    var count = 0
  }

  /// How many connections the proxy has accepted.
  var connectionCount: Int { connections.withLock { $0.count } }

  /// How many of them are open.
  var openConnectionCount: Int { connections.withLock { $0.clients.count } }

  /// - Parameters:
  ///   - target: The port of the server.
  ///   - byteCount: The number of bytes of a response after which its connection is closed.
  init(to target: UInt16, cuttingAfter byteCount: Int) throws {
    (listener, port) = try LoopbackSocket.listen()
    Thread.detachNewThread { [listener, connections, hasChanged] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        connections.withLock { state in
          state.clients.insert(client)
          state.count += 1
        }
        Self.forward(client, to: target, cuttingAfter: byteCount) {
          // `closeConnections()` uses sockets under the lock only, while they are in the set.
          connections.withLock { _ = $0.clients.remove(client) }
          close(client)
          hasChanged.raise()
        }
      }
    }
  }

  deinit {
    // Ends the thread that accepts.
    _ = shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Closes all connections, and waits until they are closed.
  func closeConnections() async {
    connections.withLock { for client in $0.clients { _ = shutdown(client, Int32(SHUT_RDWR)) } }
    await waitUntilAllAreClosed()
  }

  /// Waits until no connection is open.
  func waitUntilAllAreClosed() async {
    while true {
      let count = hasChanged.count
      if openConnectionCount == 0 { return }
      await hasChanged.wait(after: count)
    }
  }

  private static func forward(
    _ client: Int32, to target: UInt16, cuttingAfter byteCount: Int, didEnd: @escaping @Sendable () -> Void
  ) {
    guard let server = LoopbackSocket.connect(to: target) else { return didEnd() }
    let threads = DispatchGroup()
    for (source, target, limit) in [(client, server, Int.max), (server, client, byteCount)] {
      threads.enter()
      Thread.detachNewThread {
        copy(from: source, to: target, limit)
        // This ends the thread of the other direction, too.
        for descriptor in [client, server] { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        threads.leave()
      }
    }
    threads.notify(queue: .global()) {
      close(server)
      didEnd()
    }
  }

  private static func copy(from source: Int32, to target: Int32, _ limit: Int) {
    var rest = limit
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while rest > 0 {
      let count = recv(source, &buffer, min(rest, buffer.count), 0)
      guard count > 0, send(target, buffer, count, LoopbackSocket.sendFlags) == count else { return }
      rest -= count
    }
  }
}

/// Sockets of the loopback interface, as the system has them.
enum LoopbackSocket {
  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    static let sendFlags = Int32(MSG_NOSIGNAL)
  #else
    private static let streamType = SOCK_STREAM
    static let sendFlags: Int32 = 0
  #endif

  /// A socket that listens on a free port, and this port.
  static func listen() throws -> (socket: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, streamType, 0)
    guard withAddress(0, { bind(descriptor, $0, $1) }) == 0, Foundation.listen(descriptor, 16) == 0 else {
      close(descriptor)
      throw UnexpectedResult()
    }
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// A socket that is connected to a port; nil if nothing listens there.
  static func connect(to port: UInt16) -> Int32? {
    let descriptor = socket(AF_INET, streamType, 0)
    if withAddress(port, { Foundation.connect(descriptor, $0, $1) }) == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  /// A port that was free a moment ago.
  static func freePort() -> UInt16 {
    guard let (descriptor, port) = try? listen() else { preconditionFailure("The system has no free port") }
    close(descriptor)
    return port
  }

  private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
