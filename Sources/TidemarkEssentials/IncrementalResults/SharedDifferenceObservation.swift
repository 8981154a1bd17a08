public import Dispatch

/// An observation of differences that many subscribers share: the database is observed only once.
///
/// ```swift
/// let shared = Player.order(Column("score").desc).differences().shared(in: dbPool)
///
/// let first = shared.start(onError: { print($0) }, onChange: { print("first", $0.count) })
/// let second = shared.start(onError: { print($0) }, onChange: { print("second", $0.count) })
/// ```
///
/// Each subscriber has its own differences: the first one is between the empty list and the current result, and each
/// later one starts from the result that this subscriber has received.
public final class SharedDifferenceObservation<Element: Equatable & Sendable>: Sendable {
  let results: SharedValueObservation<TrackedResult<Element>>

  fileprivate init(_ results: SharedValueObservation<TrackedResult<Element>>) {
    self.results = results
  }

  /// Subscribes to the observation.
  ///
  /// ```swift
  /// let cancellable = shared.start { error in
  ///   print("observation failed: \(error)")
  /// } onChange: { difference in
  ///   print("\(difference.insertions.count) new players")
  /// }
  /// ```
  ///
  /// - Parameter onError: A closure called once, with the error that ends the observation.
  /// - Parameter onChange: A closure called with each difference.
  /// - Returns: A cancellable. The subscription ends when it is cancelled or released.
  @preconcurrency
  public func start(
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (KeyedDifference<Element>) -> Void
  ) -> AnyDatabaseCancellable {
    results.subscribe(ScheduledSink(results.scheduler, onError: onError, onDifference: onChange))
  }
}

extension DifferenceObservation {
  /// Returns an observation that many subscribers share: the database is observed only once.
  ///
  /// ```swift
  /// let shared = observation.differences().shared(in: dbPool)
  /// for try await difference in shared.values() {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// - Parameter reader: The database.
  /// - Parameter scheduler: The scheduler of the subscribers' closures.
  /// - Parameter extent: The lifetime of the observation.
  /// - Returns: A shared observation, which starts with its first subscriber.
  public func shared(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
    extent: SharedValueObservationExtent = .whileObserved
  ) -> SharedDifferenceObservation<Element> {
    let core = reader._core
    return SharedDifferenceObservation(
      SharedValueObservation(extent: extent, scheduler: scheduler) { isImmediate, sink in
        begin(in: core, isImmediate: isImmediate, sink)
      })
  }
}
