extension ValueObservation {
  /// Starts the observation. Its closures are called by a scheduler.
  ///
  /// ```swift
  /// let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue)) { error in
  ///   print(error)
  /// } onChange: { players in
  ///   print(players)
  /// }
  /// ```
  ///
  /// - Parameter reader: The database.
  /// - Parameter scheduler: The scheduler of the closures, which are called one at a time.
  /// - Parameter onError: A closure called once, with the error that ends the observation.
  /// - Parameter onChange: A closure called with each value. A slow closure misses intermediate values, but never the
  ///   last one.
  /// - Returns: A cancellable. The observation ends when it is cancelled or released. After `cancel` has returned, no
  ///   closure runs: it waits for a running closure, unless that closure calls `cancel` or waits for it.
  @preconcurrency
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader._core, isImmediate: scheduler.immediateInitialValue(),
      ScheduledSink(scheduler, onError: onError, onChange: onChange))
  }

  /// Starts the observation. Its closures are called on the main actor.
  ///
  /// ```swift
  /// let cancellable = observation.start(in: dbPool) { error in
  ///   print(error)
  /// } onChange: { players in
  ///   view.show(players)
  /// }
  /// ```
  ///
  /// - Parameter reader: The database.
  /// - Parameter scheduler: `.mainActor` delivers all values asynchronously; `.immediate` delivers the first value
  ///   before this method returns.
  /// - Parameter onError: A closure called once, with the error that ends the observation.
  /// - Parameter onChange: A closure called with each value. A slow closure misses intermediate values, but never the
  ///   last one.
  /// - Returns: A cancellable. The observation ends when it is cancelled or released.
  @preconcurrency
  @MainActor
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void, onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    let scheduler = OnMainActor(scheduler: scheduler)
    return start(
      in: reader._core, isImmediate: scheduler.immediateInitialValue(),
      ScheduledSink(
        scheduler, onError: { error in MainActor.assumeIsolated { onError(error) } },
        onChange: { value in MainActor.assumeIsolated { onChange(value) } }))
  }

  private func start(
    in core: _DatabaseCore, isImmediate: Bool, _ sink: ScheduledSink<Reducer.Value>
  ) -> AnyDatabaseCancellable {
    AnyDatabaseCancellable(
      cancelling: sink.deliveringNow(if: isImmediate) { begin(in: core, isImmediate: isImmediate, sink) })
  }

  /// Starts the observation.
  ///
  /// - Parameter isImmediate: Whether the first value is fetched before this method returns.
  func begin(
    in core: _DatabaseCore, isImmediate: Bool = false, _ sink: any ValueSink<Reducer.Value>
  ) -> any RunningObservation {
    let observation = StartedObservation(self, in: core, sink)
    observation.start(isImmediate: isImmediate)
    return observation
  }
}

/// Adapts a main actor scheduler, and uses its main actor requirement.
struct OnMainActor<Scheduler: ValueObservationMainActorScheduler>: ValueObservationScheduler {
  let scheduler: Scheduler

  func immediateInitialValue() -> Bool { scheduler.immediateInitialValue() }
  func schedule(_ action: @escaping @Sendable () -> Void) { scheduler.scheduleOnMainActor(action) }
}
