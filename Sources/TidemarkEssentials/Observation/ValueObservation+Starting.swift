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
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader._ground, isImmediate: scheduler.immediateInitialValue(),
      ScheduledSink(
        schedule: { action in scheduler.schedule(action) },
        ScheduledSink.Calls(onError: onError, onChange: onChange)))
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
  @MainActor
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void, onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader._ground, isImmediate: scheduler.immediateInitialValue(),
      ScheduledSink(
        schedule: { action in scheduler.scheduleOnMainActor(action) },
        ScheduledSink.Calls(
          onError: { error in MainActor.assumeIsolated { onError(error) } },
          onChange: { value in MainActor.assumeIsolated { onChange(value) } })))
  }

  private func start(
    in ground: _DatabaseGround, isImmediate: Bool, _ sink: ScheduledSink<Reducer.Value>
  ) -> AnyDatabaseCancellable {
    let observation = running(in: ground, sink)
    if isImmediate {
      sink.deliveringNow { observation.startNow() }
    } else {
      observation.start()
    }
    return AnyDatabaseCancellable { observation.cancel() }
  }

  /// The observation, about to start.
  func running(in ground: _DatabaseGround, _ sink: any ValueSink<Reducer.Value>) -> RunningObservation<Reducer> {
    RunningObservation(
      ground: ground, source: source, key: LiveQueryKey(source, requiresWriteAccess: requiresWriteAccess),
      observer: StartedObservation(self, sink))
  }
}

/// An observation in its database.
struct RunningObservation<Reducer: ValueReducer>: Sendable {
  var ground: _DatabaseGround
  var source: LiveSource<Reducer.Fetched>
  var key: LiveQueryKey
  var observer: StartedObservation<Reducer>

  func start() {
    observer.events.willStart?()
    if ground.writer == nil {
      ground.fetchLater { [source, observer] db in
        observer.take { try LiveFetch(source: source, findsRegion: false, observers: [observer]).run(try db.get()) }
      }
    } else {
      LiveEngine.engine(of: ground).start(observer, key, source, in: ground)
    }
  }

  /// Fetches the first value on this thread.
  func startNow() {
    observer.events.willStart?()
    if ground.writer == nil {
      observer.take {
        try ground.read { try LiveFetch(source: source, findsRegion: false, observers: [observer]).run($0) }
      }
    } else {
      LiveEngine.engine(of: ground).startNow(observer, key, source, in: ground)
    }
  }

  func cancel() {
    if ground.writer != nil { LiveEngine.engine(of: ground).stop(observer, key) }
    observer.cancel()
  }
}

extension AnyLiveObserver {
  /// Takes the one value of a database that never changes.
  fileprivate func take(_ fetch: () throws -> LiveFetch.Outcome) {
    do {
      _ = try fetch().handOver(self)
    } catch {
      fail(error)
    }
  }
}
