#if NATS
  import Dispatch
  import Foundation
  import TidemarkCluster

  /// The requests of one connection, and the responses that they wait for.
  ///
  /// Each request has a number, which is the last part of the subject of its response. A session that was closed stays
  /// closed.
  actor NATSSession {
    nonisolated let server: URL
    nonisolated let inbox = "_INBOX." + UUID().uuidString
    private let clock: LogClock
    private var handle: NATSHandle?
    private var responses: NATSSubscription?
    private var requestCount: UInt64 = 0
    private var pending: [UInt64: CheckedContinuation<Result<[UInt8], NATSFailure>, Never>] = [:]
    private var signals: [UInt64: (NATSSignals, NATSSubscription)] = [:]

    init(server: URL, clock: LogClock) {
      self.server = server
      self.clock = clock
    }

    /// Connects.
    func open(_ configuration: NATSConfiguration) async throws(NATSFailure) {
      let (server, inbox) = (server, inbox)
      // Finding the address and connecting block a thread.
      let result = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          let result = Result { () throws(NATSFailure) in
            let handle = try NATSHandle(to: server, configuration) { [weak self] in Task { await self?.close() } }
            let responses = try NATSSubscription(handle, to: inbox + ".*") { [weak self] message in
              Task { await self?.receive(message) }
            }
            return (handle, responses)
          }
          continuation.resume(returning: result)
        }
      }
      (handle, responses) = try result.get()
    }

    /// Whether the session accepts requests.
    var isOpen: Bool { handle != nil }

    /// Sends a message, and waits for the response.
    ///
    /// If the task is cancelled, or the time has passed, the message may still arrive.
    func request(
      _ subject: String, headers: [(String, String)], _ body: [UInt8], until end: ContinuousClock.Instant
    ) async throws(NATSFailure) -> [UInt8] {
      guard let handle else { throw .notSent("\(server): the connection was lost") }
      requestCount += 1
      let (number, clock, server) = (requestCount, clock, server)
      let timer = Task {
        try await clock.sleep(end)
        self.finish(number, .failure(.lost("\(server) has not responded in time")))
      }
      defer { timer.cancel() }
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<Result<[UInt8], NATSFailure>, Never>) in
          // Later cancellations are handled by the task below, which runs after this closure.
          if Task.isCancelled { return continuation.resume(returning: .failure(.notSent("the task is cancelled"))) }
          pending[number] = continuation
          let reply = "\(inbox).\(number)"
          // Sending blocks a thread while the server takes no bytes.
          DispatchQueue.global().async {
            do throws(NATSFailure) {
              try handle.publish(subject, reply: reply, headers: headers, body)
            } catch {
              let failure = error
              Task { await self.finish(number, .failure(failure)) }
            }
          }
        }
      } onCancel: {
        Task { await self.finish(number, .failure(.lost("the task is cancelled"))) }
      }
      return try result.get()
    }

    /// Signals for the messages that are sent to a new subject. They end with the session.
    func makeSignals() throws(NATSFailure) -> NATSSignals {
      guard let handle else { throw .notSent("\(server): the connection was lost") }
      requestCount += 1
      let number = requestCount
      let new = NATSSignals(subject: "\(inbox)-signals.\(number)") { [weak self] in
        Task { await self?.removeSignals(number) }
      }
      let subscription = try NATSSubscription(handle, to: new.subject) { [weak new] _ in new?.add(.message) }
      signals[number] = (new, subscription)
      return new
    }

    /// Ends the session: requests in flight are lost.
    func close() {
      let (lost, ended, closed) = (pending, signals, handle)
      (pending, signals, responses, handle) = ([:], [:], nil, nil)
      for continuation in lost.values {
        continuation.resume(returning: .failure(.lost("\(server): the connection was lost")))
      }
      for (signals, _) in ended.values { signals.finish() }
      // Closing waits for the threads of the C client.
      DispatchQueue.global().async { closed?.close() }
    }

    private func receive(_ message: NATSMessage) {
      guard let number = message.subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
      finish(
        number,
        message.isNoResponders
          ? .failure(.notSent("\(server): no server is responsible for the stream")) : .success(message.data))
    }

    private func finish(_ number: UInt64, _ result: Result<[UInt8], NATSFailure>) {
      pending.removeValue(forKey: number)?.resume(returning: result)
    }

    private func removeSignals(_ number: UInt64) { signals[number] = nil }
  }
#endif
