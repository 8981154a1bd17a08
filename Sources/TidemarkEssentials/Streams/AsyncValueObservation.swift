/// The values of an observation, as a sequence that one iterates with `for await`.
///
/// ```swift
/// for try await players in observation.values(in: dbPool) {
///   print(players)
/// }
/// ```
///
/// Each iteration is an observation of its own. It ends with the error that ends the observation, or when the task is
/// cancelled, or when the iterator goes.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
  /// What becomes of values that come faster than they are taken.
  public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

  /// The iterator.
  public typealias AsyncIterator = Iterator

  let bufferingPolicy: BufferingPolicy
  let start: @Sendable (StreamSink<Element>) -> @Sendable () -> Void

  /// Starts the observation.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Element.self, throwing: (any Error).self, bufferingPolicy: bufferingPolicy)
    let cancel = start(StreamSink(continuation))
    let cancellable = AnyDatabaseCancellable(cancel: cancel)
    continuation.onTermination = { _ in cancellable.cancel() }
    return Iterator(iterator: stream.makeAsyncIterator())
  }

  /// Takes one value after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var iterator: AsyncThrowingStream<Element, any Error>.AsyncIterator

    /// The next value: nil when the task was cancelled.
    public mutating func next() async throws -> Element? {
      try await iterator.next()
    }
  }
}

/// Puts values into a stream.
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
  /// The values, as a sequence that one iterates with `for await`.
  ///
  /// ```swift
  /// for try await count in observation.values(in: dbPool) {
  ///   print("\(count) players")
  /// }
  /// ```
  ///
  /// - parameter reader: The database.
  /// - parameter scheduler: Where values are put into the sequence. It is iterated by the task that iterates it.
  /// - parameter bufferingPolicy: What becomes of values that come faster than they are taken. By default the newest
  ///   one is kept, and takes the place of the one before: who is slow misses values, but never the last one, and costs
  ///   no memory.
  public func values(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
    bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncValueObservation<Reducer.Value> {
    let core = reader._core
    // The task that iterates is resumed in any case: a task to resume it would be one hop more.
    if scheduler is TaskValueObservationScheduler { return values(in: core, bufferingPolicy: bufferingPolicy) }
    return AsyncValueObservation(bufferingPolicy: bufferingPolicy) { stream in
      let sink = ScheduledSink<Reducer.Value>(
        keepsAll: true, scheduler, onError: { stream.fail($0) }, onChange: { stream.put($0) })
      let observation = started(in: core, isImmediate: scheduler.immediateInitialValue(), sink)
      return { observation.cancel() }
    }
  }
  /// The values, put into the sequence by who has fetched them.
  func values(
    in core: _DatabaseCore, bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy
  ) -> AsyncValueObservation<Reducer.Value> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { stream in
      let observation = StartedObservation(self, in: core, stream)
      observation.start()
      return { observation.cancel() }
    }
  }
}
