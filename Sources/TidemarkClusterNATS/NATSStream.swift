#if NATS
  import Foundation
  import TidemarkCluster

  /// The operations on the stream of a log: each is one request, or a few, and is not repeated.
  ///
  /// Reads may return an old state. Messages that were read are in the stream, however: servers store only messages
  /// that a majority has.
  struct NATSStream: Sendable {
    let connection: NATSConnection
    private let states: NATSStateCache

    init(_ connection: NATSConnection) {
      self.connection = connection
      states = NATSStateCache()
    }

    private var name: String { connection.configuration.stream }

    /// The subject of an entry.
    private func subject(_ number: UInt64) -> String { "\(name).entry.\(number)" }

    // MARK: - Reading

    /// Reads the state after the last message.
    func readState(until deadline: ContinuousClock.Instant) async throws -> NATSState {
      if let message = try await message("\(name).>", until: deadline) {
        let state = try NATSState(message)
        await states.set(state)
        return state
      }
      let info: JetStream.StreamResponse = try await read(
        "$JS.API.STREAM.INFO.\(name)", [String: String](), until: deadline)
      if let error = info.error { throw NATSFailure(error).ofRead }
      guard info.state?.messages == 0 else { throw NATSFailure.notSent("the last message could not be read") }
      if let sequence = info.state?.last_seq, sequence > 0 {
        throw LogError.corrupted("all messages of the stream \(name) were removed, through \(sequence)")
      }
      await states.set(NATSState())
      return NATSState()
    }

    /// The state that this client has seen last, or the state that it reads now.
    func recentState(until deadline: ContinuousClock.Instant) async throws -> NATSState {
      if let state = await states.state { return state }
      return try await readState(until: deadline)
    }

    /// Reads an entry, and the number of its message; nil if it was not found.
    func readEntry(
      _ number: UInt64, until deadline: ContinuousClock.Instant
    ) async throws -> (entry: LogEntry, sequence: UInt64)? {
      guard let message = try await message(subject(number), until: deadline) else { return nil }
      let state = try NATSState(message)
      guard let entry = state.entry, entry.number == number else {
        throw LogError.corrupted("message \(message.seq) is not entry \(number)")
      }
      return (entry, message.seq)
    }

    private func message(
      _ subject: String, until deadline: ContinuousClock.Instant
    ) async throws -> JetStream.MessageResponse.Message? {
      let response: JetStream.MessageResponse = try await read(
        "$JS.API.STREAM.MSG.GET.\(name)", JetStream.MessageRequest(last_by_subj: subject), until: deadline)
      if let error = response.error {
        if error.err_code == JetStream.Failure.noMessageFound { return nil }
        throw NATSFailure(error).ofRead
      }
      return response.message
    }

    /// Makes a request without effect.
    private func read<Response: Decodable & Sendable>(
      _ subject: String, _ body: some Encodable & Sendable, until deadline: ContinuousClock.Instant
    ) async throws -> Response {
      do { return try await connection.request(subject, body, until: deadline) } catch let failure as NATSFailure {
        throw failure.ofRead
      }
    }

    // MARK: - Writing

    /// Appends an entry, on condition that the log is still in a state.
    ///
    /// - Returns: The new state; nil if the log is in another state, or the state was an old one.
    func append(
      _ entry: LogEntry, in state: NATSState, until deadline: ContinuousClock.Instant
    ) async throws -> NATSState? {
      var new = state
      (new.last, new.entry) = (entry.position, entry)
      return try await publish(
        subject(entry.number), [], state.body(appending: entry), in: state, becoming: new, until: deadline)
    }

    /// Adds a mark, on condition that the log is still in a state.
    ///
    /// If this succeeds, the log was in this state at that moment: so this is a linearizable read.
    ///
    /// - Parameter discarded: The new position through which entries are discarded; nil for the present one.
    /// - Returns: The new state; nil if the log is in another state, or the state was an old one.
    func mark(
      _ state: NATSState, discarding discarded: LogPosition? = nil, until deadline: ContinuousClock.Instant
    ) async throws -> NATSState? {
      var new = state
      new.entry = nil
      if let discarded { new.discarded = discarded }
      // The new mark replaces the one before it.
      return try await publish(
        "\(name).mark", [("Nats-Rollup", "sub")], new.bodyOfMark, in: state, becoming: new, until: deadline)
    }

    /// Removes all messages through one.
    func removeMessages(through sequence: UInt64, until deadline: ContinuousClock.Instant) async throws {
      let response: JetStream.PurgeResponse = try await connection.request(
        "$JS.API.STREAM.PURGE.\(name)", JetStream.PurgeRequest(seq: sequence + 1), until: deadline)
      if let error = response.error { throw NATSFailure(error) }
    }

    private func publish(
      _ subject: String, _ headers: [(String, String)], _ body: [UInt8], in state: NATSState,
      becoming expected: NATSState, until deadline: ContinuousClock.Instant
    ) async throws -> NATSState? {
      // Each attempt has an identity of its own. Otherwise the server would take a repetition for a duplicate, and
      // report success without comparing anything.
      let id = UUID().uuidString
      let common =
        headers + [("Nats-Msg-Id", id), ("Nats-Expected-Last-Sequence", String(state.sequence))]
      let comparison = state.messageID.map { [("Nats-Expected-Last-Msg-Id", $0)] } ?? []
      var response: JetStream.Acknowledgement = try await connection.request(
        subject, headers: common + comparison, body, until: deadline)
      if response.error?.hasForgottenMessageID == true {
        // After a restart, the server does not know the identity of the last message any more. Its sequence must do.
        response = try await connection.request(subject, headers: common, body, until: deadline)
      }
      if let error = response.error {
        await states.set(nil)
        if error.isConflict { return nil }
        throw NATSFailure(error)
      }
      guard response.seq == state.sequence + 1 else {
        await states.set(nil)
        throw NATSFailure.lost("the server has acknowledged message \(response.seq ?? 0) after \(state.sequence)")
      }
      var new = expected
      (new.sequence, new.messageID) = (state.sequence + 1, id)
      await states.set(new)
      return new
    }

    // MARK: - Signals

    /// Begins to send a signal after each new entry.
    ///
    /// The consumer of the stream ends some seconds after the signals, because nothing receives its messages any more.
    func makeSignals(until deadline: ContinuousClock.Instant) async throws -> NATSSignals {
      let signals = try await connection.makeSignals(until: deadline)
      let response: JetStream.ConsumerResponse = try await read(
        "$JS.API.CONSUMER.CREATE.\(name)",
        JetStream.ConsumerRequest(
          stream_name: name, config: .init(deliver_subject: signals.subject, filter_subject: "\(name).entry.*")),
        until: deadline)
      if let error = response.error { throw NATSFailure(error).ofRead }
      return signals
    }
  }

  /// The state that a client has seen last. It may be an old one: whether it is, shows the next attempt to change it.
  private actor NATSStateCache {
    private(set) var state: NATSState?

    func set(_ new: NATSState?) { state = new }
  }

  extension JetStream.Failure {
    /// Whether the stream has another last message than expected.
    fileprivate var isConflict: Bool {
      err_code == Self.wrongLastSequence || err_code == Self.wrongLastMessageID
    }

    /// Whether the server does not know the identity of the last message. It then names an empty one.
    fileprivate var hasForgottenMessageID: Bool {
      err_code == Self.wrongLastMessageID && description?.hasSuffix("ID: ") == true
    }
  }
#endif
