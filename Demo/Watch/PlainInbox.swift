/// The results to be written: the newest one of each query.
final class PlainInbox: Sendable {
  struct Letters: Sendable {
    var results: [Int: PlainResult] = [:]

    /// The errors of queries without a result. They are newer than `results`.
    var failures: [Int: String] = [:]
  }

  private let letters = Guarded(Letters())
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func post(_ result: PlainResult, of query: Int) {
    letters.withLock { letters in
      letters.results[query] = result
      letters.failures[query] = nil
    }
    wake()
  }

  func post(failure: String, of query: Int) {
    letters.withLock { $0.failures[query] = failure }
    wake()
  }

  func take() -> Letters {
    letters.withLock { letters in
      defer { letters = Letters() }
      return letters
    }
  }
}
