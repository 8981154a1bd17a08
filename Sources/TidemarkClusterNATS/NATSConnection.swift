#if NATS
  import Foundation
  import TidemarkCluster

  /// Sends requests to the servers of a cluster, one server at a time.
  ///
  /// States: the current server, and its session, which is missing, or being opened, or open. Calls run at the same
  /// time; each failure ends the session only if no other call has replaced it.
  actor NATSConnection {
    /// The end of an operation.
    enum Outcome<Value: Sendable>: Sendable {
      case value(Value)

      /// The operation was given up.
      ///
      /// - Parameter mayHaveArrived: Whether one of its requests may have been executed, or may be executed later.
      case failed(any Error, mayHaveArrived: Bool)

      /// The value.
      func get() throws -> Value {
        switch self {
        case .value(let value): return value
        case .failed(let error, _): throw error
        }
      }
    }

    nonisolated let configuration: NATSConfiguration
    private var serverIndex = 0
    private var session: NATSSession?
    private var opening: Task<Void, Never>?
    private var lastFailure: NATSFailure?
    private var random = SystemRandomNumberGenerator()

    init(_ configuration: NATSConfiguration) { self.configuration = configuration }

    deinit { if let session { Task { await session.close() } } }

    private var clock: LogClock { configuration.clock }

    // MARK: - Operations

    /// Repeats an operation until it returns a value.
    ///
    /// - Parameter body: Makes requests with ``request(_:headers:_:until:)``. Returns nil if it must be repeated.
    func repeating<Value: Sendable>(
      until deadline: ContinuousClock.Instant, _ body: @Sendable () async throws -> Value?
    ) async -> Outcome<Value> {
      var mayHaveArrived = false
      var backOff = LogBackOff(endpointCount: configuration.servers.count)
      var lastMessage = "the deadline has passed"
      var insecureServers: Set<Int> = []
      while true {
        if Task.isCancelled { return .failed(CancellationError(), mayHaveArrived: mayHaveArrived) }
        if clock.now() >= deadline {
          return .failed(LogError.unavailable(lastMessage), mayHaveArrived: mayHaveArrived)
        }
        let index = serverIndex
        do {
          if let value = try await body() { return .value(value) }
          lastMessage = "other clients were first until the deadline"
        } catch let failure as NATSFailure {
          lastMessage = failure.message
          switch failure {
          case .notSent: break
          case .lost: mayHaveArrived = true
          case .insecure:
            insecureServers.insert(index)
            if insecureServers.count == configuration.servers.count {
              return .failed(LogError.rejected(failure.message), mayHaveArrived: mayHaveArrived)
            }
          case .rejected: return .failed(LogError.rejected(failure.message), mayHaveArrived: mayHaveArrived)
          }
        } catch {
          return .failed(error, mayHaveArrived: mayHaveArrived && !error.isDecision)
        }
        let pause = clock.now() + backOff.next(using: &random)
        // If the task is cancelled, the next round ends the operation.
        try? await clock.sleep(min(pause, deadline))
      }
    }

    /// Makes one request to the current server, with contents in JSON.
    func request<Response: Decodable & Sendable>(
      _ subject: String, _ body: some Encodable & Sendable, until deadline: ContinuousClock.Instant
    ) async throws -> Response {
      try await request(subject, headers: [], Array(JSONEncoder().encode(body)), until: deadline)
    }

    /// Makes one request to the current server.
    func request<Response: Decodable & Sendable>(
      _ subject: String, headers: [(String, String)], _ body: [UInt8], until deadline: ContinuousClock.Instant
    ) async throws -> Response {
      let end = min(deadline, clock.now() + configuration.requestTimeout)
      let session = try await openSession(until: end)
      do throws(NATSFailure) {
        let data = try await session.request(subject, headers: headers, body, until: end)
        return try Self.decode(data)
      } catch {
        // A cancelled request says nothing about the server.
        if !Task.isCancelled { await drop(session) }
        throw error
      }
    }

    private static func decode<Response: Decodable>(_ data: [UInt8]) throws(NATSFailure) -> Response {
      do { return try JSONDecoder().decode(Response.self, from: Data(data)) } catch {
        throw .lost("a server has sent an unknown response: \(String(decoding: data.prefix(200), as: UTF8.self))")
      }
    }

    /// Signals for the messages that are sent to a new subject, at the current server.
    func makeSignals(
      until deadline: ContinuousClock.Instant
    ) async throws -> NATSSignals {
      try await openSession(until: deadline).makeSignals()
    }

    // MARK: - Sessions

    /// Returns the open session, or opens one.
    private func openSession(until end: ContinuousClock.Instant) async throws(NATSFailure) -> NATSSession {
      if let session, await session.isOpen { return session }
      let server = configuration.servers[serverIndex]
      let task = opening ?? Task { await self.open(server) }
      opening = task
      // Opening cannot be cancelled, because other calls may wait for it. So this call waits for signals instead.
      let (signals, continuation) = AsyncStream<Void>.makeStream()
      let waiter = Task {
        await task.value
        continuation.finish()
      }
      let timer = Task { [clock] in
        try await clock.sleep(end)
        continuation.finish()
      }
      for await _ in signals {}
      waiter.cancel()
      timer.cancel()
      if let session, await session.isOpen { return session }
      throw lastFailure ?? .notSent("\(server) has not responded in time")
    }

    private func open(_ server: URL) async {
      let new = NATSSession(server: server, clock: clock)
      do throws(NATSFailure) {
        guard ["nats", "tls"].contains(server.scheme) else {
          throw .rejected("\(server): the scheme of a server is nats or tls")
        }
        try await new.open(configuration)
        try await ensureStream(new)
        (session, lastFailure) = (new, nil)
      } catch {
        lastFailure = error.ofRead
        advance()
        await new.close()
      }
      opening = nil
    }

    private func drop(_ failed: NATSSession) async {
      if session === failed {
        session = nil
        advance()
      }
      await failed.close()
    }

    private func advance() { serverIndex = (serverIndex + 1) % configuration.servers.count }

    // MARK: - The stream

    /// Creates the stream, or checks that the existing one keeps all entries.
    private func ensureStream(_ session: NATSSession) async throws(NATSFailure) {
      let name = configuration.stream
      let settings = JetStream.StreamSettings(
        name: name, subjects: ["\(name).entry.*", "\(name).mark"], num_replicas: configuration.replicas)
      var response = try await streamRequest("INFO", [], session)
      if response.error?.err_code == JetStream.Failure.streamNotFound {
        let body: [UInt8]
        do { body = Array(try JSONEncoder().encode(settings)) } catch { throw .rejected("\(error)") }
        response = try await streamRequest("CREATE", body, session)
      }
      if let error = response.error { throw NATSFailure(error) }
      guard let found = response.config else { throw .notSent("a server has returned no settings of the stream") }
      if let objection = settings.objection(to: found) {
        throw .rejected("the stream \(name) cannot contain a log: \(objection)")
      }
    }

    private func streamRequest(
      _ operation: String, _ body: [UInt8], _ session: NATSSession
    ) async throws(NATSFailure) -> JetStream.StreamResponse {
      let data = try await session.request(
        "$JS.API.STREAM.\(operation).\(configuration.stream)", headers: [], body,
        until: clock.now() + configuration.requestTimeout)
      return try Self.decode(data)
    }
  }

  extension Error {
    /// Whether the contents of the log have decided that an entry is not stored, and never will be.
    fileprivate var isDecision: Bool {
      switch self as? LogError {
      case .historyDiverged, .behindLog, .identityReused, .entryTooLarge: true
      case .corrupted, .unavailable, .rejected, nil: false
      }
    }
  }

  extension NATSFailure {
    /// Interprets an error in a response.
    ///
    /// Codes from 500 (no leader, no resources at the moment) decide nothing. Others are decisions about the request.
    init(_ error: JetStream.Failure) {
      let message = error.description ?? "error \(error.code)"
      self = error.code >= 500 ? .lost(message) : .rejected(message)
    }
  }
#endif
