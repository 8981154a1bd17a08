/// Tells of each commit that may have changed what is in some regions, on the connection that writes.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: Player.all(), Team.all())
/// let cancellable = observation.start(in: dbPool) { error in
///   print(error)
/// } onChange: { db in
///   print("players or teams have changed")
/// }
/// ```
///
/// The closure runs after the commit, outside of any transaction, before anybody else writes: it sees exactly what the
/// commit has left. Writers wait for it. Whoever only wants new values is better served by `ValueObservation`.
public struct DatabaseRegionObservation: Sendable {
  private let regions: [any DatabaseRegionConvertible]

  /// An observation of some regions.
  public init(tracking regions: any DatabaseRegionConvertible...) {
    self.init(tracking: regions)
  }

  /// An observation of some regions.
  public init(tracking regions: [any DatabaseRegionConvertible]) {
    self.regions = regions
  }

  /// Starts to observe, once the connection that writes is free: the commits that follow the return of this method are
  /// told.
  ///
  /// - parameter writer: The database.
  /// - parameter onError: Called at once when there is no such region.
  /// - parameter onChange: Called after each commit that may have changed the regions, on the connection that writes.
  /// - returns: What ends the observation, by being cancelled or by not being kept.
  @preconcurrency
  public func start(
    in writer: any DatabaseWriter, onError: @escaping (any Error) -> Void,
    onChange: @escaping @Sendable (Database) -> Void
  ) -> AnyDatabaseCancellable {
    do {
      let observer = try writer.unsafeReentrantWrite { db in
        let observer = RegionObserver(try regions.union(db), writer.changeBroker, onChange)
        db.add(transactionObserver: observer, extent: .observerLifetime)
        return observer
      }
      // What is returned keeps the observer, and nobody else does.
      return AnyDatabaseCancellable { observer.cancel() }
    } catch {
      onError(error)
      return AnyDatabaseCancellable {}
    }
  }
}

/// Is told of commits by the broker, and of the moment to speak by the connection.
private final class RegionObserver: TransactionObserver, Sendable {
  private struct State {
    var onChange: (@Sendable (Database) -> Void)?
    var subscription: ChangeSubscription?
    var hasChanged = false
  }

  private let state: Mutex<State>

  init(_ region: DatabaseRegion, _ broker: ChangeBroker, _ onChange: @escaping @Sendable (Database) -> Void) {
    let index = RegionIndex<Int>()
    _ = index.insert(region, 0)
    state = Mutex(State(onChange: onChange))
    let subscription = broker.subscribe(index.needs) { [weak self] changes in self?.didCommit(changes, index) }
    state.withLock { $0.subscription = subscription }
  }

  private func didCommit(_ changes: CommittedChanges, _ index: RegionIndex<Int>) {
    state.withLock { state in
      if changes.isUnknown(forSubscription: state.subscription) { state.hasChanged = true }
      for table in changes.tables { index.match(table) { _ in state.hasChanged = true } }
    }
  }

  func cancel() {
    // What they hold is let go outside of the lock.
    _ = state.withLock { state in
      defer { state = State() }
      return (state.onChange, state.subscription)
    }
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseDidCommit(_ db: Database) {
    let onChange = state.withLock { state in
      defer { state.hasChanged = false }
      return state.hasChanged ? state.onChange : nil
    }
    onChange?(db)
  }

  func databaseDidRollback(_ db: Database) {
    state.withLock { $0.hasChanged = false }
  }
}
