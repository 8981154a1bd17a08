/// Where tasks leave the results that are to be written: of each query the newest one.
final class PlainInbox: Sendable {
  struct Letters: Sendable {
    var results: [Int: PlainResult] = [:]

    /// Why queries have no result any more. Those of `results` are older.
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
