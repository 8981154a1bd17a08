import Foundation
import TidemarkEssentials

/// A connection to one server, which is kept for the next request.
///
/// It has a thread of its own, because finding an address, connecting, sending and receiving block a thread.
/// `Documentation/Decisions/RequestsUseSockets.md` gives the reasons for not using `URLSession`.
///
/// States: it waits for work; it works; it is closed. The owner gives it work only while it waits. Work can be given up
/// at any time, which closes the channel. The owner closes it in the end: until then, its thread keeps it alive.
final class EtcdChannel: Sendable {
  private struct State {
    var work: (@Sendable (EtcdWire) -> Void)?

    /// Ends the work for its caller.
    var fail: (@Sendable (EtcdFailure) -> Void)?

    /// Whether the server may have received a part of the message of the work.
    var hasSent = false

    /// The open connection. Only the thread replaces it, and closes it afterwards.
    var socket: ClientSocket?
    var isClosed = false
  }

  let endpoint: URL

  /// The settings of TLS; nil for a connection without.
  let context: TLSContext?

  private let state = ProtectedValue(State())
  private let hasWork = DispatchSemaphore(value: 0)

  /// Creates a channel. It connects when it sends.
  init(to endpoint: URL, context: TLSContext?) {
    (self.endpoint, self.context) = (endpoint, context)
    // OpenSSL and the resolver of names use more than the smallest stack.
    SystemThread.run(name: "tidemark-etcd", stackSize: 512 << 10) { self.work() }
  }

  /// Sends a request, and returns its response.
  ///
  /// - Throws: ``EtcdFailure/notSent(_:)`` if it could not connect, ``EtcdFailure/insecure(_:)`` if the client or the
  ///   server has refused the other, and ``EtcdFailure/lost(_:)`` if the connection was lost.
  func response(to message: [UInt8]) async throws(EtcdFailure) -> EtcdResponse {
    try await perform { (wire) throws(EtcdFailure) in
      try wire.send(message)
      var response = EtcdResponse()
      while !response.isComplete {
        let bytes = try wire.receive()
        if bytes.isEmpty { try response.end() } else { try response.add(bytes) }
      }
      return response
    }
  }

  /// Runs a closure on the thread of the channel, and returns its result.
  ///
  /// If the task is cancelled, the work is given up.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (EtcdWire) throws(EtcdFailure) -> Value
  ) async throws(EtcdFailure) -> Value {
    let result = PendingResult<Value>()
    // The work before is released outside of the lock, with its response.
    let (isAccepted, former) = state.withLock { state in
      if state.isClosed { return (false, state.fail) }
      let former = state.fail
      state.work = { wire in result.set(Result { () throws(EtcdFailure) in try body(wire) }) }
      state.fail = { result.set(.failure($0)) }
      state.hasSent = false
      return (true, former)
    }
    _ = former
    guard isAccepted else { throw .notSent("the connection to \(endpoint) is closed") }
    hasWork.signal()
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { result.wait($0) }
    } onCancel: {
      giveUp("the request to \(endpoint) was cancelled")
    }.get()
  }

  /// Closes the connection, and ends the thread. The channel has no work.
  func close() { giveUp("the connection to \(endpoint) is closed") }

  /// Closes the connection, and ends the thread. Work that is not done fails at once.
  func giveUp(_ reason: String) {
    let (fail, hasSent) = state.withLock { state in
      state.isClosed = true
      state.socket?.interrupt()
      defer { state.fail = nil }
      return (state.fail, state.hasSent)
    }
    hasWork.signal()
    fail?(hasSent ? .lost(reason) : .notSent(reason))
  }

  /// Notes that a part of the message will be sent.
  ///
  /// - Returns: Whether it may be: not after the caller was informed that it was not.
  fileprivate func willSend() -> Bool {
    state.withLock { state in
      if !state.isClosed { state.hasSent = true }
      return !state.isClosed
    }
  }

  /// Waits for work, until the channel is closed. Runs on the thread of the channel.
  private func work() {
    let wire = EtcdWire(self)
    while true {
      hasWork.wait()
      // Work that was accepted is always done, so that its caller receives a result.
      let (work, isClosed) = state.withLock { state in
        defer { state.work = nil }
        return (state.work, state.isClosed)
      }
      if let work { work(wire) } else if isClosed { break }
    }
    _ = replaceSocket(nil)
  }

  /// Closes the connection, and keeps another one instead.
  ///
  /// - Returns: Whether the channel is open. Otherwise, the other one was closed, too.
  fileprivate func replaceSocket(_ socket: ClientSocket?) -> Bool {
    let (former, isClosed) = state.withLock { state in
      defer { state.socket = state.isClosed ? nil : socket }
      return (state.socket, state.isClosed)
    }
    former?.close()
    if isClosed { socket?.close() }
    return !isClosed
  }

  /// A result that is set once, before or after a task waits for it.
  private final class PendingResult<Value: Sendable>: Sendable {
    private struct State {
      var value: Result<Value, EtcdFailure>?
      var continuation: CheckedContinuation<Result<Value, EtcdFailure>, Never>?
    }

    private let state = ProtectedValue(State())

    /// Sets the result, if it is not set yet.
    func set(_ value: Result<Value, EtcdFailure>) {
      let continuation = state.withLock { state in
        if state.value == nil { state.value = value }
        defer { state.continuation = nil }
        return state.continuation
      }
      continuation?.resume(returning: value)
    }

    /// Resumes a continuation as soon as the result is set.
    func wait(_ continuation: CheckedContinuation<Result<Value, EtcdFailure>, Never>) {
      let value = state.withLock { state in
        if state.value == nil { state.continuation = continuation }
        return state.value
      }
      if let value { continuation.resume(returning: value) }
    }
  }
}

