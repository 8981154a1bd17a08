public import Dispatch

/// How long a shared observation runs.
public enum SharedValueObservationExtent: Sendable {
  /// From the first start to the end of the shared object. When it fails, it stays failed.
  case observationLifetime

  /// As long as somebody observes. It starts anew for the next one, also when it has failed.
  case whileObserved
}

/// An observation that many can follow: the database is observed once for all of them.
///
/// ```swift
/// let shared = ValueObservation
///   .tracking { db in try Player.fetchAll(db) }
///   .shared(in: dbPool)
///
/// let first = shared.start(onError: { print($0) }, onChange: { print("first", $0) })
/// let second = shared.start(onError: { print($0) }, onChange: { print("second", $0) })
/// ```
///
/// The first one who starts it has it started in the database. Those who come later are given the last value, and go
/// on with the others.
public final class SharedValueObservation<Element: Sendable>: Sendable {
  typealias Sink = ScheduledSink<Element>

  /// Starts the observation. What it answers ends it.
  typealias Begin = @Sendable (_ isImmediate: Bool, any ValueSink<Element>) -> @Sendable () -> Void

  fileprivate enum Phase {
    case idle
    case starting
    case running(end: @Sendable () -> Void)
    case failed(any Error)
  }

  fileprivate struct State {
    var phase = Phase.idle
    var last: Element?
    var followers: [Int: Sink] = [:]
    var nextNumber = 0

    /// Which start of the observation this is: what comes from one that was ended does not count.
    var generation = 0

    mutating func join(
      _ sink: Sink, _ number: Int
    ) -> Joining {
      switch phase {
      case .failed(let error):
        return .fails(error)
      case .idle:
        followers[number] = sink
        phase = .starting
        return .begins(generation: generation)
      case .starting, .running:
        followers[number] = sink
        return .joins(last: last)
      }
    }

    /// - returns: The state of before, to be released outside of the lock.
    mutating func reset() -> State {
      let old = self
      phase = .idle
      last = nil
      generation += 1
      return old
    }

    /// What ends the observation that runs.
    var end: (@Sendable () -> Void)? { if case .running(let end) = phase { end } else { nil } }
  }

  private let extent: SharedValueObservationExtent
  private let begin: Begin
  let scheduler: any ValueObservationScheduler
  private let state = Mutex(State())

  init(
    extent: SharedValueObservationExtent, scheduler: some ValueObservationScheduler, begin: @escaping Begin
  ) {
    self.extent = extent
    self.begin = begin
    self.scheduler = scheduler
  }

  deinit {
    state.withLock { $0 }.end?()
  }

  // MARK: - Following

  /// Follows the observation.
  ///
  /// - parameter onError: Called once, with the error that ends the observation.
  /// - parameter onChange: Called with each value, the last one that is known first.
  /// - returns: What ends it, by being cancelled or by not being kept.
  @preconcurrency
  public func start(
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void
  ) -> AnyDatabaseCancellable {
    follow(Sink(scheduler, onError: onError, onChange: onChange))
  }

  fileprivate enum Joining {
    case begins(generation: Int)
    case joins(last: Element?)
    case fails(any Error)
  }

  /// Hands values on to a sink.
  func follow(_ sink: Sink) -> AnyDatabaseCancellable {
    let (number, joining) = state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      return (number, state.join(sink, number))
    }
    let isImmediate = scheduler.immediateInitialValue()
    func now(_ body: () -> Void) { isImmediate ? sink.deliveringNow(body) : body() }
    switch joining {
    case .begins(let generation): now { start(generation, isImmediate) }
    case .joins(let last): if let last { now { sink.putFirst(last) } }
    case .fails(let error): now { sink.fail(error) }
    }
    return AnyDatabaseCancellable { [self] in
      leave(number)
      sink.cancel()
    }
  }

  private func start(_ generation: Int, _ isImmediate: Bool) {
    let end = begin(isImmediate, SharedSink(self, generation))
    let isWanted = state.withLock { state in
      guard state.generation == generation, case .starting = state.phase else { return false }
      state.phase = .running(end: end)
      return true
    }
    // All have left meanwhile, or it has failed.
    if !isWanted { end() }
  }

  private func leave(_ number: Int) {
    let (old, _) = state.withLock { state -> (State?, Sink?) in
      let sink = state.followers.removeValue(forKey: number)
      guard extent == .whileObserved, state.followers.isEmpty else { return (nil, sink) }
      return (state.reset(), sink)
    }
    old?.end?()
  }

  // MARK: - Values

  fileprivate func put(_ value: Element, _ generation: Int) {
    let (followers, _) = state.withLock { state -> ([Sink], Element?) in
      guard state.generation == generation else { return ([], nil) }
      let old = state.last
      state.last = value
      return (Array(state.followers.values), old)
    }
    for sink in followers { sink.put(value) }
  }

  fileprivate func fail(_ error: any Error, _ generation: Int) {
    let failed = state.withLock { state -> State? in
      guard state.generation == generation else { return nil }
      let old = state.reset()
      state.followers = [:]
      if extent == .observationLifetime { state.phase = .failed(error) }
      return old
    }
    guard let failed else { return }
    for sink in failed.followers.values { sink.fail(error) }
  }
}

/// Hands values on to those who follow, as long as there is a shared observation.
private final class SharedSink<Element: Sendable>: ValueSink {
  // It owns the observation that owns this sink.
  private let shared: @Sendable () -> SharedValueObservation<Element>?
  private let generation: Int

  init(_ shared: SharedValueObservation<Element>, _ generation: Int) {
    self.shared = { [weak shared] in shared }
    self.generation = generation
  }

  func put(_ value: Element) { shared()?.put(value, generation) }

  func fail(_ error: any Error) { shared()?.fail(error, generation) }

  func cancel() {}
}

extension ValueObservation {
  /// An observation that many can follow: the database is observed once for all of them.
  ///
  /// ```swift
  /// let shared = observation.shared(in: dbPool)
  /// for try await players in shared.values() {
  ///   print(players)
  /// }
  /// ```
  ///
  /// - parameter reader: The database.
  /// - parameter scheduler: Where the closures of those who follow run.
  /// - parameter extent: How long the observation runs.
  public func shared(
    in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
    extent: SharedValueObservationExtent = .whileObserved
  ) -> SharedValueObservation<Reducer.Value> {
    let core = reader._core
    return SharedValueObservation(extent: extent, scheduler: scheduler) { isImmediate, sink in
      let observation = StartedObservation(self, in: core, sink)
      if isImmediate {
        observation.startNow()
      } else {
        observation.start()
      }
      return { observation.cancel() }
    }
  }
}
