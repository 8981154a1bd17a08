extension ValueObservation {
  /// Returns an observation whose values report the version of the database at which they were read.
  ///
  /// Use it to wait for a value that includes a write:
  ///
  /// ```swift
  /// try await dbPool.write { try player.update($0) }
  /// let version = try await dbPool.databaseVersion()
  /// for try await ranking in observation.withDatabaseVersions().values(in: dbPool) where ranking.includes(version) {
  ///   print(ranking.value)
  ///   break
  /// }
  /// ```
  ///
  /// - In a pool, values with the same version come from the same state of the database, whichever observation has
  ///   fetched them: a value includes all commits up to its version, and none after it.
  /// - The version is nil if it is unknown: in a snapshot, and in the first value of an observation that is started
  ///   inside an access and delivers this value immediately. With `requiresWriteAccess`, it is the version before the
  ///   commit of the fetch.
  ///
  /// Equal values are delivered again if a commit in between may have changed them: remove duplicates before
  /// adding the versions.
  ///
  /// - Returns: An observation of ``Versioned`` values.
  public func withDatabaseVersions() -> ValueObservation<ValueReducers.AddVersions<Reducer>> {
    ValueObservation<ValueReducers.AddVersions<Reducer>>(
      requiresWriteAccess: requiresWriteAccess, retry: retry, source: ValueSource(addingVersionsTo: source),
      events: events, reducer: ValueReducers.AddVersions(base: reducer))
  }
}

extension ValueReducers {
  /// Delivers the values of another reducer, with the versions at which they were read.
  public struct AddVersions<Base: ValueReducer>: ValueReducer {
    var base: Base

    /// An internal requirement; do not call it.
    public mutating func _value(_ fetched: Versioned<Base.Fetched>) throws -> Versioned<Base.Value>? {
      try base._value(fetched.value).map { Versioned(value: $0, version: fetched.version) }
    }
  }
}