/// The bytes of a channel's connection. Only the thread of the channel uses it.
final class EtcdWire {
  // The thread of the channel keeps the channel alive.
  private unowned let channel: EtcdChannel
  private var connection: (socket: ClientSocket, transport: any ByteTransport)?

  fileprivate init(_ channel: EtcdChannel) { self.channel = channel }

  /// Sends a message, on a new connection if there is none, or if the server has closed it.
  func send(_ message: [UInt8]) throws(EtcdFailure) {
    if let connection, connection.socket.hasEnded { self.connection = nil }
    let (socket, transport): (ClientSocket, any ByteTransport)
    if let connection {
      (socket, transport) = connection
    } else {
      (socket, transport) = try connect()
      connection = (socket, transport)
    }
    try forward(to: socket, transport) { () throws(TLSError) in try transport.send(message) }
  }

  /// Waits for received bytes.
  ///
  /// - Returns: At least one byte; none at the end of the connection.
  func receive() throws(EtcdFailure) -> [UInt8] {
    guard let (socket, transport) = connection else { return [] }
    while true {
      let (received, isEnd) = try forward(to: socket, transport) { () throws(TLSError) in
        guard let bytes = socket.waitAndRead() else {
          throw .lost("the connection was lost: \(ClientSocket.lastError)")
        }
        if !bytes.isEmpty { return try transport.receive(bytes) }
        try transport.end()
        return ([], isEnd: true)
      }
      if isEnd { connection = nil }
      if isEnd || !received.isEmpty { return received }
    }
  }

  private func connect() throws(EtcdFailure) -> (socket: ClientSocket, transport: any ByteTransport) {
    let endpoint = channel.endpoint
    let host = ClientSocket.host(of: endpoint)
    let transport: any ByteTransport
    do throws(TLSError) {
      transport = try channel.context?.makeSession(host: host) ?? PlainTransport()
    } catch {
      throw EtcdFailure(error, at: endpoint, mayHaveArrived: false)
    }
    guard let socket = ClientSocket(host: host, port: EtcdRequest.port(of: endpoint)) else {
      throw .notSent("could not connect to \(endpoint)")
    }
    guard channel.replaceSocket(socket) else { throw .notSent("the connection to \(endpoint) is closed") }
    return (socket, transport)
  }

  /// Calls a method of the transport, and sends its output.
  private func forward<Value>(
    to socket: ClientSocket, _ transport: any ByteTransport, _ body: () throws(TLSError) -> Value
  ) throws(EtcdFailure) -> Value {
    do throws(TLSError) {
      let value = try body()
      if transport.hasSentMessage, !channel.willSend() { throw .lost("the connection is closed") }
      guard socket.sendAll(transport.takeOutput()) else {
        throw .lost("could not send: \(ClientSocket.lastError)")
      }
      return value
    } catch {
      // This notifies the server of the reason, if it still listens.
      if channel.willSend() { _ = socket.sendAll(transport.takeOutput()) }
      connection = nil
      throw EtcdFailure(error, at: channel.endpoint, mayHaveArrived: transport.hasSentMessage)
    }
  }
}
