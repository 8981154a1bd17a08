/// An observation of the differences between consecutive results: the elements that are inserted, removed, moved and
/// updated.
///
/// Create it from an observation of arrays, or from a request:
///
/// ```swift
/// let byValue = ValueObservation.tracking { db in try Player.fetchAll(db) }.differences()
/// let byRow = Player.order(Column("score").desc).differences()
/// ```
///
/// It is started like a `ValueObservation`: as an asynchronous sequence, with closures and a scheduler, or shared by
/// many subscribers.
///
/// ```swift
/// var players: [Player] = []
/// for try await difference in byRow.values(in: dbPool) {
///   players.apply(difference)
/// }
/// ```
///
/// Guarantees:
///
/// - The first difference is between the empty list and the first result. It is delivered even if that result is empty.
/// - Each later difference is between the last result that the consumer has received and the newest one. A slow
///   consumer receives a single difference for several commits, and misses no change.
/// - Each result is the state after a commit. Equal consecutive results produce no difference.
public struct DifferenceObservation<Element: Equatable & Sendable>: Sendable {
  /// Receives the result whenever it may have changed.
  typealias Sink = any ValueSink<TrackedResult<Element>>

  /// How a fetch is tried again after a transient error; nil if it is not.
  private var retry: RetryPolicy?

  /// Starts an observation.
  private let begin: @Sendable (RetryPolicy?, _DatabaseCore, _ isImmediate: Bool, Sink) -> any RunningObservation

  /// - Parameter observation: Creates an observation with a new result.
  private init<Reducer: ValueReducer<TrackedResult<Element>>>(
    retry: RetryPolicy?, _ observation: @escaping @Sendable () -> ValueObservation<Reducer>
  ) {
    self.retry = retry
    begin = { retry, core, isImmediate, sink in
      var observation = observation()
      observation.retry = retry
      return observation.begin(in: core, isImmediate: isImmediate, sink)
    }
  }

  /// Creates an observation that fetches whole results, and compares them.
  @usableFromInline
  init<Base: ValueReducer<[Element]>>(
    comparing base: ValueObservation<Base>, _ comparison: TrackedResult<Element>.Comparison
  ) {
    self.init(retry: base.retry) {
      base.reducing(ValueReducers.ReplaceResult(base: base.reducer, result: TrackedResult(comparison)))
    }
  }

  /// Creates an observation that fetches the changed rows of a request, if possible, and otherwise the whole result.
  @usableFromInline
  init(
    _ request: any FetchRequest, _ comparison: TrackedResult<Element>.Comparison,
    fetch: @escaping @Sendable (PreparedRequest, inout OrderedRowReader?) throws -> [Element]
  ) {
    self.init(request, comparison, cost: RowFetchCost(), fetch: fetch)
  }

  init(
    _ request: any FetchRequest, _ comparison: TrackedResult<Element>.Comparison, cost: RowFetchCost,
    fetch: @escaping @Sendable (PreparedRequest, inout OrderedRowReader?) throws -> [Element]
  ) {
    self.init(retry: nil) {
      let result = TrackedResult(comparison)
      let fetcher = IncrementalFetcher(request, result, cost: cost, fetch)
      return ValueObservation(
        source: ValueSource(incrementallyTracking: PlanRegion(request: request)) { try fetcher.fetch($0, $1) },
        reducer: ValueReducers.UpdateResult(result: result))
    }
  }

  /// Starts the observation.
  func begin(in core: _DatabaseCore, isImmediate: Bool = false, _ sink: Sink) -> any RunningObservation {
    begin(retry, core, isImmediate, sink)
  }

  /// Returns an observation that continues when a fetch fails with a transient error: another connection holds a lock,
  /// or the disk is full. It fetches again after a pause, which doubles each time.
  ///
  /// ```swift
  /// let differences = Player.all().differences().retryingTransientErrors()
  /// ```
  ///
  /// Errors of other kinds end the observation. See ``DatabaseError/isTransient``.
  ///
  /// - Parameter firstPause: The pause before the first retry. It must be positive.
  /// - Parameter pauseMax: The longest pause.
  /// - Returns: An observation that retries.
  public func retryingTransientErrors(
    after firstPause: Duration = .milliseconds(20), atMost pauseMax: Duration = .seconds(5)
  ) -> Self {
    var observation = self
    observation.retry = RetryPolicy(after: firstPause, atMost: pauseMax)
    return observation
  }
}

