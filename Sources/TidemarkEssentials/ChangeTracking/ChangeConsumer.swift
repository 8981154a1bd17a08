/// The consumer of a change stream.
///
///     created ──start──► started ──the schema may have changed──► resolving regions ──► started
///                           └─────external commits, if their changes are stored──► reading them ──► started
///
/// It is removed from the hub when it is released.
///
/// If the regions are other ones after a schema change, the consumer receives one element that says that anything may
/// have changed, and passes the commits that it stands for. The order of the steps makes this sound:
/// 1. All commits concern the consumer.
/// 2. The regions are resolved in a snapshot, whose position is noted before.
/// 3. The needs are set. If there was a commit since the snapshot, the regions are resolved again, in a newer one:
///    commits after it are captured for the needs.
/// 4. The consumer passes all commits up to the position. Later ones are captured for the needs, or have an older
///    version of them, which makes them unknown.
///
/// The hub hands out external commits and possible schema changes to one iteration at a time. The transactions that it
/// reads are kept for all iterations, which receive them before anything else.
final class ChangeConsumer: Sendable {
  let core: _DatabaseCore
  let hub: ChangeStreamHub
  let id: ChangeStreamHub.ConsumerID
  let limits: ChangeStream.Limits
  private let regions: [any DatabaseRegionConvertible]

  /// Reads the changes of external commits; nil if they are not stored.
  let reader: (any ExternalTransactionsReader)?

  let state: Mutex<State>

  struct State {
    var reader = ChangeReader(region: DatabaseRegion())

    /// Holds the needs; nil before the regions are resolved.
    var subscription: ChangeSubscription?
    var needs = CaptureNeeds.none

    /// The first version of all needs that includes these.
    var needsVersion = 0

    /// The parts of a transaction that follow.
    var parts: TransactionParts?

    /// Whether its regions depend on the schema: not if they were the full database at first.
    var hasRegions = true

    /// Whether the region has changed, and no element has reported this yet.
    var isRegionNew = false

    /// Transactions of other connections, the next one last.
    var externalTransactions: [TransactionChanges] = []

    /// The greatest version of an element so far.
    private var lastVersion: DatabaseVersion?

    /// Removes the versions of an element that follows one of a greater version.
    ///
    /// An own transaction whose changes are not stored (of temporary tables, for instance), or an element that stands
    /// for missed ones, may follow external transactions that were read before.
    mutating func ordered(_ changes: TransactionChanges) -> TransactionChanges {
      guard let version = changes.version else { return changes }
      guard let lastVersion, version < lastVersion else {
        lastVersion = version
        return changes
      }
      var changes = changes
      changes.versions = nil
      return changes
    }

    mutating func nextPart(rowLimit: Int) -> TransactionChanges? {
      guard var rest = parts.take(), let part = reader.nextPart(of: &rest, rowLimit: rowLimit) else { return nil }
      parts = rest
      return part
    }
  }

  init(_ regions: [any DatabaseRegionConvertible], _ limits: ChangeStream.Limits, in core: _DatabaseCore) {
    self.core = core
    self.regions = regions.isEmpty ? [DatabaseRegion.fullDatabase] : regions
    self.limits = limits
    hub = ChangeStreamHub.hub(of: core)
    let provider = core.configuration.writerExtension as? any ExternalTransactionsProvider
    reader = core.writer.flatMap { provider?.externalTransactionsReader($0.changeBroker) }
    id = hub.addConsumer(byteLimit: limits.bufferedByteCount, readsExternalCommits: reader != nil, in: core)
    state = Mutex(State(), rank: .changeConsumer)
  }

  deinit { hub.removeConsumer(id) }

  // MARK: - Regions

  /// Starts to receive commits.
  ///
  /// - Parameter db: A connection that is about to read.
  /// - Returns: False if a commit at the same time may be missing: then it must be called again in another read.
  func start(_ db: Database) throws -> Bool {
    let resolution = try resolveRegions(db)
    guard resolution.isSound else { return false }
    let (interest, hasRegions) = state.withLock { state in
      (state.isRegionNew, state.hasRegions) = (false, !state.reader.region.isFullDatabase)
      return (Self.interest(in: state.reader.region, state.needsVersion), state.hasRegions)
    }
    hub.start(id, interest, after: resolution.position, hasRegions: hasRegions)
    return true
  }

  private struct Resolution: Sendable {
    /// A position that is not newer than the snapshot in which the regions were resolved.
    let position: ChangeStreamHub.Position?

    /// Whether all commits after the position are captured for the needs.
    let isSound: Bool
  }

