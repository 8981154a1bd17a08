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
/// What is promised:
///
/// - The first value is that of the database when the observation starts, or newer.
/// - Every value is the result of the query at some commit, and these commits only move forward.
/// - When no more commits come, the last value is the result of the query now. Values in between may be skipped.
/// - A commit that cannot change the result wakes nothing. A value may come twice all the same: see
///   `removeDuplicates`.
/// - Writes wait for none of this. In a pool, values are fetched on connections that read.
///
/// An observation is a value: nothing happens before it is started, and it can be started many times. Those that were
/// started in the same database, from the same observation value or copies of it, fetch together.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
  /// Whether values are fetched in write transactions, by the connection that writes. Without need, it makes writes
  /// wait: set it when the closure must write.
  public var requiresWriteAccess = false

  /// Whether a fetch that fails for a passing reason is tried again, and how.
  var retry: RetryPolicy?

  let source: LiveSource<Reducer.Fetched>
  var events = ObservationEvents()
  let reducer: Reducer
}

extension ValueObservation {
  /// The same observation, with another reducer.
  func reducing<NewReducer: ValueReducer>(
    _ reducer: NewReducer
  ) -> ValueObservation<NewReducer> where NewReducer.Fetched == Reducer.Fetched {
    ValueObservation<NewReducer>(
      requiresWriteAccess: requiresWriteAccess, retry: retry, source: source, events: events, reducer: reducer)
  }
}

// MARK: - What is tracked

extension ValueObservation {
  /// Observes what a closure fetches.
  ///
  /// The closure may fetch whatever it likes, also depending on what it has fetched before: what it reads is looked at
  /// each time.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking { db in
  ///   try Player.fetchCount(db)
  /// }
  /// ```
  ///
  /// - parameter fetch: Fetches the value. It runs in one read transaction.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(source: LiveSource(.readRegion, fetch), reducer: ValueReducers.Fetch())
  }

  /// Observes what a closure fetches, where it reads the same tables and columns each time.
  ///
  /// What the closure reads is looked at the first time only, which is cheaper.
  ///
  /// ```swift
  /// let observation = ValueObservation.trackingConstantRegion { db in
  ///   try Player.fetchAll(db)
  /// }
  /// ```
  ///
  /// - parameter fetch: Fetches the value. It runs in one read transaction.
  @preconcurrency
  public static func trackingConstantRegion<Value: Sendable>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(source: LiveSource(.initialReadRegion, fetch), reducer: ValueReducers.Fetch())
  }

  /// Observes some regions, and fetches when something changes in them.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking(region: Player.all(), Team.all()) { db in
  ///   try Standings.fetch(db)
  /// }
  /// ```
  ///
  /// - parameter fetch: Fetches the value. It runs in one read transaction. What it reads does not matter.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
    fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: [region] + otherRegions, fetch: fetch)
  }

  /// Observes some regions, and fetches when something changes in them.
  ///
  /// - parameter fetch: Fetches the value. It runs in one read transaction. What it reads does not matter.
  @preconcurrency
  public static func tracking<Value: Sendable>(
    regions: [any DatabaseRegionConvertible],
    fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    Self(source: LiveSource(.regions(regions), fetch), reducer: ValueReducers.Fetch())
  }
}
