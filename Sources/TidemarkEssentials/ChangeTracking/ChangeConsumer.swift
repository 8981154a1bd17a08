/// The consumer of a change stream.
///
///     created ──start──► started ──schema change──► resolving regions ──► started
///
/// It is removed from the hub when it is released.
final class ChangeConsumer: Sendable {
  private let core: _DatabaseCore
  private let hub: ChangeStreamHub
  private let id: ChangeStreamHub.ConsumerID
  private let externalCommits: ExternalCommitListener?
  private let regions: [any DatabaseRegionConvertible]
  private let limits: ChangeStream.Limits
  private let state: Mutex<State>

  private struct State {
    var reader = ChangeReader(region: DatabaseRegion())

    /// Holds the needs.
    var subscription: ChangeSubscription?
    var needs = CaptureNeeds.none

    /// The first version of all needs that includes these.
    var needsVersion = 0

    /// Whether the schema has changed since the regions were resolved.
    var mustResolveRegions = false
  }

  init(_ regions: [any DatabaseRegionConvertible], _ limits: ChangeStream.Limits, in core: _DatabaseCore) {
    self.core = core
    self.regions = regions.isEmpty ? [DatabaseRegion.fullDatabase] : regions
    self.limits = limits
    hub = ChangeStreamHub.hub(of: core)
    (id, externalCommits) = hub.addConsumer(byteLimit: limits.bufferedByteCount, in: core)
    state = Mutex(State())
  }

  deinit { hub.removeConsumer(id) }

  /// Starts to receive commits.
  ///
  /// - Parameter db: A connection that is about to read.
  func start(_ db: Database) throws {
    externalCommits?.begin(with: db)
    let position = core.currentPosition()
    let region = try regions.union(db)
    let interest = setRegion(region)
    hub.start(id, interest, after: position)
  }

  /// Subscribes to the changes of a region.
  private func setRegion(_ region: DatabaseRegion) -> ChangeStreamHub.Interest {
    let needs = needs(of: region)
    let (old, oldNeeds, oldVersion) = state.withLock { ($0.subscription, $0.needs, $0.needsVersion) }
    let subscription = old ?? core.writer?.changeBroker.subscribe(needs, nil)
    // With the same needs, buffered commits remain valid, even if others have changed theirs.
    let version = oldNeeds == needs ? oldVersion : old?.setNeeds(needs) ?? subscription?.version ?? 0
    // The replaced reader is released outside of the lock.
    _ = state.withLock { state in
      let reader = state.reader
      (state.reader, state.subscription) = (ChangeReader(region: region), subscription)
      (state.needs, state.needsVersion, state.mustResolveRegions) = (needs, version, false)
      return reader
    }
    return ChangeStreamHub.Interest(tables: region.tables.map { Set($0.keys) }, needsVersion: version)
  }

  private func needs(of region: DatabaseRegion) -> CaptureNeeds {
    let table = CaptureNeeds.TableNeeds(columns: nil, values: nil, rows: true, rowCountMax: limits.rowCount)
    guard let tables = region.tables else { return CaptureNeeds(otherTables: table, storedNumbers: true) }
    return CaptureNeeds(tables: tables.mapValues { _ in table }, storedNumbers: true)
  }

  /// Returns the next transaction; nil if the task is cancelled, or after an error.
  func next() async throws -> TransactionChanges? {
    while !Task.isCancelled {
      if state.withLock(\.mustResolveRegions) {
        do {
          if try await resolveRegions() { return Self.unknown }
        } catch is CancellationError where Task.isCancelled {
          return nil
        }
      }
      switch hub.next(id) {
      case .entry(let entry): if let changes = changes(entry) { return changes }
      case .missed(let versions):
        state.withLock { $0.mustResolveRegions = true }
        return TransactionChanges(
          versions: versions.map(DatabaseVersion.range), microsecondsSince1970: WallClock.microsecondsSince1970(),
          completeness: .incomplete(.missed))
      case .nothing: await hub.wait(for: id)
      case .failure(let error): throw error
      case .end: return nil
      }
    }
    return nil
  }

  private func changes(_ entry: ChangeBuffer.Entry) -> TransactionChanges? {
    let versions = entry.versions.map(DatabaseVersion.range)
    switch entry.content {
    case .externalCommits:
      // They may have changed the schema.
      state.withLock { $0.mustResolveRegions = true }
      return TransactionChanges(
        versions: versions, microsecondsSince1970: entry.microsecondsSince1970,
        completeness: .incomplete(.externalCommit))
    case .commit(let commit):
      return state.withLock { state in
        // A table of the regions may be another one now.
        if !commit.schemaChanges.isEmpty || commit.isUnknown { state.mustResolveRegions = true }
        return state.reader.changes(
          of: commit, isUnknown: commit.needsVersion < state.needsVersion, rowLimit: limits.rowCount,
          at: entry.microsecondsSince1970, versions)
      }
    }
  }

  /// Determines the regions again, in the current schema. This fails if a table of the regions was removed.
  ///
  /// - Returns: Whether there are other tables than before: their changes until now were not captured.
  private func resolveRegions() async throws -> Bool {
    let old = state.withLock(\.reader.region)
    if old.isFullDatabase {
      state.withLock { $0.mustResolveRegions = false }
      return false
    }
    let region = try await core.read(isolated: true) { [regions] db in try regions.union(db) }
    hub.setInterest(setRegion(region), of: id)
    guard let oldTables = old.tables else { return false }
    return region.tables.map { !Set($0.keys).isSubset(of: oldTables.keys) } ?? true
  }

  /// An element that says that anything may have changed.
  private static var unknown: TransactionChanges {
    TransactionChanges(
      microsecondsSince1970: WallClock.microsecondsSince1970(), completeness: .incomplete(.unknown))
  }
}

extension DatabaseVersion {
  fileprivate static func range(_ numbers: ClosedRange<UInt64>) -> ClosedRange<DatabaseVersion> {
    DatabaseVersion(numbers.lowerBound)...DatabaseVersion(numbers.upperBound)
  }
}
