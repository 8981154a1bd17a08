/// An asynchronous sequence of the values of an observation.
///
/// ```swift
/// for try await players in observation.values(in: dbPool) {
///   print(players)
/// }
/// ```
///
/// Each iteration starts a separate observation. The iteration ends when the observation fails, when the task is
/// cancelled, or when the iterator is released.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
  /// The policy for values that are produced faster than they are consumed.
  public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

  /// The iterator.
  public typealias AsyncIterator = Iterator

  let bufferingPolicy: BufferingPolicy
  let start: @Sendable (StreamSink<Element>) -> any RunningObservation

  /// Starts the observation, and returns its iterator.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Element.self, throwing: (any Error).self, bufferingPolicy: bufferingPolicy)
    let cancellable = AnyDatabaseCancellable(cancelling: start(StreamSink(continuation)))
    continuation.onTermination = { _ in cancellable.cancel() }
    return Iterator(iterator: stream.makeAsyncIterator())
  }

  /// The iterator of the values.
  public struct Iterator: AsyncIteratorProtocol {
    var iterator: AsyncThrowingStream<Element, any Error>.AsyncIterator

    /// Returns the next value, or nil if the task is cancelled.
    ///
    /// - Throws: The error that ends the observation.
    public mutating func next() async throws -> Element? {
      try await iterator.next()
    }
  }
}

/// Adds values to a stream.
final class StreamSink<Value: Sendable>: ValueSink {
  private let continuation: AsyncThrowingStream<Value, any Error>.Continuation

  init(_ continuation: AsyncThrowingStream<Value, any Error>.Continuation) {
    self.continuation = continuation
  }

  func put(_ value: Value) { continuation.yield(value) }

  func fail(_ error: any Error) { continuation.finish(throwing: error) }

  func cancel() { continuation.finish() }
}

extension ValueObservation {
  /// Returns an asynchronous sequence of the values.
  ///
  /// ```swift
  /// for try await count in observation.values(in: dbPool) {
  ///   print("\(count) players")
  /// }
  /// ```
  ///
  /// - Parameter reader: The database.
  /// - Parameter scheduler: The scheduler that adds values to the sequence. The loop runs in its own task in any case.
  /// - Parameter bufferingPolicy: The policy for values that are produced faster than they are consumed. By default,
  ///   only the newest value is kept: a slow loop misses intermediate values, but never the last one.
  /// - Returns: An asynchronous sequence, which starts a separate observation for each iteration.
  public func values(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
    bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncValueObservation<Reducer.Value> {
    let core = reader._core
    // The consuming task is resumed in any case: another task in between would only add a delay.
    if scheduler is TaskValueObservationScheduler { return values(in: core, bufferingPolicy: bufferingPolicy) }
    return AsyncValueObservation(bufferingPolicy: bufferingPolicy) { stream in
      let sink = ScheduledSink<Reducer.Value>(
        keepsAll: true, scheduler, onError: { stream.fail($0) }, onChange: { stream.put($0) })
      let isImmediate = scheduler.immediateInitialValue()
      return sink.deliveringNow(if: isImmediate) { begin(in: core, isImmediate: isImmediate, sink) }
    }
  }

  /// Returns a sequence to which the fetching thread adds values.
  func values(
    in core: _DatabaseCore, bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy
  ) -> AsyncValueObservation<Reducer.Value> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { stream in
      begin(in: core, stream)
    }
  }
}
