/// A value of an observation, and the commit that it is of.
///
/// ```swift
/// for try await ranking in observation.withCommitNumbers().values(in: dbPool) {
///   print("as of commit", ranking.commitNumber, ranking.value)
/// }
/// ```
public struct NumberedValue<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value

  /// The number of the last commit that the value has seen.
  ///
  /// See `ValueObservation.withCommitNumbers()`.
  public let commitNumber: UInt64

  init(value: Value, commitNumber: UInt64) {
    self.value = value
    self.commitNumber = commitNumber
  }
}

extension NumberedValue: Equatable where Value: Equatable {}
extension NumberedValue: Hashable where Value: Hashable {}

extension ValueObservation {
  /// An observation whose values tell which commit they are of.
  ///
  /// ```swift
  /// try await dbPool.write { try player.update($0) }
  /// let own = try await dbPool.commitNumber()
  /// for try await ranking in observation.withCommitNumbers().values(in: dbPool) where ranking.commitNumber >= own {
  ///   return ranking.value
  /// }
  /// ```
  ///
  /// - Numbers grow with each commit, whoever commits: another connection or process, too. In a pool, values of one
  ///   number are of one state of the database, whatever they were fetched by, and a value has seen all commits up to
  ///   its number and none behind it. In a queue, several commits of others may count as one.
  /// - They belong to the database as it is open: another pool on the file has others.
  /// - The number is zero where it cannot be told: in a snapshot, and in the first value of an observation that is
  ///   started inside of an access, and delivers that at once. With `requiresWriteAccess`, it is that of the commit
  ///   before.
  ///
  /// Values that are equal are delivered again when another commit may have changed them: take duplicates out before
  /// the numbers come to them.
  public func withCommitNumbers() -> ValueObservation<ValueReducers.Numbered<Reducer>> {
    ValueObservation<ValueReducers.Numbered<Reducer>>(
      requiresWriteAccess: requiresWriteAccess, retry: retry, source: LiveSource(numbering: source), events: events,
      reducer: ValueReducers.Numbered(base: reducer))
  }
}

extension ValueReducers {
  /// Delivers the values of another reducer, with the commits that they are of.
  public struct Numbered<Base: ValueReducer>: ValueReducer {
    var base: Base

    /// Not for you to call.
    public mutating func _value(_ fetched: NumberedValue<Base.Fetched>) throws -> NumberedValue<Base.Value>? {
      try base._value(fetched.value).map { NumberedValue(value: $0, commitNumber: fetched.commitNumber) }
    }
  }
}
