/// A value of an observation, and the commit at which it was read.
///
/// ```swift
/// for try await ranking in observation.withCommitNumbers().values(in: dbPool) {
///   print("as of commit", ranking.commitNumber, ranking.value)
/// }
/// ```
public struct NumberedValue<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value

  /// The number of the last commit that the value includes.
  ///
  /// See ``ValueObservation/withCommitNumbers()``.
  public let commitNumber: UInt64

  init(value: Value, commitNumber: UInt64) {
    self.value = value
    self.commitNumber = commitNumber
  }
}

extension NumberedValue: Equatable where Value: Equatable {}
extension NumberedValue: Hashable where Value: Hashable {}

extension ValueObservation {
  /// Returns an observation whose values report the commit at which they were read.
  ///
  /// ```swift
  /// try await dbPool.write { try player.update($0) }
  /// let own = try await dbPool.commitNumber()
  /// for try await ranking in observation.withCommitNumbers().values(in: dbPool) where ranking.commitNumber >= own {
  ///   return ranking.value
  /// }
  /// ```
  ///
  /// - Each commit increases the number, including commits of other connections and processes. In a pool, values with
  ///   the same number come from the same state of the database, whichever observation has fetched them: a value
  ///   includes all commits up to its number, and none after it. In a queue, several external commits may count as one.
  /// - Numbers belong to the open database: another pool on the same file has different ones.
  /// - The number is zero if it is unknown: in a snapshot, and in the first value of an observation that is
  ///   started inside an access and delivers this value immediately. With `requiresWriteAccess`, it is the number of
  ///   the commit before.
  ///
  /// Equal values are delivered again if a commit in between may have changed them: remove duplicates before
  /// adding the numbers.
  public func withCommitNumbers() -> ValueObservation<ValueReducers.Numbered<Reducer>> {
    ValueObservation<ValueReducers.Numbered<Reducer>>(
      requiresWriteAccess: requiresWriteAccess, retry: retry, source: LiveSource(numbering: source), events: events,
      reducer: ValueReducers.Numbered(base: reducer))
  }
}

extension ValueReducers {
  /// Delivers the values of another reducer, with the commits at which they were read.
  public struct Numbered<Base: ValueReducer>: ValueReducer {
    var base: Base

    /// An internal requirement; do not call it.
    public mutating func _value(_ fetched: NumberedValue<Base.Fetched>) throws -> NumberedValue<Base.Value>? {
      try base._value(fetched.value).map { NumberedValue(value: $0, commitNumber: fetched.commitNumber) }
    }
  }
}
