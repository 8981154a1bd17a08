extension DifferenceObservation {
  /// Starts the observation. Its closures are called by a scheduler.
  ///
  /// ```swift
  /// let cancellable = observation.differences().start(in: dbPool, scheduling: .async(onQueue: queue)) { error in
  ///   print(error)
  /// } onChange: { difference in
  ///   print("\(difference.insertions.count) new players")
  /// }
  /// ```
  ///
  /// - Parameter reader: The database.
  /// - Parameter scheduler: The scheduler of the closures, which are called one at a time.
  /// - Parameter onError: A closure called once, with the error that ends the observation.
  /// - Parameter onChange: A closure called with each difference. A slow closure receives one difference for several
  ///   commits.
  /// - Returns: A cancellable. The observation ends when it is cancelled or released. After `cancel` has returned, no
  ///   closure runs: it waits for a running closure, unless that closure calls `cancel` or waits for it.
  @preconcurrency
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (KeyedDifference<Element>) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader._core, isImmediate: scheduler.immediateInitialValue(),
      ScheduledSink(scheduler, onError: onError, onDifference: onChange))
  }

  /// Starts the observation. Its closures are called on the main actor.
  ///
  /// ```swift
  /// let cancellable = observation.differences().start(in: dbPool) { error in
  ///   print(error)
  /// } onChange: { difference in
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// - Parameter reader: The database.
  /// - Parameter scheduler: `.mainActor` delivers all differences asynchronously; `.immediate` delivers the first one
  ///   before this method returns.
  /// - Parameter onError: A closure called once, with the error that ends the observation.
  /// - Parameter onChange: A closure called with each difference. A slow closure receives one difference for several
  ///   commits.
  /// - Returns: A cancellable. The observation ends when it is cancelled or released.
  @preconcurrency
  @MainActor
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (KeyedDifference<Element>) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader._core, isImmediate: scheduler.immediateInitialValue(),
      ScheduledSink(
        OnMainActor(scheduler: scheduler), onError: { error in MainActor.assumeIsolated { onError(error) } },
        onDifference: { difference in MainActor.assumeIsolated { onChange(difference) } }))
  }

  private func start(
    in core: _DatabaseCore, isImmediate: Bool, _ sink: ScheduledSink<TrackedResult<Element>>
  ) -> AnyDatabaseCancellable {
    AnyDatabaseCancellable(
      cancelling: sink.deliveringNow(if: isImmediate) { begin(in: core, isImmediate: isImmediate, sink) })
  }
}

extension ScheduledSink {
  /// Creates a sink that passes the differences of a result to a closure.
  convenience init<Element: Equatable & Sendable>(
    _ scheduler: some ValueObservationScheduler, onError: @escaping @Sendable (any Error) -> Void,
    onDifference: @escaping @Sendable (KeyedDifference<Element>) -> Void
  ) where Value == TrackedResult<Element> {
    let consumer = DifferenceConsumer<Element>()
    self.init(scheduler, onError: onError) { result in
      if let difference = consumer.takeDifference(from: result) { onDifference(difference) }
    }
  }
}
