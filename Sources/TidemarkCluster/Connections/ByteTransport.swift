/// The encoding of a message before it is sent, and of received bytes.
///
/// It has no socket and never waits. The caller sends ``takeOutput()`` after each other method, also after an error.
protocol ByteTransport: AnyObject {
  /// Whether parts of a message were in the output: the server may have received it.
  var hasSentMessage: Bool { get }

  /// Accepts a message, which is sent as soon as the connection is ready.
  ///
  /// The next message follows after the response to this one.
  func send(_ message: [UInt8]) throws(TLSError)

  /// Accepts bytes from the socket.
  ///
  /// - Returns: The bytes of the response, and whether the connection has ended.
  func receive(_ bytes: [UInt8]) throws(TLSError) -> (received: [UInt8], isEnd: Bool)

  /// Accepts the end of the bytes from the socket.
  ///
  /// - Throws: ``TLSError/lost(_:)`` if bytes of the response may be missing.
  func end() throws(TLSError)

  /// Returns the bytes to be sent now.
  func takeOutput() -> [UInt8]
}

/// The bytes as they are.
final class PlainTransport: ByteTransport {
  private(set) var hasSentMessage = false
  private var output: [UInt8] = []

  func send(_ message: [UInt8]) {
    output = message
    hasSentMessage = true
  }

  func receive(_ bytes: [UInt8]) -> (received: [UInt8], isEnd: Bool) { (bytes, false) }

  /// Does nothing: the response shows whether it is complete.
  func end() {}

  func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }
}