// MARK: - Reducers

extension ValueReducers {
  /// Stores each value of another reducer in a result, and delivers this result.
  fileprivate struct ReplaceResult<Base: ValueReducer<[Element]>, Element: Equatable & Sendable>: ValueReducer {
    var base: Base
    let result: TrackedResult<Element>

    mutating func _value(_ fetched: Base.Fetched) throws -> TrackedResult<Element>? {
      guard let value = try base._value(fetched) else { return nil }
      result.replace(value)
      return result
    }
  }

  /// Delivers a result when a fetch has changed it.
  fileprivate struct UpdateResult<Element: Equatable & Sendable>: ValueReducer {
    let result: TrackedResult<Element>

    mutating func _value(_ hasChanges: Bool) -> TrackedResult<Element>? { hasChanges ? result : nil }
  }
}

// MARK: - Creating

extension ValueObservation {
  /// Returns an observation of the differences between the values. A closure identifies their elements.
  ///
  /// ```swift
  /// let names = ValueObservation.tracking { db in
  ///   try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
  /// }
  /// for try await difference in names.differences(by: { $0 }).values(in: dbPool) {
  ///   print("inserted:", difference.insertions.map(\.element))
  /// }
  /// ```
  ///
  /// Each value is fetched as a whole, and compared. If the value is the result of a request, use the method of the
  /// request instead: ``FetchRequest/differences(by:)`` can fetch the changed rows only.
  ///
  /// - Parameter id: Returns the identity of an element.
  /// - Returns: An observation of differences.
  @inlinable
  public func differences<Element: Equatable & Sendable, ID: Hashable & Sendable>(
    by id: @escaping @Sendable (Element) -> ID
  ) -> DifferenceObservation<Element> where Reducer.Value == [Element] {
    DifferenceObservation(
      comparing: self,
      TrackedResult<Element>.Comparison(
        id: { AnyHashable(id($0)) }, difference: { $1.keyedDifference(from: $0, by: id) }))
  }

  /// Returns an observation of the differences between the values, whose elements are identifiable.
  ///
  /// ```swift
  /// for try await difference in observation.differences().values(in: dbPool) {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// - Returns: An observation of differences.
  @inlinable
  public func differences<Element: Equatable & Identifiable & Sendable>() -> DifferenceObservation<Element>
  where Reducer.Value == [Element], Element.ID: Sendable {
    differences { $0.id }
  }
}

extension FetchRequest where RowDecoder: FetchableRecord & Equatable & Sendable {
  /// Returns an observation of the changes of the result. A closure identifies its elements.
  ///
  /// ```swift
  /// let ranking = Player.order(Column("score").desc)
  /// let cancellable = ranking.differences(by: { $0.id }).start(in: dbPool) { error in
  ///   print(error)
  /// } onChange: { difference in
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// For some requests, only the rows changed by a commit are fetched, even if the result is large. These requests read
  /// a single table without functions, `LIMIT`, aggregates or subqueries, and are ordered by columns. All other results
  /// are fetched completely and compared, like the values of an observation. So are short results, and long ones of
  /// which many rows have changed, because this is faster. In both cases the order is the order of
  /// `fetchAll`, also among rows with equal sort keys.
  ///
  /// - Parameter id: Returns the identity of an element.
  /// - Returns: An observation of differences.
  @inlinable
  public func differences<ID: Hashable & Sendable>(
    by id: @escaping @Sendable (RowDecoder) -> ID
  ) -> DifferenceObservation<RowDecoder> {
    DifferenceObservation(
      self,
      TrackedResult<RowDecoder>.Comparison(
        id: { AnyHashable(id($0)) }, difference: { $1.keyedDifference(from: $0, by: id) }),
      fetch: { try $0.array(WholeRowDecoding<RowDecoder>.self, &$1) })
  }
}

extension FetchRequest where RowDecoder: FetchableRecord & Equatable & Identifiable & Sendable {
  /// Returns an observation of the changes of the result, whose elements are identifiable.
  ///
  /// ```swift
  /// for try await difference in Player.order(Column("score").desc).differences().values(in: dbPool) {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// See ``differences(by:)`` for the requests of which only the changed rows are fetched.
  ///
  /// - Returns: An observation of differences.
  @inlinable
  public func differences() -> DifferenceObservation<RowDecoder> where RowDecoder.ID: Sendable {
    differences { $0.id }
  }
}
