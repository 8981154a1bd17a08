import Foundation

/// Sends requests to the servers of a cluster, one server at a time.
///
/// All requests of the log are idempotent. So a request that has failed, with or without effect, is repeated at the
/// next server until the deadline.
///
/// States: the current endpoint, the settings of TLS, the open connections that no call uses, and the token, which is
/// missing until a server has required and returned one. Calls run at the same time, each with a connection of its own;
/// each failure advances the endpoint only if no other call has advanced it since.
actor EtcdConnection {
  /// The end of a call.
  enum Outcome<Response: Sendable>: Sendable {
    case response(Response)

    /// The call was given up.
    ///
    /// - Parameter mayHaveArrived: Whether one of its requests may have been executed, or may be executed later.
    case failed(any Error, mayHaveArrived: Bool)

    /// The response.
    func get() throws -> Response {
      switch self {
      case .response(let response): return response
      case .failed(let error, _): throw error
      }
    }
  }

  nonisolated let configuration: EtcdConfiguration
  /// How many open connections wait for calls at most, and for how long: a device between client and server may forget
  /// connections that are not used.
  private static let (idleChannelCountMax, idleTime) = (4, Duration.seconds(30))

  private var endpointIndex = 0
  private var token: String?
  private var tls: TLSContextCache
  private var random = SystemRandomNumberGenerator()

  /// The connections that no call uses, the last used one at the end.
  private var idleChannels: [(channel: EtcdChannel, since: ContinuousClock.Instant)] = []

  init(_ configuration: EtcdConfiguration) {
    self.configuration = configuration
    tls = TLSContextCache(configuration.tls)
  }

  deinit { for idle in idleChannels { idle.channel.close() } }

  /// The server that is used now.
  var endpoint: URL { configuration.endpoints[endpointIndex] }

  /// The headers that a request requires besides its body.
  var headers: [String: String] { token.map { ["Authorization": $0] } ?? [:] }

  /// The settings of TLS for an endpoint; nil if its scheme is `http`.
  ///
  /// - Throws: ``EtcdFailure/rejected(_:)`` for another scheme than `https`, or without usable files and library.
  func context(for endpoint: URL) throws(EtcdFailure) -> TLSContext? {
    switch endpoint.scheme {
    case "http": return nil
    case "https":
      do throws(TLSError) { return try tls.context() } catch {
        throw EtcdFailure(error, at: endpoint, mayHaveArrived: false)
      }
    default: throw .rejected("\(endpoint): the scheme of an endpoint is http or https")
    }
  }

  /// Makes a request, and repeats it until a server has decided about it.
  func call<Request: Encodable & Sendable, Response: Decodable & Sendable>(
    _ path: String, _ request: Request, until deadline: ContinuousClock.Instant
  ) async -> Outcome<Response> {
    var mayHaveArrived = false
    var backOff = LogBackOff(endpointCount: configuration.endpoints.count)
    var lastMessage: String?
    var insecureEndpoints: Set<Int> = []
    while true {
      if Task.isCancelled { return .failed(CancellationError(), mayHaveArrived: mayHaveArrived) }
      if configuration.clock.now() >= deadline {
        return .failed(LogError.unavailable(lastMessage ?? "the deadline has passed"), mayHaveArrived: mayHaveArrived)
      }
      let index = endpointIndex
      do {
        try await authenticate(until: deadline)
        return .response(try await send(path, request, until: deadline))
      } catch {
        // That the time is over says less than the failure before.
        if lastMessage == nil || configuration.clock.now() < deadline { lastMessage = error.message }
        switch error {
        case .rejected:
          return .failed(LogError.rejected(error.message), mayHaveArrived: mayHaveArrived)
        case .unauthenticated:
          if configuration.credentials == nil {
            return .failed(LogError.rejected(error.message), mayHaveArrived: mayHaveArrived)
          }
          token = nil
        case .lost:
          mayHaveArrived = true
          // A cancelled request says nothing about the server.
          if !Task.isCancelled { advance(from: index) }
        case .insecure:
          insecureEndpoints.insert(index)
          if insecureEndpoints.count == configuration.endpoints.count {
            return .failed(LogError.rejected(error.message), mayHaveArrived: mayHaveArrived)
          }
          advance(from: index)
        case .notSent: advance(from: index)
        }
      }
      let pause = configuration.clock.now() + backOff.next(using: &random)
      // If the task is cancelled, the next round ends the call.
      try? await configuration.clock.sleep(min(pause, deadline))
    }
  }

  /// Requests a token, if one is required and missing.
  private func authenticate(until deadline: ContinuousClock.Instant) async throws(EtcdFailure) {
    guard let credentials = configuration.credentials, token == nil else { return }
    let request = EtcdMessage.AuthenticationRequest(name: credentials.user, password: credentials.password)
    do {
      let response: EtcdMessage.AuthenticationResponse =
        try await send("auth/authenticate", request, until: deadline)
      token = response.token
    } catch .lost(let message) {
      // The request for a token may have arrived, but the request of the caller was not sent.
      throw .notSent(message)
    }
  }

  /// Sends one request to the current server.
  private func send<Request: Encodable & Sendable, Response: Decodable & Sendable>(
    _ path: String, _ request: Request, until deadline: ContinuousClock.Instant
  ) async throws(EtcdFailure) -> Response {
    let end = min(deadline, configuration.clock.now() + configuration.requestTimeout)
    let endpoint = endpoint
    let context = try context(for: endpoint)
    do {
      let message = EtcdRequest.message(
        path: path, body: try JSONEncoder().encode(request), at: endpoint, headers: headers)
      let response = try await response(to: message, at: endpoint, context, until: end)
      guard response.status == 200 else { throw EtcdFailure(status: response.status, body: response.body) }
      return try JSONDecoder().decode(Response.self, from: response.body)
    } catch let failure as EtcdFailure {
      throw failure
    } catch {
      throw .lost("\(error)")
    }
  }

  /// Returns the response to a message. If the time has passed, or the task is cancelled, the connection is closed.
  private func response(
    to message: [UInt8], at endpoint: URL, _ context: TLSContext?, until end: ContinuousClock.Instant
  ) async throws -> EtcdResponse {
    let channel = takeChannel(to: endpoint, context)
    do {
      let response = try await withThrowingTaskGroup(of: EtcdResponse?.self) { group in
        group.addTask { try await channel.response(to: message) }
        group.addTask { [sleep = configuration.clock.sleep] in
          try await sleep(end)
          channel.giveUp("\(endpoint) has not responded in time")
          return nil
        }
        defer { group.cancelAll() }
        while let result = try await group.next() { if let response = result { return response } }
        throw EtcdFailure.lost("\(endpoint) has not responded in time")
      }
      if response.keepsConnection { keep(channel) } else { channel.close() }
      return response
    } catch {
      channel.close()
      throw error
    }
  }

  /// Returns the connection that was used last, or a new one.
  private func takeChannel(to endpoint: URL, _ context: TLSContext?) -> EtcdChannel {
    let begin = configuration.clock.now() - Self.idleTime
    while let (channel, since) = idleChannels.popLast() {
      // The context is another one after a certificate was replaced.
      if channel.endpoint == endpoint, channel.context === context, since >= begin { return channel }
      channel.close()
    }
    return EtcdChannel(to: endpoint, context: context)
  }

  private func keep(_ channel: EtcdChannel) {
    idleChannels.append((channel, since: configuration.clock.now()))
    if idleChannels.count > Self.idleChannelCountMax { idleChannels.removeFirst().channel.close() }
  }

  private func advance(from index: Int) {
    // Another call may have advanced it already.
    if index == endpointIndex { endpointIndex = (index + 1) % configuration.endpoints.count }
  }
}
