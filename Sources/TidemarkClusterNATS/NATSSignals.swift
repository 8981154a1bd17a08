#if NATS
  import TidemarkCluster

  /// Signals for the messages with one subject. They are counted no further than one.
  final class NATSSignals: Sendable {
    enum Signal: Sendable {
      /// There was a message, or several.
      case message

      /// The time of a wait has passed.
      case time
    }

    let subject: String
    private let signals: AsyncStream<Signal>
    private let continuation: AsyncStream<Signal>.Continuation

    /// - Parameter ended: Is called once, when the signals have ended.
    init(subject: String, ended: @escaping @Sendable () -> Void) {
      self.subject = subject
      (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
      continuation.onTermination = { _ in ended() }
    }

    func add(_ signal: Signal) { continuation.yield(signal) }

    func finish() { continuation.finish() }

    /// Waits for the next signal, or for some time.
    ///
    /// - Returns: The signal; nil if the signals have ended, with their connection or with the task that waits.
    func next(atMost duration: Duration, clock: LogClock) async -> Signal? {
      let continuation = continuation
      // The end of the time is a signal, too: cancelling the wait would end the stream.
      let timer = Task {
        try await clock.sleep(clock.now() + duration)
        continuation.yield(.time)
      }
      defer { timer.cancel() }
      var iterator = signals.makeAsyncIterator()
      return await iterator.next()
    }
  }
#endif
