/// A query whose result is delivered again when it may have changed.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in
///   try Player.order(Column("score").desc).limit(3).fetchAll(db)
/// }
/// for try await best in observation.values(in: dbPool) {
///   print(best.map(\.name))
/// }
/// ```
///
/// Guarantees:
///
/// - The first value is the result at the start of the observation, or a newer one.
/// - Every value is the result of the query at some commit, and these commits only move forward.
/// - After the last commit, the last value is the current result of the query. Values in between may be skipped.
/// - A commit that cannot change the result does not trigger a fetch. A value may still be delivered twice: see
///   `removeDuplicates`.
/// - Writes do not wait for observations. In a pool, readers fetch the values.
///
/// An observation is a value: it does nothing before it is started, and it can be started many times. Observations that
/// were started in the same database from copies of the same value share their fetches.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
  /// Whether the writer fetches the values, in write transactions. Set this only if the closure writes, because such
  /// fetches delay writes.
  public var requiresWriteAccess = false

  /// How a fetch is tried again after a transient error; nil if it is not.
  var retry: RetryPolicy?

  let source: ValueSource<Reducer.Fetched>
  var events = ObservationEvents()
  let reducer: Reducer
}

extension ValueObservation {
  /// Returns the same observation with another reducer.
  func reducing<NewReducer: ValueReducer>(
    _ reducer: NewReducer
  ) -> ValueObservation<NewReducer> where NewReducer.Fetched == Reducer.Fetched {
    ValueObservation<NewReducer>(
      requiresWriteAccess: requiresWriteAccess, retry: retry, source: source, events: events, reducer: reducer)
  }
}

// MARK: - Tracking

extension ValueObservation {
  /// Creates an observation of the values that a closure fetches.
  ///
  /// The closure can fetch any values, and may depend on values it has fetched before: its region is determined with
  /// each fetch.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking { db in
  ///   try Player.fetchCount(db)
  /// }
  /// ```
  ///
  /// - Parameter fetch: Fetches the value in a read transaction.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(source: ValueSource(.readRegion, fetch), reducer: ValueReducers.Fetch())
  }

  /// Creates an observation of the values that a closure fetches, if it reads the same tables and columns each time.
  ///
  /// The region of the closure is only determined with the first fetch, which is cheaper.
  ///
  /// ```swift
  /// let observation = ValueObservation.trackingConstantRegion { db in
  ///   try Player.fetchAll(db)
  /// }
  /// ```
  ///
  /// - Parameter fetch: Fetches the value in a read transaction.
  @preconcurrency
  public static func trackingConstantRegion<Value: Sendable>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(source: ValueSource(.initialReadRegion, fetch), reducer: ValueReducers.Fetch())
  }

  /// Creates an observation of regions, which fetches a value after each change in the regions.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking(region: Player.all(), Team.all()) { db in
  ///   try Standings.fetch(db)
  /// }
  /// ```
  ///
  /// - Parameter regions: The observed regions.
  /// - Parameter fetch: Fetches the value in a read transaction. It may read other regions.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
    fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: [region] + otherRegions, fetch: fetch)
  }

  /// Creates an observation of regions, which fetches a value after each change in the regions.
  ///
  /// - Parameter regions: The observed regions.
  /// - Parameter fetch: Fetches the value in a read transaction. It may read other regions.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    regions: [any DatabaseRegionConvertible],
    fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(source: ValueSource(.regions(regions), fetch), reducer: ValueReducers.Fetch())
  }
}
