import Dispatch
import Foundation

/// Connections to etcd's HTTP/JSON gateway, each for one request.
///
/// Requests have version 1.0 of HTTP, so that the server closes the connection after its response, and does not send it
/// in chunks. `Documentation/Decisions/RequestsUseSockets.md` gives the reasons for not using `URLSession`.
enum EtcdSocket {
  /// Returns a POST request.
  static func message(path: String, body: Data, at endpoint: URL, headers: [String: String]) -> Data {
    let url = endpoint.appendingPathComponent("v3").appendingPathComponent(path)
    let fields = headers.map { "\($0): \($1)\r\n" }.joined()
    let head =
      "POST \(url.path) HTTP/1.0\r\nHost: \(url.host ?? ""):\(port(of: url))\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\(fields)\r\n"
    return Data(head.utf8) + body
  }

  /// Connects, sends a message, and returns the received bytes until the server closes the connection.
  ///
  /// If the task that iterates the stream is cancelled, the connection is closed.
  ///
  /// The stream throws ``EtcdFailure/notSent(_:)`` if it could not connect, ``EtcdFailure/insecure(_:)`` if the client
  /// or the server has refused the other, and ``EtcdFailure/lost(_:)`` if the connection was lost.
  ///
  /// - Parameter context: The settings of TLS; nil for a connection without.
  static func exchange(
    _ message: Data, at endpoint: URL, context: TLSContext? = nil
  ) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream { continuation in
      // Finding the address, connecting and sending block a thread.
      DispatchQueue.global().async {
        guard let socket = ClientSocket(host: ClientSocket.host(of: endpoint), port: port(of: endpoint)) else {
          return continuation.finish(throwing: EtcdFailure.notSent("could not connect to \(endpoint)"))
        }
        do {
          let transport = try makeTransport(to: endpoint, context)
          try forward(to: socket, transport, at: endpoint) { () throws(TLSError) in
            try transport.start(Array(message))
          }
          receive(from: socket, through: transport, at: endpoint, continuation)
        } catch {
          continuation.finish(throwing: error)
          socket.close()
        }
      }
    }
  }

  /// The status and the body of a complete response.
  ///
  /// - Throws: ``EtcdFailure/lost(_:)`` if the response is incomplete.
  static func parse(_ response: Data) throws(EtcdFailure) -> (status: Int, body: Data) {
    if response.isEmpty {
      throw .lost("the server has closed the connection without a response: does it require https?")
    }
    guard let end = response.range(of: Data("\r\n\r\n".utf8)) else { throw .lost("the connection was lost") }
    let lines = String(decoding: response[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      throw .lost("the response is not HTTP")
    }
    let body = Data(response[end.upperBound...])
    for line in lines.dropFirst() {
      let field = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if field.count == 2, field[0].lowercased() == "content-length", Int(field[1]) != body.count {
        throw .lost("the connection was lost within a response")
      }
    }
    return (status, body)
  }

  // MARK: - The connection

  private static func port(of url: URL) -> Int { url.port ?? (url.scheme == "https" ? 443 : 80) }

  private static func makeTransport(
    to endpoint: URL, _ context: TLSContext?
  ) throws(EtcdFailure) -> any ByteTransport {
    do throws(TLSError) {
      return try context?.makeSession(host: ClientSocket.host(of: endpoint)) ?? PlainTransport()
    } catch {
      throw EtcdFailure(error, at: endpoint, mayHaveArrived: false)
    }
  }

  /// Calls a method of the transport, and sends its output.
  private static func forward<Value>(
    to socket: ClientSocket, _ transport: any ByteTransport, at endpoint: URL, _ body: () throws(TLSError) -> Value
  ) throws(EtcdFailure) -> Value {
    do throws(TLSError) {
      let value = try body()
      guard socket.sendAll(transport.takeOutput()) else {
        throw .lost("could not send: \(ClientSocket.lastError)")
      }
      return value
    } catch {
      // This notifies the server of the reason, if it still listens.
      _ = socket.sendAll(transport.takeOutput())
      throw EtcdFailure(error, at: endpoint, mayHaveArrived: transport.hasSentMessage)
    }
  }

  /// Forwards received bytes, until the connection or the stream ends.
  private static func receive(
    from socket: ClientSocket, through transport: any ByteTransport, at endpoint: URL,
    _ continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
  ) {
    // Sources may be used from any thread. Only the handler of the source uses the transport, and it does not run twice
    // at the same time.
    nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: .global())
    nonisolated(unsafe) let transport = transport
    source.setEventHandler {
      do {
        let response = try forward(to: socket, transport, at: endpoint) { () throws(TLSError) in
          guard let bytes = socket.read() else { throw .lost("the connection was lost: \(ClientSocket.lastError)") }
          if !bytes.isEmpty { return try transport.receive(bytes) }
          try transport.end()
          return ([], isEnd: true)
        }
        if !response.received.isEmpty { continuation.yield(response.received) }
        if response.isEnd { continuation.finish() }
      } catch {
        continuation.finish(throwing: error)
      }
    }
    source.setCancelHandler { socket.close() }
    source.resume()
    continuation.onTermination = { _ in source.cancel() }
    // The stream may have ended before.
    if case .terminated = continuation.yield([]) { source.cancel() }
  }
}
