/// How a fetch is retried after a transient failure.
struct RetryPolicy: Sendable {
  /// The pause before the first attempt. Each pause is twice as long as the previous one.
  var firstPause: Duration

  /// The longest pause.
  var pauseMax: Duration

  init(after firstPause: Duration, atMost pauseMax: Duration) {
    precondition(
      firstPause > .zero && pauseMax >= firstPause,
      "the first pause must be positive, and not longer than the longest one: \(firstPause), \(pauseMax)")
    (self.firstPause, self.pauseMax) = (firstPause, pauseMax)
  }

  /// The pause before an attempt; attempts are numbered from 0.
  func pause(beforeAttempt number: Int) -> Duration {
    min(firstPause * (1 << min(number, 20)), pauseMax)
  }
}

extension ValueObservation {
  /// Returns an observation that continues when a fetch fails with a transient error: another connection holds a lock,
  /// or the disk is full. It fetches again after a pause, which doubles each time.
  ///
  /// ```swift
  /// let observation = ValueObservation
  ///   .tracking { db in try Player.fetchCount(db) }
  ///   .retryingTransientErrors()
  /// ```
  ///
  /// Errors of other kinds end the observation. See ``DatabaseError/isTransient``.
  public func retryingTransientErrors(
    after firstPause: Duration = .milliseconds(20), atMost pauseMax: Duration = .seconds(5)
  ) -> Self {
    var observation = self
    observation.retry = RetryPolicy(after: firstPause, atMost: pauseMax)
    return observation
  }
}
