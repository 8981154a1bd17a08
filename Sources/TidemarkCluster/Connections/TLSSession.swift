import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The client's end of one connection with TLS, without a socket: bytes that were received go in, and bytes to be sent
/// come out.
///
/// It never waits. OpenSSL's ends of the connection are two buffers in memory: if it needs bytes that are not in the
/// incoming one, the caller receives more. So the socket decides about deadlines and cancellation, and a closed
/// socket causes no signal.
///
/// States: before the handshake has ended, the first message is pending; then it was encrypted, further messages are
/// encrypted at once, and received bytes are decrypted. A session is used by one thread at a time.
final class TLSSession: ByteTransport {
  private let context: TLSContext
  private let connection: OpenSSL.Pointer
  private let incoming: OpenSSL.Pointer
  private let outgoing: OpenSSL.Pointer
  private let serverName: String
  private var pendingMessage: [UInt8]?
  private var sentMessageCount = 0
  private var hasReceivedEnd = false

  private var library: OpenSSL { context.library }

  var hasSentMessage: Bool { sentMessageCount > 0 }

  /// - Parameter serverName: The host name or IP address that the certificate of the server must contain.
  init(_ context: TLSContext, serverName: String) throws(TLSError) {
    let library = context.library
    self.context = context
    self.serverName = serverName
    guard let connection = library.SSL_new(context.context) else { throw .lost("OpenSSL has no memory") }
    guard let incoming = library.BIO_new(library.BIO_s_mem()) else {
      library.SSL_free(connection)
      throw .lost("OpenSSL has no memory")
    }
    guard let outgoing = library.BIO_new(library.BIO_s_mem()) else {
      library.SSL_free(connection)
      _ = library.BIO_free(incoming)
      throw .lost("OpenSSL has no memory")
    }
    (self.connection, self.incoming, self.outgoing) = (connection, incoming, outgoing)
    // The connection releases both buffers.
    library.SSL_set_bio(connection, incoming, outgoing)
    library.SSL_set_connect_state(connection)
    try expect(serverName)
  }

  deinit { library.SSL_free(connection) }

  /// Makes the handshake fail unless the certificate of the server is for a name.
  private func expect(_ name: String) throws(TLSError) {
    let parameters = library.SSL_get0_param(connection)
    let isSet: Bool
    if Self.isIPAddress(name) {
      isSet = library.X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1
    } else {
      library.X509_VERIFY_PARAM_set_hostflags(
        parameters, OpenSSL.Constant.neverCheckSubject | OpenSSL.Constant.noPartialWildcards)
      // An empty name would disable the check.
      isSet = !name.isEmpty && library.X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
      var bytes = Array(name.utf8CString)
      _ = library.SSL_ctrl(
        connection, OpenSSL.Constant.setServerName, OpenSSL.Constant.serverNameIsHost, &bytes)
    }
    if !isSet { throw .unusable("“\(name)” is not the name of a server") }
  }

  private static func isIPAddress(_ name: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
  }

  // MARK: - The exchange

  func send(_ message: [UInt8]) throws(TLSError) {
    if hasSentMessage { return try encrypt(message) }
    pendingMessage = message
    try continueHandshake()
  }

  func receive(_ bytes: [UInt8]) throws(TLSError) -> (received: [UInt8], isEnd: Bool) {
    library.ERR_clear_error()
    guard library.BIO_write(incoming, bytes, CInt(bytes.count)) == bytes.count else {
      throw .lost("OpenSSL has no memory")
    }
    if pendingMessage != nil { try continueHandshake() }
    return pendingMessage == nil ? try decrypt() : ([], false)
  }

  func end() throws(TLSError) {
    if !hasSentMessage { throw .lost("the server has closed the connection in the handshake: does it use TLS?") }
    if !hasReceivedEnd { throw .lost("the connection with TLS was cut off") }
  }

  func takeOutput() -> [UInt8] {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = library.BIO_read(outgoing, &buffer, CInt(buffer.count))
      if count <= 0 { return output }
      output += buffer.prefix(Int(count))
    }
  }

  private func continueHandshake() throws(TLSError) {
    library.ERR_clear_error()
    let result = library.SSL_do_handshake(connection)
    guard result == 1 else {
      if library.SSL_get_error(connection, result) == OpenSSL.Constant.errorIsWantRead { return }
      throw .refused(handshakeFailure)
    }
    guard let message = pendingMessage else { return }
    pendingMessage = nil
    try encrypt(message)
  }

  private func encrypt(_ message: [UInt8]) throws(TLSError) {
    sentMessageCount += 1
    library.ERR_clear_error()
    guard library.SSL_write(connection, message, CInt(message.count)) == message.count else {
      throw .lost("the message could not be encrypted: \(library.firstError.text)")
    }
  }

  private var handshakeFailure: String {
    let (reason, text) = library.firstError
    if Self.certificateAlerts.contains(reason) { return Self.refusal(text) }
    let result = library.SSL_get_verify_result(connection)
    guard result != OpenSSL.Constant.certificateIsValid, let problem = library.X509_verify_cert_error_string(result)
    else { return "the handshake of TLS failed: \(text)" }
    return "the certificate of the server is not accepted for \(serverName): \(String(cString: problem))"
  }

  private func decrypt() throws(TLSError) -> (received: [UInt8], isEnd: Bool) {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      library.ERR_clear_error()
      let count = library.SSL_read(connection, &buffer, CInt(buffer.count))
      if count > 0 {
        received += buffer.prefix(Int(count))
        continue
      }
      switch library.SSL_get_error(connection, count) {
      case OpenSSL.Constant.errorIsWantRead: return (received, false)
      case OpenSSL.Constant.errorIsEnd:
        hasReceivedEnd = true
        return (received, true)
      default: throw failureAfterHandshake
      }
    }
  }

  /// With TLS 1.3, the server verifies the client after the client's end of the handshake.
  ///
  /// It processes no message before. So an alert about the certificate means that the first message has no effect.
  private var failureAfterHandshake: TLSError {
    let (reason, text) = library.firstError
    return sentMessageCount == 1 && Self.certificateAlerts.contains(reason)
      ? .refused(Self.refusal(text)) : .lost("the connection with TLS failed: \(text)")
  }

  /// The reasons of alerts about the certificate of the client.
  private static let certificateAlerts: [UInt] = Array(1_041...1_049) + [1_116]

  private static func refusal(_ text: String) -> String {
    "the server has not accepted the certificate of the client, or requires one: \(text)"
  }
}
