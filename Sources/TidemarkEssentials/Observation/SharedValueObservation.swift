public import Dispatch

/// The lifetime of a shared observation.
public enum SharedValueObservationExtent: Sendable {
  /// From the first subscription until the shared observation is released. After an error, it is not restarted.
  case observationLifetime

  /// While there are subscribers. It is restarted for the next subscriber, even after an error.
  case whileObserved
}

/// An observation shared by many subscribers: the database is observed only once.
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
/// The first subscriber starts the observation. Later subscribers first receive the last value, and then the same
/// values as the others.
public final class SharedValueObservation<Element: Sendable>: Sendable {
  typealias Sink = ScheduledSink<Element>

  /// Starts the observation.
  typealias Begin = @Sendable (_ isImmediate: Bool, any ValueSink<Element>) -> any RunningObservation

  fileprivate enum Phase {
    case idle
    case starting
    case running(any RunningObservation)
    case failed(any Error)
  }

  fileprivate struct State {
    var phase = Phase.idle
    var last: Element?
    var subscribers: [Int: Sink] = [:]
    var nextNumber = 0

    /// The number of times the observation was started. Values of earlier observations are ignored.
    var generation = 0

    mutating func join(
      _ sink: Sink, _ number: Int
    ) -> Joining {
      switch phase {
      case .failed(let error):
        return .fails(error)
      case .idle:
        subscribers[number] = sink
        phase = .starting
        return .begins(generation: generation)
      case .starting, .running:
        subscribers[number] = sink
        return .joins(last: last)
      }
    }

    /// - Returns: The old state, to be released outside of the lock.
    mutating func reset() -> State {
      let old = self
      phase = .idle
      last = nil
      generation += 1
      return old
    }

    var running: (any RunningObservation)? { if case .running(let observation) = phase { observation } else { nil } }
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
    state.withLock { $0 }.running?.cancel()
  }

  // MARK: - Subscribing

  /// Subscribes to the observation.
  ///
  /// ```swift
  /// let cancellable = shared.start { error in
  ///   print("observation failed: \(error)")
  /// } onChange: { players in
  ///   print("\(players.count) players")
  /// }
  /// ```
  ///
  /// - Parameter onError: A closure called once, with the error that ends the observation.
  /// - Parameter onChange: A closure called with each value, starting with the last known one.
  /// - Returns: A cancellable. The subscription ends when it is cancelled or released.
  @preconcurrency
  public func start(
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void
  ) -> AnyDatabaseCancellable {
    subscribe(Sink(scheduler, onError: onError, onChange: onChange))
  }

  fileprivate enum Joining {
    case begins(generation: Int)
    case joins(last: Element?)
    case fails(any Error)
  }

  /// Adds a sink that receives values.
  func subscribe(_ sink: Sink) -> AnyDatabaseCancellable {
    let (number, joining) = state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      return (number, state.join(sink, number))
    }
    let isImmediate = scheduler.immediateInitialValue()
    func now(_ body: () -> Void) { sink.deliveringNow(if: isImmediate, body) }
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
    let observation = begin(isImmediate, SharedSink(self, generation))
    let isWanted = state.withLock { state in
      guard state.generation == generation, case .starting = state.phase else { return false }
      state.phase = .running(observation)
      return true
    }
    // All subscribers have left, or the observation has failed.
    if !isWanted { observation.cancel() }
  }

  private func leave(_ number: Int) {
    let (old, _) = state.withLock { state -> (State?, Sink?) in
      let sink = state.subscribers.removeValue(forKey: number)
      guard extent == .whileObserved, state.subscribers.isEmpty else { return (nil, sink) }
      return (state.reset(), sink)
    }
    old?.running?.cancel()
  }

  // MARK: - Values

  fileprivate func put(_ value: Element, _ generation: Int) {
    let (subscribers, _) = state.withLock { state -> ([Sink], Element?) in
      guard state.generation == generation else { return ([], nil) }
      let old = state.last
      state.last = value
      return (Array(state.subscribers.values), old)
    }
    for sink in subscribers { sink.put(value) }
  }

  fileprivate func fail(_ error: any Error, _ generation: Int) {
    let failed = state.withLock { state -> State? in
      guard state.generation == generation else { return nil }
      let old = state.reset()
      state.subscribers = [:]
      if extent == .observationLifetime { state.phase = .failed(error) }
      return old
    }
    guard let failed else { return }
    for sink in failed.subscribers.values { sink.fail(error) }
  }
}

/// Distributes values to the subscribers while the shared observation exists.
private final class SharedSink<Element: Sendable>: ValueSink {
  // A weak reference: the shared observation owns this sink.
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
  /// Returns an observation shared by many subscribers: the database is observed only once.
  ///
  /// ```swift
  /// let shared = observation.shared(in: dbPool)
  /// for try await players in shared.values() {
  ///   print(players)
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
  ) -> SharedValueObservation<Reducer.Value> {
    let core = reader._core
    return SharedValueObservation(extent: extent, scheduler: scheduler) { isImmediate, sink in
      begin(in: core, isImmediate: isImmediate, sink)
    }
  }
}
