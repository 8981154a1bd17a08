/// Measures how long it takes from a commit until it is on the screen.
///
/// Each transaction leaves an event, whose numbers grow. When the screen shows an event, it shows all commits up to it.
final class CommitClock: Sendable {
  private struct State {
    var waiting: [(event: Int64, at: ContinuousClock.Instant)] = []
    var toScreen = SampleWindow(countMax: 1000)
    var writes = SampleWindow(countMax: 1000)
  }

  private let state = Guarded(State())

  /// Nobody looks: more commits than that are not remembered.
  private static let waitingCountMax = 4096

  /// - parameter start: When the transaction was about to be committed.
  /// - parameter duration: How long the writer has waited for it.
  func add(event: Int64, at start: ContinuousClock.Instant, after duration: Duration) {
    state.withLock { state in
      if state.waiting.count == Self.waitingCountMax { state.waiting.removeFirst() }
      state.waiting.append((event, start))
      state.writes.add(duration.inSeconds)
    }
  }

  /// The screen shows all up to an event.
  func didShow(event: Int64) {
    let now = ContinuousClock.now
    state.withLock { state in
      // Writers tell of their commits in any order.
      for (_, start) in state.waiting.filter({ $0.event <= event }) { state.toScreen.add((now - start).inSeconds) }
      state.waiting.removeAll { $0.event <= event }
    }
  }

  var quantiles: (toScreen: Quantiles?, writes: Quantiles?) {
    state.withLock { (Quantiles($0.toScreen), Quantiles($0.writes)) }
  }
}