  /// Determines the region, and sets the needs for it.
  private func resolveRegions(_ db: Database) throws -> Resolution {
    hub.prepare(db, in: core)
    let writeCount = core.writer?.changeBroker.writeCount
    let position = core.currentPosition()
    let region = try regions.union(db)
    let isKnown = state.withLock { $0.subscription != nil && $0.reader.region == region }
    if isKnown { return Resolution(position: position, isSound: true) }
    hub.setInterest(.everything, of: id)
    setRegion(region)
    try reader?.restart(db, region: region)
    return Resolution(position: position, isSound: core.writer?.changeBroker.writeCount == writeCount)
  }

  private func setRegion(_ region: DatabaseRegion) {
    let needs = needs(of: region)
    let (old, oldNeeds, oldVersion) = state.withLock { ($0.subscription, $0.needs, $0.needsVersion) }
    let subscription = old ?? core.writer?.changeBroker.subscribe(needs, nil)
    // With the same needs, buffered commits remain valid, even if others have changed theirs.
    let version = oldNeeds == needs ? oldVersion : old?.setNeeds(needs) ?? subscription?.version ?? 0
    // The replaced reader is released outside of the lock.
    _ = state.withLock { state in
      let reader = state.reader
      (state.reader, state.subscription) = (ChangeReader(region: region), subscription)
      (state.needs, state.needsVersion, state.isRegionNew) = (needs, version, true)
      return reader
    }
  }

  private func needs(of region: DatabaseRegion) -> CaptureNeeds {
    let table = CaptureNeeds.TableNeeds(
      columns: nil, values: nil, rows: true, rowCountMax: limits.rowCount, storesRows: limits.hasParts)
    guard let tables = region.tables else { return CaptureNeeds(otherTables: table, storedNumbers: true) }
    var needs = CaptureNeeds(tables: tables.mapValues { _ in table }, storedNumbers: true)
    for key in region.counterTables {
      needs.tables[key] = CaptureNeeds.TableNeeds(columns: nil, values: nil, rows: true, storesRows: limits.hasParts)
    }
    return needs
  }

  private static func interest(in region: DatabaseRegion, _ needsVersion: Int) -> ChangeStreamHub.Interest {
    ChangeStreamHub.Interest(
      tables: region.tables.map { region.counterTables.union($0.keys) }, needsVersion: needsVersion)
  }

  /// Determines the regions again, in the current schema.
  ///
  /// - Parameter delivery: The next delivery. The schema may have changed with it.
  /// - Parameter receive: Returns the element of the delivery if the regions are the same.
  /// - Returns: The element that the consumer receives instead; nil for none.
  /// - Throws: The error of the read, for instance if a table of the regions was removed.
  func afterResolvingRegions(
    _ delivery: ChangeBuffer.Delivery, _ receive: () async throws -> TransactionChanges?
  ) async throws -> TransactionChanges? {
    do {
      var resolution: Resolution
      repeat {
        resolution = try await core.read(isolated: true) { [self] db in try resolveRegions(db) }
      } while !resolution.isSound
      let (isNew, interest) = state.withLock { state in
        defer { state.isRegionNew = false }
        return (state.isRegionNew, Self.interest(in: state.reader.region, state.needsVersion))
      }
      guard isNew else { return try await receive() }
      hub.setInterest(interest, of: id)
      return unknownChanges(with: delivery, hub.pass(id, through: resolution.position))
    } catch {
      if Task.isCancelled || state.withLock(\.isRegionNew) {
        hub.putBack(delivery, for: id)
        if Task.isCancelled { return nil }
        throw error
      }
      hub.putBack(.unresolved, for: id)
      if case .unresolved = delivery { throw error }
      // The error is thrown next.
      return changes(delivery)
    }
  }

  // MARK: - Changes

  /// Returns the next transaction; nil if the task is cancelled, or after an error.
  func next() async throws -> TransactionChanges? {
    while !Task.isCancelled {
      let known = state.withLock { state in
        (state.nextPart(rowLimit: limits.rowCount) ?? state.externalTransactions.popLast()).map { state.ordered($0) }
      }
      if let known { return known }
      let delivery = hub.next(id)
      switch delivery {
      case .entry, .missed, .unresolved:
        if let changes = try await receive(delivery) { return state.withLock { $0.ordered(changes) } }
      case .nothing: await hub.wait(for: id)
      case .failure(let error): throw error
      case .end: return nil
      }
    }
    return nil
  }

