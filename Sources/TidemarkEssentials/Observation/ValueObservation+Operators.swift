extension ValueObservation {
  /// An observation of what a closure makes of each value. The closure does not run on the main thread.
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

  /// An observation without the values that equal the one before.
  public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
  where Reducer.Value: Equatable {
    removeDuplicates(by: ==)
  }

  /// An observation without the values that equal the one before, as a closure says.
  public func removeDuplicates(
    by predicate: @escaping @Sendable (Reducer.Value, Reducer.Value) -> Bool
  ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
    reducing(ValueReducers.RemoveDuplicates(base: reducer, areEqual: predicate))
  }
}
