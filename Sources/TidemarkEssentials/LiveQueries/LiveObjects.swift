/// The objects behind the ids of a `LiveState`. The engine keeps them together with the state, under its lock.
struct LiveObjects: Sendable {
  /// The objects that receive the commits of a database.
  struct Watch: Sendable {
    var subscription: ChangeSubscription?

    /// The detection of external commits.
    var externalCommits: ExternalCommitListener?
  }

  /// While the engine receives commits, it retains its core, which retains the engine: a weak reference would be loaded
  /// with each commit.
  private(set) var core: _DatabaseCore?
  private(set) var watch: Watch?

  // By slot.
  private var sources: [(any LiveSource)?] = []
  private var observers: [(any LiveObserver)?] = []

  /// The fetches that run.
  private var cancellations: [(query: LiveQueryID, cancellation: AccessCancellation)] = []

  /// The running timers: the pauses of queries, and the watchdog. A timer runs until its closure is released.
  private var pauses: [LiveQueryID: @Sendable () -> Void] = [:]
  private var watchdog: (number: Int, end: @Sendable () -> Void)?

  /// The work of an event, with the objects that it concerns. Removed objects are released with it.
  struct Tasks: Sendable {
    var work: LiveWork
    var core: _DatabaseCore?
    var notified: [any LiveObserver] = []
    var removedObservers: [any LiveObserver] = []
    fileprivate var removedSources: [any LiveSource] = []
    fileprivate var removedTimers: [@Sendable () -> Void] = []
    fileprivate var removedWatch: Watch?
    var subscription: ChangeSubscription?
  }

  /// The number of commits that have written, as far as the writer knows.
  var writeCount: UInt64? { watch?.subscription?.writeCount }

  func source(of query: LiveQueryID) -> any LiveSource {
    guard let source = sources[Int(query.slot)] else { preconditionFailure("The query has no source") }
    return source
  }

  func observers(_ ids: [LiveObserverID]) -> [any LiveObserver] {
    ids.isEmpty ? [] : ids.compactMap { observers[Int($0.slot)] }
  }

  mutating func add(
    _ observer: any LiveObserver, _ source: any LiveSource, as ids: (observer: LiveObserverID, query: LiveQueryID),
    in core: _DatabaseCore
  ) {
    retain(core)
    Self.put(observer, at: ids.observer.slot, in: &observers)
    Self.put(source, at: ids.query.slot, in: &sources)
  }

  private static func put<Object>(_ object: Object, at slot: Int32, in objects: inout [Object?]) {
    if Int(slot) == objects.count { objects.appendSparingly(object) } else { objects[Int(slot)] = object }
  }

  mutating func retain(_ core: _DatabaseCore) { self.core = core }
  mutating func begin(_ watch: Watch) { self.watch = watch }

  // MARK: Fetches

  mutating func begin(_ cancellation: AccessCancellation, of query: LiveQueryID) {
    cancellations.append((query, cancellation))
  }

  mutating func endFetch(of query: LiveQueryID) {
    if let index = cancellations.firstIndex(where: { $0.query == query }) { cancellations.remove(at: index) }
  }

  // MARK: Timers

  /// - Returns: A closure to release outside of the lock.
  mutating func keep(_ end: @escaping @Sendable () -> Void, pausing query: LiveQueryID) -> (@Sendable () -> Void)? {
    pauses.updateValue(end, forKey: query)
  }

  /// - Returns: A closure to release outside of the lock.
  mutating func endPause(of query: LiveQueryID) -> (@Sendable () -> Void)? { pauses.removeValue(forKey: query) }

  /// - Returns: A closure to release outside of the lock.
  mutating func keep(_ end: @escaping @Sendable () -> Void, ofWatchdog number: Int) -> (@Sendable () -> Void)? {
    defer { watchdog = (number, end) }
    return watchdog?.end
  }

  /// - Returns: A closure to release outside of the lock.
  mutating func endWatchdog(_ number: Int) -> (@Sendable () -> Void)? {
    guard watchdog?.number == number else { return nil }
    defer { watchdog = nil }
    return watchdog?.end
  }

  // MARK: Work

  /// Returns the work of an event, after removing the objects that the event has removed.
  mutating func tasks(_ work: LiveWork) -> Tasks {
    var tasks = Tasks(work: work, core: core)
    if !work.notified.isEmpty { tasks.notified = observers(work.notified) }
    for id in work.removedObservers {
      if let observer = observers[Int(id.slot)].take() { tasks.removedObservers.append(observer) }
    }
    for id in work.removedQueries {
      if let source = sources[Int(id.slot)].take() { tasks.removedSources.append(source) }
      if let end = pauses.removeValue(forKey: id) { tasks.removedTimers.append(end) }
      for fetch in cancellations where fetch.query == id { fetch.cancellation.cancel() }
    }
    if work.endsWatch {
      tasks.removedWatch = watch.take()
      core = nil
    }
    if work.publishesNeeds != nil { tasks.subscription = watch?.subscription }
    return tasks
  }
}
