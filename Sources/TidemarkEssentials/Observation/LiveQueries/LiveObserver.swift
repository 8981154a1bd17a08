import Synchronization

/// A started observation, as the engine sees it.
class AnyLiveObserver: @unchecked Sendable {
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

  // Protected by the lock of the engine to which the observer is attached.

  /// The index of the observer in its query's list; nil if it is not attached.
  var index: Int? {
    get { storedIndex < 0 ? nil : Int(storedIndex) }
    set { storedIndex = newValue.map { Int32($0) } ?? -1 }
  }

  private var storedIndex: Int32 = -1

  /// Whether it has not received a value yet.
  var isNew = true

  /// The number of the last fetch that had begun when the observer was added: the value of this fetch may be older.
  var arrival = 0

  init(_ events: ObservationEvents, retry: RetryPolicy?) {
    extras = events.isEmpty && retry == nil ? nil : Extras(events, retry)
  }

  /// Whether it needs nothing any more.
  var isEnded: Bool { preconditionFailure("To be overridden") }

  /// Ends the observation because of an error.
  func fail(_ error: any Error) {
    preconditionFailure("To be overridden")
  }
}

/// A started observation of a source with a known type.
class LiveObserver<Fetched: Sendable>: AnyLiveObserver, @unchecked Sendable {
  /// Receives a result. The fetches of an observation are sequential.
  ///
  /// - Returns: Whether there is a value to deliver.
  func receive(_ fetched: Fetched) -> Bool {
    preconditionFailure("To be overridden")
  }
}

/// A started observation, which makes values from results, and passes them on.
final class StartedObservation<Reducer: ValueReducer>: LiveObserver<Reducer.Fetched>, @unchecked Sendable {
  /// The observed source, and its database.
  let core: _DatabaseCore
  let source: LiveSource<Reducer.Fetched>
  let requiresWriteAccess: Bool

  private let sink: any ValueSink<Reducer.Value>

  /// Only the thread that has set the phase to receiving or over accesses the reducer.
  private enum Phase: UInt8, AtomicRepresentable {
    case idle
    case receiving
    case ended
  }

  private let phase = Atomic<Phase>(.idle)

  // Nil when the observation has ended, which releases its captures.
  private var reducer: Reducer?

  init(_ observation: ValueObservation<Reducer>, in core: _DatabaseCore, _ sink: any ValueSink<Reducer.Value>) {
    self.core = core
    source = observation.source
    requiresWriteAccess = observation.requiresWriteAccess
    self.sink = sink
    reducer = observation.reducer
    super.init(observation.events, retry: observation.retry)
  }

  override var isEnded: Bool { phase.load(ordering: .acquiring) == .ended }

  override func receive(_ fetched: Reducer.Fetched) -> Bool {
    guard change(.idle, to: .receiving) else { return true }
    let result = Result { try reducer?._value(fetched) }
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

  override func fail(_ error: any Error) {
    guard isFirstEnd() else { return }
    events.didFail?(error)
    sink.fail(error)
  }

  /// Ends the observation, because it was cancelled. No value is delivered after it has returned.
  func end() {
    let isFirst = isFirstEnd()
    sink.cancel()
    if isFirst { events.didCancel?() }
  }

  private func isFirstEnd() -> Bool {
    let last = phase.exchange(.ended, ordering: .acquiringAndReleasing)
    // A receiving thread releases it after it has received.
    if last == .idle { reducer = nil }
    return last != .ended
  }
}
