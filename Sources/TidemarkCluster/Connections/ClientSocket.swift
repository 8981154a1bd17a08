package import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A connected socket. Its methods block the thread, for two seconds at most unless they say otherwise.
package struct ClientSocket: Sendable {
  #if canImport(Darwin)
    private static let flags: Int32 = 0
  #else
    // A closed connection is an error, not a signal.
    private static let flags = Int32(MSG_NOSIGNAL)
  #endif

  #if canImport(Glibc)
    private static let streamType = Int32(SOCK_STREAM.rawValue)
  #else
    private static let streamType = SOCK_STREAM
  #endif

  let descriptor: Int32

  /// The reason why the last operation of this thread has failed.
  static var lastError: String { String(cString: strerror(errno)) }

  /// The host name or IP address of a URL, without the brackets of IPv6.
  package static func host(of url: URL) -> String {
    (url.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
  }

  /// Connects to the first address of a server that accepts the connection within two seconds; nil if none does.
  package init?(host: String, port: Int) {
    var hints = addrinfo()
    hints.ai_socktype = Self.streamType
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    var next = list
    // A key path to an optional structure would copy it to memory that overlaps, in debug builds.
    while let address = next?.pointee {
      next = address.ai_next
      let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
      if descriptor < 0 { continue }
      var limit = timeval(tv_sec: 2, tv_usec: 0)
      for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
        _ = setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
      }
      // The end of a message must not wait until the server has acknowledged its begin.
      var isOn: Int32 = 1
      _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      #if canImport(Glibc)
        let result = Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen)
      #elseif canImport(Musl)
        let result = Musl.connect(descriptor, address.ai_addr, address.ai_addrlen)
      #else
        let result = Darwin.connect(descriptor, address.ai_addr, address.ai_addrlen)
      #endif
      if result == 0 {
        self.descriptor = descriptor
        return
      }
      _ = Self.closeDescriptor(descriptor)
    }
    return nil
  }

  /// Sends all bytes.
  ///
  /// - Returns: Whether all were sent.
  func sendAll(_ message: [UInt8]) -> Bool {
    message.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Self.flags)
        if count <= 0 { return false }
        sent += count
      }
      return true
    }
  }

  /// Returns the bytes that have arrived, at least one; none at the end of the connection, also if it was reset; nil
  /// after another error.
  package func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count < 0 { return errno == ECONNRESET ? [] : nil }
    return Array(bytes.prefix(count))
  }

  /// Waits for bytes for any time, and returns them as ``read()`` does.
  func waitAndRead() -> [UInt8]? {
    var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&descriptors, 1, -1) < 0 { if errno != EINTR { return nil } }
    return read()
  }

  /// Whether the server has closed the connection, or has sent something that was not requested.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count >= 0 || errno != EAGAIN && errno != EWOULDBLOCK
  }

  /// Ends the connection. Another thread that waits for bytes receives the end.
  func interrupt() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Closes the connection.
  package func close() { _ = Self.closeDescriptor(descriptor) }

  private static func closeDescriptor(_ descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.close(descriptor)
    #elseif canImport(Musl)
      Musl.close(descriptor)
    #else
      Darwin.close(descriptor)
    #endif
  }
}
