/// The results to be written: the newest one of each query.
final class PlainInbox: Sendable {
  struct Messages: Sendable {
    var results: [Int: PlainResult] = [:]

    /// The errors of queries without a result. They are newer than `results`.
    var failures: [Int: String] = [:]
  }

  private let messages = Locked(Messages())
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func post(_ result: PlainResult, of query: Int) {
    messages.withLock { messages in
      messages.results[query] = result
      messages.failures[query] = nil
    }
    wake()
  }

  func post(failure: String, of query: Int) {
    messages.withLock { $0.failures[query] = failure }
    wake()
  }

  func take() -> Messages {
    messages.withLock { messages in
      defer { messages = Messages() }
      return messages
    }
  }
}
