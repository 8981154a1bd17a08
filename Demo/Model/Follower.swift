import Tidemark

/// Observes a live query for a pane until its task is cancelled.
///
/// A query that fails is retried after a pause: a dropped table may be created again.
struct Follower: Sendable {
  let query: Query
  let page: PageRequest

  /// The least time between two values.
  var interval = Duration.zero
  var pauseAfterFailure = Duration.seconds(1)

  /// When the running fetch started; nil if none is running.
  let fetching = FetchClock()

  enum Message: Sendable {
    case rows(ResultPage)
    case failed(String)
  }

  /// - Parameter notify: Receives each value. Values that arrive while it runs, or during the interval, may be
  ///   skipped; the last value is always delivered.
  func follow(_ reader: any DatabaseReader, notify: @Sendable (Message) -> Void) async {
    let observation = query.observation(page, fetching)
    while !Task.isCancelled {
      do {
        for try await rows in observation.values(in: reader) {
          notify(.rows(rows.measured()))
          if interval > .zero { try await Task.sleep(for: interval) }
        }
      } catch is CancellationError {
        return
      } catch {
        notify(.failed(sentence(for: error)))
      }
      // The sequence throws when the task is cancelled, which ends the loop.
      try? await Task.sleep(for: pauseAfterFailure)
    }
  }
}

/// Stores when the running fetch started.
final class FetchClock: Sendable {
  private let start = Locked<ContinuousClock.Instant?>(nil)

  func begin() { start.withLock { $0 = .now } }
  func end() { start.withLock { $0 = nil } }

  /// The time for which the current fetch has been running.
  var elapsed: Duration? { start.withLock { start in start.map { .now - $0 } } }
}
