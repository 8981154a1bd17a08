/// An asynchronous sequence of the differences between the results of an observation.
///
/// ```swift
/// var players: [Player] = []
/// for try await difference in observation.differences().values(in: dbPool) {
///   players.apply(difference)
/// }
/// ```
///
/// The first difference is between the empty list and the first result, and is produced even if that result is empty.
/// Each later difference is between the last result that the loop has received and the newest one: a slow loop receives
/// a single difference for several commits. Equal consecutive results produce no difference.
///
/// Each iteration starts a separate observation, or subscribes to a shared one.
public struct AsyncKeyedDifferences<Item: Equatable & Sendable>: AsyncSequence, Sendable {
  /// A difference.
  public typealias Element = KeyedDifference<Item>

  /// The iterator.
  public typealias AsyncIterator = Iterator

  fileprivate let results: AsyncValueObservation<TrackedResult<Item>>

  /// Starts the observation, and returns its iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(results: results.makeAsyncIterator()) }

  /// The iterator of the differences.
  public struct Iterator: AsyncIteratorProtocol {
    var results: AsyncValueObservation<TrackedResult<Item>>.Iterator
    let consumer = DifferenceConsumer<Item>()

    /// Returns the next difference, or nil if the task is cancelled.
    ///
    /// - Throws: The error that ends the observation.
    public mutating func next() async throws -> KeyedDifference<Item>? {
      while let result = try await results.next() {
        if let difference = consumer.takeDifference(from: result) { return difference }
      }
      return nil
    }
  }
}

extension DifferenceObservation {
  /// Returns an asynchronous sequence of the differences.
  ///
  /// ```swift
  /// var players: [Player] = []
  /// for try await difference in observation.differences().values(in: dbPool) {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// - Parameter reader: The database.
  /// - Parameter scheduler: The scheduler that notifies the sequence. The loop runs in its own task in any case.
  /// - Returns: An asynchronous sequence, which starts a separate observation for each iteration.
  public func values(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task
  ) -> AsyncKeyedDifferences<Element> {
    let core = reader._core
    return AsyncKeyedDifferences(
      results: AsyncValueObservation(bufferingPolicy: .bufferingNewest(1)) { stream in
        // The consuming task is resumed in any case: another task in between would only add a delay.
        if scheduler is TaskValueObservationScheduler { return begin(in: core, stream) }
        let isImmediate = scheduler.immediateInitialValue()
        let sink = ScheduledSink<TrackedResult<Element>>(
          scheduler, onError: { stream.fail($0) }, onChange: { stream.put($0) })
        return sink.deliveringNow(if: isImmediate) { begin(in: core, isImmediate: isImmediate, sink) }
      })
  }
}

extension SharedDifferenceObservation {
  /// Returns an asynchronous sequence of the differences. Each iteration subscribes to the shared observation.
  ///
  /// ```swift
  /// for try await difference in shared.values() {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// - Returns: An asynchronous sequence of the differences.
  public func values() -> AsyncKeyedDifferences<Element> {
    AsyncKeyedDifferences(results: results.values())
  }
}
