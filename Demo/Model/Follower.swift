import Tidemark

/// Follows a live query for a pane, as long as its task lives.
///
/// A query that fails is tried again after a pause: the table that was dropped may come back.
struct Follower: Sendable {
  let query: Query
  let page: PageRequest

  /// The least time between two values.
  var interval = Duration.zero
  var pauseAfterFailure = Duration.seconds(1)

  /// Since when the query has been running, if it is.
  let fetching = FetchClock()

  enum News: Sendable {
    case rows(ResultPage)
    case failed(String)
  }

  /// - parameter tell: Called with each value. What comes while it runs, or during the interval, may be skipped; the
  ///   last value never is.
  func follow(_ reader: some DatabaseReader, tell: @Sendable (News) -> Void) async {
    let observation = query.observation(page, fetching)
    while !Task.isCancelled {
      do {
        for try await rows in observation.values(in: reader) {
          tell(.rows(rows.measured()))
          if interval > .zero { try await Task.sleep(for: interval) }
        }
      } catch is CancellationError {
        return
      } catch {
        tell(.failed(sentence(for: error)))
      }
      // It throws when the task is cancelled, and then the loop ends.
      try? await Task.sleep(for: pauseAfterFailure)
    }
  }
}

/// Remembers when the fetch that runs has begun.
final class FetchClock: Sendable {
  private let start = Guarded<ContinuousClock.Instant?>(nil)

  func begin() { start.withLock { $0 = .now } }
  func end() { start.withLock { $0 = nil } }

  /// How long the fetch that runs has been running.
  var elapsed: Duration? { start.withLock { start in start.map { .now - $0 } } }
}
