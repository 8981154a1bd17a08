import Synchronization

/// An observation that was started: what the engine knows of it.
class AnyLiveObserver: @unchecked Sendable {
  /// What few observations have.
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

  // Guarded by the lock of the engine that the observer is attached to.

  /// Where the observer stands among those of its query; nil when it does not.
  var place: Int? {
    get { storedPlace < 0 ? nil : Int(storedPlace) }
    set { storedPlace = newValue.map { Int32($0) } ?? -1 }
  }

  private var storedPlace: Int32 = -1

  /// Whether it has not been given a value yet.
  var isNew = true

  /// The number of the last fetch that had begun when the observer came: what that one fetches may be older.
  var arrival = 0

  init(_ events: ObservationEvents, retry: RetryPolicy?) {
    extras = events.isEmpty && retry == nil ? nil : Extras(events, retry)
  }

  /// Whether it wants nothing any more.
  var isOver: Bool { preconditionFailure("To be overridden") }

  /// It is over, because of an error.
  func fail(_ error: any Error) {
    preconditionFailure("To be overridden")
  }
}

/// An observation that was started, of a source of some type.
class LiveObserver<Fetched: Sendable>: AnyLiveObserver, @unchecked Sendable {
  /// Takes what was fetched. Fetches of one observation come one after the other.
  ///
  /// - returns: Whether there is a value to deliver.
  func receive(_ fetched: Fetched) -> Bool {
    preconditionFailure("To be overridden")
  }
}

/// An observation that was started: it makes values of what is fetched, and hands them on.
final class StartedObservation<Reducer: ValueReducer>: LiveObserver<Reducer.Fetched>, @unchecked Sendable {
  /// What is observed, and where.
  let ground: _DatabaseGround
  let source: LiveSource<Reducer.Fetched>
  let requiresWriteAccess: Bool

  private let sink: any ValueSink<Reducer.Value>

  /// Nobody touches the reducer but who has made the observer receiving, or over.
  private enum Phase: UInt8, AtomicRepresentable {
    case resting
    case receiving
    case over
  }

  private let phase = Atomic<Phase>(.resting)

  // Nil when all is over: what it holds is let go.
  private var reducer: Reducer?

  init(_ observation: ValueObservation<Reducer>, in ground: _DatabaseGround, _ sink: any ValueSink<Reducer.Value>) {
    self.ground = ground
    source = observation.source
    requiresWriteAccess = observation.requiresWriteAccess
    self.sink = sink
    reducer = observation.reducer
    super.init(observation.events, retry: observation.retry)
  }

  override var isOver: Bool { phase.load(ordering: .acquiring) == .over }

  override func receive(_ fetched: Reducer.Fetched) -> Bool {
    guard change(.resting, to: .receiving) else { return true }
    let result = Result { try reducer?._value(fetched) }
    if !change(.receiving, to: .resting) {
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

  override func fail(_ error: any Error) {
    guard isFirstEnd() else { return }
    events.didFail?(error)
    sink.fail(error)
  }

  /// It is over, because nobody wants it any more. Nothing is delivered once it has returned.
  func end() {
    let isFirst = isFirstEnd()
    sink.cancel()
    if isFirst { events.didCancel?() }
  }

  private func isFirstEnd() -> Bool {
    let last = phase.exchange(.over, ordering: .acquiringAndReleasing)
    // One that receives lets it go when it has received.
    if last == .resting { reducer = nil }
    return last != .over
  }
}
