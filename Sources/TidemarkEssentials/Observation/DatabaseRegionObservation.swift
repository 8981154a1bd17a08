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
///
/// It also runs after changes of the schema, when the regions are determined again, and after `VACUUM`, which may
/// assign new row IDs. If a region cannot be determined any more, because a table was dropped for instance, each commit
/// is reported.
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
        let generation = db.schemaGeneration
        let observer = RegionObserver(regions, try regions.union(db), generation, writer.changeBroker, onChange)
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

    /// The index with the region; nil after the end.
    var index: RegionIndex<Int>?
    var region: DatabaseRegion
    var hasChanged = false

    /// The schema for which the region was determined; nil if unknown.
    var schemaGeneration: UInt?
  }

  private let regions: [any DatabaseRegionConvertible]
  private let state: Mutex<State>

  init(
    _ regions: [any DatabaseRegionConvertible], _ region: DatabaseRegion, _ schemaGeneration: UInt?,
    _ broker: ChangeBroker, _ onChange: @escaping @Sendable (Database) -> Void
  ) {
    let index = Self.index(region)
    self.regions = regions
    state = Mutex(State(onChange: onChange, index: index, region: region, schemaGeneration: schemaGeneration))
    let subscription = broker.subscribe(index.needs) { [weak self] changes in self?.didCommit(changes) }
    state.withLock { $0.subscription = subscription }
  }

  private static func index(_ region: DatabaseRegion) -> RegionIndex<Int> {
    let index = RegionIndex<Int>()
    _ = index.insert(region, 0)
    return index
  }

  private func didCommit(_ changes: CommittedChanges) {
    state.withLock { state in
      if changes.isUnknown(forSubscription: state.subscription) { state.hasChanged = true }
      for table in changes.tables { state.index?.match(table) { _ in state.hasChanged = true } }
    }
  }

  /// Determines the regions again if the schema has changed, by this connection or another one.
  private func followSchema(_ db: Database) {
    let generation = db.schemaGeneration
    if generation != nil, generation == state.withLock({ $0.schemaGeneration }) { return }
    // If a table does not exist any more, any commit may create it again.
    let region = (try? regions.union(db)) ?? .fullDatabase
    let index = Self.index(region)
    let (subscription, _) = state.withLock { state -> (ChangeSubscription?, RegionIndex<Int>?) in
      state.schemaGeneration = generation
      if state.region == region { return (nil, nil) }
      let old = state.index
      // The commit was compared with the old region.
      (state.region, state.index, state.hasChanged) = (region, index, true)
      return (state.subscription, old)
    }
    _ = subscription?.setNeeds(index.needs)
  }

  func cancel() {
    // These objects are released outside of the lock.
    _ = state.withLock { state in
      defer { (state.onChange, state.subscription, state.index) = (nil, nil, nil) }
      return (state.onChange, state.subscription, state.index)
    }
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

  func databaseDidChange(with event: DatabaseEvent) {}

  func databaseDidCommit(_ db: Database) {
    followSchema(db)
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

extension Database {
  /// A number that changes with the schema; nil if it cannot be read now.
  fileprivate var schemaGeneration: UInt? {
    // Then the regions are determined again.
    (try? schema.generations?.current(self)) ?? nil
  }
}
