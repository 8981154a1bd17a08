/// Measures the time from a commit until it is on the screen.
///
/// Each transaction inserts an event, whose numbers increase. A screen with an event shows all commits up to it.
final class CommitClock: Sendable {
  private struct State {
    var waiting: [(event: Int64, at: ContinuousClock.Instant)] = []
    var toScreen = SampleWindow(countMax: 1000)
    var writes = SampleWindow(countMax: 1000)
  }

  private let state = Locked(State())

  /// The limit of stored commits, for the case that no screen shows the events.
  private static let waitingCountMax = 4096

  /// - Parameter start: The time just before the commit.
  /// - Parameter duration: The time for which the writer has waited for it.
  func add(event: Int64, at start: ContinuousClock.Instant, after duration: Duration) {
    state.withLock { state in
      if state.waiting.count == Self.waitingCountMax { state.waiting.removeFirst() }
      state.waiting.append((event, start))
      state.writes.add(duration.inSeconds)
    }
  }

  /// Records that the screen shows all commits up to an event.
  func didShow(event: Int64) {
    let now = ContinuousClock.now
    state.withLock { state in
      // Writers report their commits in any order.
      for (_, start) in state.waiting.filter({ $0.event <= event }) { state.toScreen.add((now - start).inSeconds) }
      state.waiting.removeAll { $0.event <= event }
    }
  }

  var quantiles: (toScreen: Quantiles?, writes: Quantiles?) {
    state.withLock { (Quantiles($0.toScreen), Quantiles($0.writes)) }
  }
}
