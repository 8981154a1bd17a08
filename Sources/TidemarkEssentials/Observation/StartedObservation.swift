import Synchronization

/// A started observation, which makes values from results, and passes them on.
final class StartedObservation<Reducer: ValueReducer>: LiveObserver, RunningObservation {
  /// Properties that few observations need.
  private final class Extras: Sendable {
    let events: ObservationEvents
    let retry: RetryPolicy?

    init(_ events: ObservationEvents, _ retry: RetryPolicy?) {
      self.events = events
      self.retry = retry
    }
  }

  private let extras: Extras?

  var events: ObservationEvents { extras?.events ?? ObservationEvents() }
  var retry: RetryPolicy? { extras?.retry }

  /// The observed source, and its database.
  private let core: _DatabaseCore
  private let source: ValueSource<Reducer.Fetched>
  private let sink: any ValueSink<Reducer.Value>

  // Written by `start` only, before the caller has the observation.
  nonisolated(unsafe) private var id: LiveObserverID?

  private let requiresWriteAccess: Bool

  private enum Phase: UInt8, AtomicRepresentable {
    case idle
    case receiving
    case ended
  }

  private let phase = Atomic<Phase>(.idle)

  // Only the thread that has set the phase to receiving or ended accesses the reducer. (Its closures are called, so a
  // lock cannot protect it.) It is nil when the observation has ended, which releases its captures.
  nonisolated(unsafe) private var reducer: Reducer?

  init(_ observation: ValueObservation<Reducer>, in core: _DatabaseCore, _ sink: any ValueSink<Reducer.Value>) {
    self.core = core
    source = observation.source
    requiresWriteAccess = observation.requiresWriteAccess
    self.sink = sink
    reducer = observation.reducer
    let (events, retry) = (observation.events, observation.retry)
    extras = events.isEmpty && retry == nil ? nil : Extras(events, retry)
  }

  // MARK: Start and end

  /// Starts the observation.
  ///
  /// - Parameter isImmediate: Whether the first value is fetched now, on this thread.
  func start(isImmediate: Bool) {
    events.willStart?()
    if core.isInherited {
      fail(Database.inheritedError)
    } else if core.writer == nil {
      if isImmediate {
        takeOneValue { try core.read { db, _ in try fetch(db) } }
      } else {
        core.fetchLater { [self] db in takeOneValue { try fetch(try db.get()) } }
      }
    } else {
      let engine = LiveEngine.engine(of: core)
      id =
        isImmediate
        ? engine.startNow(self, source, requiresWriteAccess: requiresWriteAccess, in: core)
        : engine.start(self, source, requiresWriteAccess: requiresWriteAccess, in: core)
    }
  }

  /// Ends the observation. No delivery starts or is running after this method has returned.
  func cancel() {
    // After `fork`, the child process does not have the delivering threads, which may have held a lock.
    if core.isInherited { return }
    if let id { LiveEngine.engine(of: core).stop(id) }
    let isFirst = isFirstEnd()
    sink.cancel()
    if isFirst { events.didCancel?() }
  }

  private func fetch(_ db: Database) throws -> LiveFetch.Outcome {
    try LiveFetch(source: source, findsRegion: false, observers: [self]).run(db)
  }

  /// Delivers the only value of a database that never changes.
  private func takeOneValue(_ fetch: () throws -> LiveFetch.Outcome) {
    do {
      _ = receive(try fetch().value)
    } catch {
      fail(error)
    }
  }

  // MARK: Values

  var isEnded: Bool { phase.load(ordering: .acquiring) == .ended }

  func receive(_ fetched: any FetchedValue) -> Bool {
    guard change(.idle, to: .receiving) else { return true }
    let result = Result { try reducer?._value(Fetched.value(in: fetched)) }
    if !change(.receiving, to: .idle) {
      reducer = nil
      return true
    }
    switch result {
    case .success(let value?): sink.put(value)
    case .success(nil): return false
    case .failure(let error): fail(error)
    }
    return true
  }

  private func change(_ old: Phase, to new: Phase) -> Bool {
    phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
  }

  func fail(_ error: any Error) {
    guard isFirstEnd() else { return }
    events.didFail?(error)
    sink.fail(error)
  }

  private func isFirstEnd() -> Bool {
    let last = phase.exchange(.ended, ordering: .acquiringAndReleasing)
    // A receiving thread releases it after it has received.
    if last == .idle { reducer = nil }
    return last != .ended
  }
}
