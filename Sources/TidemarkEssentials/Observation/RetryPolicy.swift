/// How a fetch is tried again that failed for a passing reason.
struct RetryPolicy: Sendable {
  /// The pause before the first attempt. Each one is twice as long as the one before.
  var firstPause: Duration

  /// The longest pause.
  var pauseMax: Duration

  /// The pause before the attempt of a number, which counts from 0.
  func pause(beforeAttempt number: Int) -> Duration {
    min(firstPause * (1 << min(number, 20)), pauseMax)
  }
}

extension ValueObservation {
  /// An observation that goes on when a fetch fails for a passing reason: the database is locked by somebody else, the
  /// disk is full. It fetches again after a pause, which doubles each time.
  ///
  /// ```swift
  /// let observation = ValueObservation
  ///   .tracking { db in try Player.fetchCount(db) }
  ///   .retryingPassingErrors()
  /// ```
  ///
  /// Errors of other kinds end it, as they end any observation. See `DatabaseError.isTransient`.
  public func retryingPassingErrors(
    after firstPause: Duration = .milliseconds(20), atMost pauseMax: Duration = .seconds(5)
  ) -> Self {
    precondition(firstPause > .zero && pauseMax >= firstPause, "Pauses must be longer than nothing, and grow")
    var observation = self
    observation.retry = RetryPolicy(firstPause: firstPause, pauseMax: pauseMax)
    return observation
  }
}
