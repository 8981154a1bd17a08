/// An observation that was started: what the engine knows of it.
class AnyLiveObserver: @unchecked Sendable {
  let events: ObservationEvents
  let retry: RetryPolicy?

  // Guarded by the lock of the engine that the observer is attached to.

  /// Where the observer stands among those of its query; nil when it does not.
  var place: Int?

  /// The number of the last fetch that had begun when the observer came: what that one fetches may be older.
  var arrival = 0

  /// Whether it has not been given a value yet.
  var isNew = true

  init(_ events: ObservationEvents, retry: RetryPolicy?) {
    self.events = events
    self.retry = retry
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
  private let sink: any ValueSink<Reducer.Value>

  // Out while it is used: the program's closures are not called under a lock. Nil when all is over.
  private let reducer: Mutex<Reducer?>

  init(_ observation: ValueObservation<Reducer>, _ sink: any ValueSink<Reducer.Value>) {
    self.sink = sink
    reducer = Mutex(observation.reducer)
    super.init(observation.events, retry: observation.retry)
  }

  override var isOver: Bool { reducer.withLock { $0 == nil } }

  override func receive(_ fetched: Reducer.Fetched) -> Bool {
    guard var reducer = reducer.withLock({ $0 }) else { return true }
    do {
      let value = try reducer._value(fetched)
      let isOver = self.reducer.withLock { current in
        if current != nil { current = reducer }
        return current == nil
      }
      guard let value else { return false }
      if !isOver { sink.put(value) }
    } catch {
      fail(error)
    }
    return true
  }

  override func fail(_ error: any Error) {
    guard end() else { return }
    events.didFail?(error)
    sink.fail(error)
  }

  /// Nothing is delivered any more once it has returned.
  func cancel() {
    let isFirst = end()
    sink.cancel()
    if isFirst { events.didCancel?() }
  }

  private func end() -> Bool {
    let last = reducer.withLock { reducer in
      defer { reducer = nil }
      return reducer
    }
    return last != nil
  }
}
