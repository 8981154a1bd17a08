/// The components of a database that are notified of its external commits.
///
/// They share a subscription while there are any: a check finds each external commit once.
///
/// Invariants:
/// 1. A subscription begins under the lock, so that there is one. It ends outside of the lock; another one may have
///    begun by then.
/// 2. Listeners are called outside of the lock.
final class ExternalCommitListeners: Sendable {
  typealias Notify = @Sendable (ExternalCommitMonitor.Event) -> Void

  private struct State {
    var subscription: ExternalCommitSubscription?
    var listeners: [(id: Int, notify: Notify)] = []
    var lastID = 0
  }

  private let state = Mutex(State(), rank: .externalCommitListeners)

  /// Adds a listener.
  ///
  /// - Parameter reader: Reads the changes of external commits, if they are stored.
  /// - Parameter subscribe: Creates the subscription.
  func add(
    _ notify: @escaping Notify, reader: (any StoredChangesReader)? = nil,
    _ subscribe: (@escaping Notify) -> ExternalCommitSubscription
  ) -> ExternalCommitListener {
    let (subscription, id) = state.withLock { state in
      state.lastID += 1
      state.listeners.append((state.lastID, notify))
      let subscription = state.subscription ?? subscribe { [weak self] event in self?.notify(event) }
      state.subscription = subscription
      return (subscription, state.lastID)
    }
    return ExternalCommitListener(self, subscription, reader, id: id)
  }

  /// Whether there is any.
  var exist: Bool { state.withLock { !$0.listeners.isEmpty } }

  private func notify(_ event: ExternalCommitMonitor.Event) {
    for listener in state.withLock(\.listeners) { listener.notify(event) }
  }

  fileprivate func remove(_ id: Int) {
    // Released outside of the lock.
    let (listener, subscription) = state.withLock { state in
      let listener = state.listeners.firstIndex { $0.id == id }.map { state.listeners.remove(at: $0) }
      return (listener, state.listeners.isEmpty ? state.subscription.take() : nil)
    }
    withExtendedLifetime(listener) { subscription?.stop() }
  }
}

/// Notifies a component of external commits, until it is released.
final class ExternalCommitListener: Sendable {
  private let listeners: ExternalCommitListeners
  private let subscription: ExternalCommitSubscription
  private let id: Int

  /// Reads the changes of external commits; nil if they are not stored.
  let reader: (any StoredChangesReader)?

  fileprivate init(
    _ listeners: ExternalCommitListeners, _ subscription: ExternalCommitSubscription,
    _ reader: (any StoredChangesReader)?, id: Int
  ) {
    (self.listeners, self.subscription, self.reader, self.id) = (listeners, subscription, reader, id)
  }

  deinit { stop() }

  /// Ends the notifications. Has no effect if they have ended.
  func stop() { listeners.remove(id) }

  /// See `ExternalCommitSubscription`.
  var canReportCommits: Bool { subscription.canReportCommits }
  func begin(with db: Database) {
    // First, while the transaction has no snapshot.
    subscription.begin(with: db) { [reader] in reader?.forget() }
    if let reader, !reader.begin(with: db) {
      reader.forget()
      subscription.requestNotification()
    }
  }
  func pause() { subscription.pause() }
  func resume() { subscription.resume() }
}
