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
