extension ValueObservation {
  /// Starts to observe, with closures that run where a scheduler says.
  ///
  /// ```swift
  /// let cancellable = observation.start(in: dbPool, scheduling: .async(onQueue: queue)) { error in
  ///   print(error)
  /// } onChange: { players in
  ///   print(players)
  /// }
  /// ```
  ///
  /// - parameter reader: The database.
  /// - parameter scheduler: Where the closures run, one at a time.
  /// - parameter onError: Called once, with the error that ends the observation.
  /// - parameter onChange: Called with each value. One that is slow misses values, but never the last one.
  /// - returns: What ends the observation, by being cancelled or by not being kept. Once `cancel` has returned, no
  ///   closure runs any more: it waits for the one that runs, unless that is the one that cancels, or waits for it.
  @preconcurrency
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader._core, isImmediate: scheduler.immediateInitialValue(),
      ScheduledSink(scheduler, onError: onError, onChange: onChange))
  }

  /// Starts to observe, with closures that run on the main actor.
  ///
  /// ```swift
  /// let cancellable = observation.start(in: dbPool) { error in
  ///   print(error)
  /// } onChange: { players in
  ///   view.show(players)
  /// }
  /// ```
  ///
  /// - parameter reader: The database.
  /// - parameter scheduler: Whether the first value is delivered later, as the others (`.mainActor`), or before this
  ///   method returns (`.immediate`).
  /// - parameter onError: Called once, with the error that ends the observation.
  /// - parameter onChange: Called with each value. One that is slow misses values, but never the last one.
  /// - returns: What ends the observation, by being cancelled or by not being kept.
  @preconcurrency
  @MainActor
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void, onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader._core, isImmediate: scheduler.immediateInitialValue(),
      ScheduledSink(
        OnMainActor(scheduler: scheduler), onError: { error in MainActor.assumeIsolated { onError(error) } },
        onChange: { value in MainActor.assumeIsolated { onChange(value) } }))
  }

  private func start(
    in core: _DatabaseCore, isImmediate: Bool, _ sink: ScheduledSink<Reducer.Value>
  ) -> AnyDatabaseCancellable {
    let observation = started(in: core, isImmediate: isImmediate, sink)
    return AnyDatabaseCancellable { observation.cancel() }
  }

  /// The observation, which has started, and has delivered its first value where that is to be immediate.
  func started(
    in core: _DatabaseCore, isImmediate: Bool, _ sink: ScheduledSink<Reducer.Value>
  ) -> StartedObservation<Reducer> {
    let observation = StartedObservation(self, in: core, sink)
    if isImmediate {
      sink.deliveringNow { observation.startNow() }
    } else {
      observation.start()
    }
    return observation
  }
}

/// A scheduler of the main actor, by the requirement that says so.
private struct OnMainActor<Scheduler: ValueObservationMainActorScheduler>: ValueObservationScheduler {
  let scheduler: Scheduler

  func immediateInitialValue() -> Bool { scheduler.immediateInitialValue() }
  func schedule(_ action: @escaping @Sendable () -> Void) { scheduler.scheduleOnMainActor(action) }
}

extension StartedObservation {
  private var key: LiveQueryKey { LiveQueryKey(source, requiresWriteAccess: requiresWriteAccess) }

  func start() {
    events.willStart?()
    if core.isInherited { return fail(Database.inheritedError) }
    if core.writer == nil {
      core.fetchLater { [self] db in takeOneValue { try fetch(try db.get()) } }
    } else {
      LiveEngine.engine(of: core).start(self, key, source, in: core)
    }
  }

  /// Fetches the first value on this thread.
  func startNow() {
    events.willStart?()
    if core.isInherited { return fail(Database.inheritedError) }
    if core.writer == nil {
      takeOneValue { try core.read { db, _ in try fetch(db) } }
    } else {
      LiveEngine.engine(of: core).startNow(self, key, source, in: core)
    }
  }

  /// Nothing is delivered any more once it has returned.
  func cancel() {
    // Who delivers is not there in a child made by fork(), and may have left a lock behind.
    if core.isInherited { return }
    if core.writer != nil { LiveEngine.engine(of: core).stop(self, key) }
    end()
  }

  private func fetch(_ db: Database) throws -> LiveFetch.Outcome {
    try LiveFetch(source: source, findsRegion: false, observers: [self]).run(db)
  }

  /// Takes the one value of a database that never changes.
  private func takeOneValue(_ fetch: () throws -> LiveFetch.Outcome) {
    do {
      _ = try fetch().handOver(self)
    } catch {
      fail(error)
    }
  }
}