  private func receive(_ delivery: ChangeBuffer.Delivery) async throws -> TransactionChanges? {
    if let reader, delivery.isExternal { return try await receiveExternalCommits(delivery, reader) }
    // The transactions that were missed may include some of others.
    if case .missed = delivery { reader?.forget() }
    return try await receiveOrResolveRegions(delivery)
  }

  /// Receives a delivery. If the schema may have changed with it, the regions are resolved first.
  func receiveOrResolveRegions(_ delivery: ChangeBuffer.Delivery) async throws -> TransactionChanges? {
    guard delivery.mayChangeRegions, state.withLock(\.hasRegions) else { return passed(delivery) }
    return try await afterResolvingRegions(delivery) { passed(delivery) }
  }

  private func passed(_ delivery: ChangeBuffer.Delivery) -> TransactionChanges? {
    if delivery.mayChangeRegions { _ = hub.pass(id) }
    return changes(delivery)
  }

  private func changes(_ delivery: ChangeBuffer.Delivery) -> TransactionChanges? {
    switch delivery {
    case .entry(let entry): changes(entry)
    case .missed(let versions):
      TransactionChanges(
        versions: versions.map(DatabaseVersion.range), microsecondsSince1970: core.wallClock.microsecondsSince1970(),
        completeness: .incomplete(.missed))
    case .unresolved, .nothing, .failure, .end: nil
    }
  }

  private func changes(_ entry: ChangeBuffer.Entry) -> TransactionChanges? {
    let versions = entry.versions.map(DatabaseVersion.range)
    switch entry.content {
    case .externalCommits:
      // They must not be received again.
      reader?.forget()
      if let last = entry.versions?.upperBound { hub.includeUnknown(through: last, for: id) }
      return TransactionChanges(
        versions: versions, microsecondsSince1970: entry.microsecondsSince1970,
        completeness: .incomplete(.externalCommit))
    case .externalCommitsInAttachedDatabases:
      guard state.withLock({ $0.reader.region.mayIncludeAttachedTables }) else { return nil }
      return TransactionChanges(
        microsecondsSince1970: entry.microsecondsSince1970, completeness: .incomplete(.externalCommit))
    case .commit(let commit):
      return state.withLock { state in
        let isUnknown = commit.needsVersion < state.needsVersion
        if limits.hasParts {
          state.parts = TransactionParts(commit, isUnknown: isUnknown, at: entry.microsecondsSince1970, versions)
          if state.parts != nil { return state.nextPart(rowLimit: limits.rowCount) }
        }
        defer { commit.endReading() }
        return state.reader.changes(
          of: commit, isUnknown: isUnknown, rowLimit: limits.rowCount, at: entry.microsecondsSince1970, versions)
      }
    }
  }

  /// The element that stands for a delivery, and for all commits with some versions after it.
  func unknownChanges(
    with delivery: ChangeBuffer.Delivery, _ passed: ChangeBuffer.Versions?
  ) -> TransactionChanges {
    var (versions, reason, time) = (passed, TransactionChanges.Reason.unknown, core.wallClock.microsecondsSince1970())
    func add(_ own: ChangeBuffer.Versions?) {
      if let own { versions = own.lowerBound...max(own.upperBound, passed?.upperBound ?? 0) }
    }
    switch delivery {
    case .entry(let entry):
      add(entry.versions)
      switch entry.content {
      case .externalCommits, .externalCommitsInAttachedDatabases: reason = .externalCommit
      case .commit: break
      }
      time = entry.microsecondsSince1970
    case .missed(let missed):
      add(missed)
      reason = .missed
    case .unresolved, .nothing, .failure, .end: break
    }
    return TransactionChanges(
      versions: versions.map(DatabaseVersion.range), microsecondsSince1970: time, completeness: .incomplete(reason))
  }
}

extension DatabaseRegion {
  /// The tables in which SQLite stores the counters of the region's tables. They do not belong to the region.
  var counterTables: Set<TableKey> { Set((tables ?? [:]).keys.map { .counterTable(in: $0.database) }) }
}

extension DatabaseRegion {
  /// Whether it may contain tables of attached databases.
  fileprivate var mayIncludeAttachedTables: Bool {
    tables?.keys.contains { !["main", "temp"].contains($0.database.asciiLowercased) } ?? true
  }
}

extension DatabaseVersion {
  fileprivate static func range(_ numbers: ClosedRange<UInt64>) -> ClosedRange<DatabaseVersion> {
    DatabaseVersion(numbers.lowerBound)...DatabaseVersion(numbers.upperBound)
  }
}
