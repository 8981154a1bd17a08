/// Where tasks leave the results that are to be written: of each query the newest one.
final class PlainInbox: Sendable {
  struct Letters: Sendable {
    var results: [Int: PlainResult] = [:]

    /// Why a query has ended.
    var failure: Failure?
  }

  private let letters = Guarded(Letters())
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func post(_ result: PlainResult, of query: Int) {
    letters.withLock { $0.results[query] = result }
    wake()
  }

  func post(_ failure: Failure) {
    letters.withLock { $0.failure = failure }
    wake()
  }

  func take() -> Letters {
    letters.withLock { letters in
      defer { letters = Letters() }
      return letters
    }
  }
}
