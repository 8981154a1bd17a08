/// Limits the time that live queries take to follow external commits: to read their changes, and to fetch.
///
/// After such work, a pause follows, so that the work takes the configured share of the processors. Further commits are
/// handled together after the pause. A pause has a maximum length: then the values are more important than the share.
struct ExternalCommitPace: Sendable {
  /// The number of processors that may be used.
  private let processorCount: Double
  private let pauseMax: Duration

  /// The time at which work may begin again.
  private var end = Duration.zero

  init(_ limit: Configuration.ExternalCommitLimit, processorCount: Int) {
    precondition(
      limit.processorShare > 0,
      "Configuration.externalCommitLimit.processorShare must be greater than 0: \(limit.processorShare)")
    // Beyond these limits, a duration could not represent the pauses.
    self.processorCount = max(limit.processorShare * Double(processorCount), 1e-6)
    pauseMax = min(max(limit.delayMax, .zero), .seconds(1_000_000_000))
  }

  /// A thread has worked. The work of several threads adds up.
  mutating func worked(from start: Duration, to now: Duration) {
    end = min(max(end, start) + (now - start) / processorCount, now + pauseMax)
  }

  /// The time for which no work may begin; zero if it may begin now. A very short pause would not be kept exactly.
  func pause(at now: Duration) -> Duration { end - now < .microseconds(20) ? .zero : end - now }
}
