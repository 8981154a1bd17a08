/// Reports each commit that may have changed the content of regions, on the writer connection.
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
/// The closure runs after the commit, outside of any transaction, before other writes: it sees the exact state after
/// the commit. Writers wait for it. To receive fresh values, use `ValueObservation`.
public struct DatabaseRegionObservation: Sendable {
  private let regions: [any DatabaseRegionConvertible]

  /// Creates an observation of regions.
  ///
  /// - Parameter regions: The regions: tables, requests, or others.
  public init(tracking regions: any DatabaseRegionConvertible...) {
    self.init(tracking: regions)
  }

  /// Creates an observation of regions.
  ///
  /// - Parameter regions: The regions: tables, requests, or others.
  public init(tracking regions: [any DatabaseRegionConvertible]) {
    self.regions = regions
  }

  /// Starts the observation, once the writer connection is available. Commits that follow the return of this method are
  /// reported.
  ///
  /// - Parameter writer: The database.
  /// - Parameter onError: Called immediately if a region cannot be resolved.
  /// - Parameter onChange: Called after each commit that may have changed the regions, on the writer connection.
  /// - Returns: A cancellable. The observation ends when it is cancelled or released.
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
      // Only the returned object retains the observer.
      return AnyDatabaseCancellable { observer.cancel() }
    } catch {
      onError(error)
      return AnyDatabaseCancellable {}
    }
  }
}

/// Receives commits from the broker, and calls the closure when the connection notifies it.
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
    // These objects are released outside of the lock.
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
