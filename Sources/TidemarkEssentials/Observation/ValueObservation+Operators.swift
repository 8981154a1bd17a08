extension ValueObservation {
  /// Returns an observation that transforms each value. The closure does not run on the main thread.
  ///
  /// ```swift
  /// let images = ValueObservation
  ///   .tracking { db in try Team.fetchOne(db, key: 1) }
  ///   .map { team in team.map { Image(data: $0.logo) } }
  /// ```
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (Reducer.Value) throws -> T
  ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
    reducing(ValueReducers.Map(base: reducer, transform: transform))
  }

  /// Returns an observation without consecutive equal values.
  public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
  where Reducer.Value: Equatable {
    removeDuplicates(by: ==)
  }

  /// Returns an observation without consecutive values that a closure considers equal.
  public func removeDuplicates(
    by predicate: @escaping @Sendable (Reducer.Value, Reducer.Value) -> Bool
  ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
    reducing(ValueReducers.RemoveDuplicates(base: reducer, areEqual: predicate))
  }

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
