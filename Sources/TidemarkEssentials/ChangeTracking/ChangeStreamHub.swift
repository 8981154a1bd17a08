import Synchronization

/// Distributes the commits of a database to the consumers of change streams.
///
///     writer ── ChangeBroker ── didCommit ──► ChangeBuffer ──► next, wait ── ChangeConsumer ── ChangeStream
///     ExternalCommitSubscription ── didDetect ──┘
///
/// The writer adds a commit once, and wakes one waiting consumer at most. A woken consumer wakes the others. Consumers
/// filter and convert commits on their own threads.
///
/// Waking a thread costs as much as a short transaction. While commits are frequent, a consumer therefore looks for
/// entries at an interval, and the writer wakes no thread (Benchmarks: `streams one`).
///
/// Invariants, in addition to those of `ChangeBuffer`:
/// 1. While there are consumers, the hub watches the database, and keeps it open.
/// 2. A consumer that waits is woken by the next entry: it registers under the lock that protects the entries.
/// 3. While the lock is held, no other lock is taken, and no commit is released.
final class ChangeStreamHub: _DatabaseCore.Component {
  typealias ConsumerID = ChangeBuffer.ConsumerID

  /// The subscriptions to the commits of a database.
  private struct Watch: Sendable {
    let number: Int
    let core: _DatabaseCore
    let subscription: ChangeSubscription?
    let externalCommits: ExternalCommitListener?
  }

  private struct Guarded {
    var buffer = ChangeBuffer()
    var waiters: [Waiter] = []
    var watch: Watch?

    /// The first transactions of a commit that is being reported.
    var earlierTransactions: [CommittedChanges] = []
    var interests: [ConsumerID: Interest] = [:]

    /// The interests of all consumers.
    var joinedInterest = Interest.nothing

    /// The last known position. All commits up to it are entries, or concern no consumer.
    var mark: Position?

    var frequency = Frequency()

    /// Whether a consumer looks for entries at an interval. It wakes the others.
    var hasPollingConsumer = false

    /// A consumer that must be woken for a new entry.
    mutating func takeWaiter() -> Waiter? {
      waiters.isEmpty || hasPollingConsumer ? nil : waiters.removeFirst()
    }

    /// Ends the watch.
    ///
    /// - Returns: Objects to be released outside of the lock.
    mutating func endWatch() -> (Watch?, [CommittedChanges]) {
      mark = nil
      return (watch.take(), takeEarlierTransactions())
    }

    mutating func takeEarlierTransactions() -> [CommittedChanges] {
      if earlierTransactions.isEmpty { return [] }
      defer { earlierTransactions = [] }
      return earlierTransactions
    }

    mutating func joinInterests() {
      joinedInterest = .nothing
      for interest in interests.values { joinedInterest.formUnion(interest) }
    }
  }

  /// The commits that concern a consumer.
  struct Interest: Sendable {
    /// The tables; nil for all.
    var tables: Set<TableKey>?

    /// The first version of the needs that includes the needs of the consumer.
    var needsVersion: Int

    /// The last table that was found among the tables. Most commits change the same table as the one before.
    private var lastFound: TableKey?

    init(tables: Set<TableKey>?, needsVersion: Int) { (self.tables, self.needsVersion) = (tables, needsVersion) }

    static let nothing = Interest(tables: [], needsVersion: 0)

    /// All commits.
    static let everything = Interest(tables: nil, needsVersion: 0)

    /// Whether a commit may concern the consumer.
    mutating func includes(_ changes: CommittedChanges) -> Bool {
      guard let tables, changes.details == nil, !changes.isUnknown, changes.needsVersion >= needsVersion else {
        return true
      }
      for table in changes.tables {
        if table.key == lastFound { return true }
        guard tables.contains(table.key) else { continue }
        lastFound = table.key
        return true
      }
      return false
    }

    mutating func formUnion(_ other: Interest) {
      if let added = other.tables { tables?.formUnion(added) } else { tables = nil }
      needsVersion = max(needsVersion, other.needsVersion)
    }
  }

  private struct Waiter: Sendable {
    let number: UInt64
    let consumer: ConsumerID
    let continuation: UnsafeContinuation<Void, Never>
  }

  private let guarded = Mutex(Guarded())
  private let lastNumber = Atomic<UInt64>(0)
  private let clock: WallClock

  private init(_ clock: WallClock) { self.clock = clock }

  static func hub(of core: _DatabaseCore) -> ChangeStreamHub { core.component { ChangeStreamHub(core.wallClock) } }

  // MARK: - Consumers

  /// Adds a consumer. All commits concern it until it is started.
  ///
  /// - Parameter readsExternalCommits: Whether it reads the changes of external commits.
  func addConsumer(byteLimit: Int, readsExternalCommits: Bool, in core: _DatabaseCore) -> ConsumerID {
    let (id, isWatching) = guarded.withLock { guarded in
      let id = guarded.buffer.addConsumer(byteLimit: byteLimit, readsExternalCommits: readsExternalCommits)
      guarded.interests[id] = .everything
      guarded.joinInterests()
      return (id, guarded.watch != nil)
    }
    if isWatching { return id }
    let new = makeWatch(of: core)
    // Another consumer may have begun to watch meanwhile. A superfluous subscription is released outside of the lock.
    let superfluous = guarded.withLock { guarded -> Watch? in
      if guarded.watch != nil { return new }
      guarded.watch = new
      return nil
    }
    return withExtendedLifetime(superfluous) { id }
  }

  private func makeWatch(of core: _DatabaseCore) -> Watch {
    let number = Int(lastNumber.wrappingAdd(1, ordering: .relaxed).newValue)
    if core.fetchesExcludeWrites { core.writer?.ownCommits.recordDataVersions() }
    let subscription = core.writer?.changeBroker.subscribe(.none) { [self] changes in
      didCommit(changes, in: core, watch: number)
    }
    let externalCommits = core.subscribeToExternalCommits { [weak self, weak core] event in
      if let self, let core { didDetect(event, in: core, watch: number) }
    }
    return Watch(number: number, core: core, subscription: subscription, externalCommits: externalCommits)
  }

  /// Prepares the detection of external commits.
  ///
  /// - Parameter db: A connection that is about to read.
  func prepare(_ db: Database, in core: _DatabaseCore) {
    guarded.withLock(\.watch)?.externalCommits?.begin(with: db)
    core.trackOwnCommits(db)
  }

  /// Starts a consumer: it receives the commits after a position.
  ///
  /// - Parameter hasRegions: Whether its regions depend on the schema.
  func start(_ id: ConsumerID, _ interest: Interest, after position: Position?, hasRegions: Bool) {
    guarded.withLock { guarded in
      guarded.buffer.start(id, after: position?.version, hasRegions: hasRegions)
      guarded.mark = guarded.mark ?? position
      guarded.interests[id] = interest
      guarded.joinInterests()
    }
  }

  /// Replaces the interest of a consumer.
  func setInterest(_ interest: Interest, of id: ConsumerID) {
    guarded.withLock { guarded in
      guarded.interests[id] = interest
      guarded.joinInterests()
    }
  }

  /// The regions of a consumer have been resolved: see `ChangeBuffer`.
  func pass(_ id: ConsumerID, through position: Position? = nil) -> ChangeBuffer.Versions? {
    defer { wakeConsumers() }
    return guarded.withLock { $0.buffer.pass(id, through: position?.version) }
  }

  /// The regions of a consumer could not be resolved, or external commits not be read to their end: see `ChangeBuffer`.
  func putBack(_ delivery: ChangeBuffer.Delivery, for id: ConsumerID) {
    guarded.withLock { $0.buffer.putBack(delivery, for: id) }
    wakeConsumers()
  }

  /// A consumer passes all entries before one: see `ChangeBuffer`.
  func pass(_ id: ConsumerID, before number: ChangeBuffer.EntryNumber) {
    defer { wakeConsumers() }
    // Removed entries are released outside of the lock.
    _ = guarded.withLock { guarded in
      guarded.buffer.pass(id, before: number)
      return guarded.buffer.takeRemoved()
    }
  }

  /// The number of the next entry.
  var endNumber: ChangeBuffer.EntryNumber { guarded.withLock(\.buffer.endNumber) }

  /// External commits were read up to an own one: see `ChangeBuffer`.
  func postpone(_ delivery: ChangeBuffer.Delivery, after recordedVersion: UInt64, for id: ConsumerID) {
    guarded.withLock { $0.buffer.postpone(delivery, after: recordedVersion, for: id) }
    wakeConsumers()
  }

  /// A consumer receives external commits whose changes are unknown: see `ChangeBuffer`.
  func includeUnknown(through version: UInt64, for id: ConsumerID) {
    guarded.withLock { $0.buffer.includeUnknown(through: version, for: id) }
  }

  /// See `ChangeBuffer`.
  func lastRecordedVersion(of id: ConsumerID) -> UInt64 { guarded.withLock { $0.buffer.lastRecordedVersion(of: id) } }

  func removeConsumer(_ id: ConsumerID) {
    // The watch and the entries are released outside of the lock.
    _ = guarded.withLock { guarded -> ((Watch?, [CommittedChanges])?, [ChangeBuffer.Entry]) in
      guarded.buffer.removeConsumer(id)
      guarded.interests[id] = nil
      guarded.joinInterests()
      let removed = guarded.buffer.takeRemoved()
      return (guarded.buffer.isUnused ? guarded.endWatch() : nil, removed)
    }
  }

  /// Returns what a consumer receives next.
  func next(_ id: ConsumerID) -> ChangeBuffer.Delivery {
    guarded.withLock { guarded in (guarded.buffer.next(id), guarded.buffer.takeRemoved()) }.0
  }

  /// Waits until there is something for a consumer, or the task is cancelled.
  func wait(for id: ConsumerID) async {
    if await poll(for: id) { return wakeConsumers() }
    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let isReady = guarded.withLock { guarded in
          if Task.isCancelled || guarded.buffer.hasDelivery(for: id) { return true }
          guarded.waiters.append(Waiter(number: number, consumer: id, continuation: continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let waiter = guarded.withLock { guarded in
        guarded.waiters.firstIndex { $0.number == number }.map { guarded.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
    wakeConsumers()
  }

  /// Looks for entries while they are frequent, unless another consumer does.
  ///
  /// - Returns: Whether there is something for the consumer, or the task is cancelled.
  private func poll(for id: ConsumerID) async -> Bool {
    let now = clock.microsecondsSince1970()
    let isPolling = guarded.withLock { guarded in
      if guarded.hasPollingConsumer || !guarded.frequency.isHigh(at: now) { return false }
      guarded.hasPollingConsumer = true
      return true
    }
    if !isPolling { return false }
    while true {
      // Only a cancellation ends it early.
      let isCancelled = await (try? Task.sleep(for: Self.pollingInterval)) == nil
      let now = clock.microsecondsSince1970()
      let end = guarded.withLock { guarded -> Bool? in
        let hasDelivery = isCancelled || guarded.buffer.hasDelivery(for: id)
        if !hasDelivery, guarded.frequency.isHigh(at: now) { return nil }
        guarded.hasPollingConsumer = false
        return hasDelivery
      }
      guard let end else { continue }
      // Another iteration of the same stream may have received the entry.
      if !end { wakeConsumers() }
      return end
    }
  }

  /// A commit is received later by this time at most. With 250 or 1,000 microseconds, a write takes as long
  /// (Benchmarks: `streams one`).
  private static let pollingInterval = Duration.microseconds(500)

  /// Wakes the consumers for which there is something.
  private func wakeConsumers() {
    let woken = guarded.withLock { guarded in
      if guarded.waiters.isEmpty { return [Waiter]() }
      let woken = guarded.waiters.filter { guarded.buffer.hasDelivery(for: $0.consumer) }
      guarded.waiters.removeAll { guarded.buffer.hasDelivery(for: $0.consumer) }
      return woken
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  // MARK: - Commits

  /// Handles a successful commit, on the committing thread. Transactions that were committed together are added at
  /// once.
  private func didCommit(_ changes: CommittedChanges, in core: _DatabaseCore, watch: Int) {
    let (isConcerned, isAwaited, endsCommit) = guarded.withLock { guarded in
      guard guarded.watch?.number == watch else { return (false, false, false) }
      if guarded.joinedInterest.includes(changes) { return (true, false, !changes.isContinued) }
      let isAwaited = guarded.buffer.willNotAdd(changes)
      return (false, isAwaited, !changes.isContinued && !guarded.earlierTransactions.isEmpty)
    }
    if isAwaited { wakeConsumers() }
    let kept = isConcerned ? changes.kept() : nil
    if endsCommit { return addTransactions(through: kept, in: core) }
    if let kept { guarded.withLock { $0.earlierTransactions.append(kept) } }
  }

  /// Adds the transactions of a commit that concern consumers.
  ///
  /// - Parameter last: The last transaction, if it concerns consumers.
  private func addTransactions(through last: CommittedChanges?, in core: _DatabaseCore) {
    let (position, time) = (core.positionOfOwnCommit(), clock.microsecondsSince1970())
    // Released outside of the lock.
    let (waiter, _, _) = guarded.withLock { guarded -> (Waiter?, [ChangeBuffer.Entry], [CommittedChanges]) in
      if let position {
        if let mark = guarded.mark, position.includesExternalCommits(since: mark) {
          guarded.buffer.addExternalCommits(through: position.version - 1, microsecondsSince1970: time)
        }
        // The mark may be later, if the external commits after this one were detected first.
        let version = max(position.version, guarded.mark?.version ?? 0)
        guarded.mark = Position(version: version, ownCommitCount: position.ownCommitCount)
      }
      let earlier = guarded.takeEarlierTransactions()
      guarded.buffer.add(last, after: earlier, version: position?.version, microsecondsSince1970: time)
      guarded.frequency.entryWasAdded(at: time)
      return (guarded.takeWaiter(), guarded.buffer.takeRemoved(), earlier)
    }
    waiter?.continuation.resume()
  }

  /// Handles an event of the thread that detects external commits.
  private func didDetect(_ event: ExternalCommitMonitor.Event, in core: _DatabaseCore, watch: Int) {
    let time = clock.microsecondsSince1970()
    let position = event.isCommitInMainDatabase ? core.positionOfExternalCommit() : nil
    // Released outside of the lock.
    let released = guarded.withLock { guarded -> ((Watch?, [CommittedChanges])?, [ChangeBuffer.Entry]) in
      guard guarded.watch?.number == watch else { return (nil, []) }
      if case .fileMoved(let error) = event {
        // The detection has ended. Later consumers begin another one.
        guarded.buffer.fail(error)
        return (guarded.endWatch(), [])
      }
      if let position, position.version >= guarded.mark?.version ?? 0 { guarded.mark = position }
      if event.isCommitInMainDatabase {
        guarded.buffer.addExternalCommits(through: position?.version, microsecondsSince1970: time)
      } else {
        guarded.buffer.addExternalCommitsInAttachedDatabases(microsecondsSince1970: time)
      }
      return (nil, guarded.buffer.takeRemoved())
    }
    withExtendedLifetime(released) { wakeConsumers() }
  }

  // MARK: - Closing

  func willClose() { guarded.withLock(\.watch)?.externalCommits?.pause() }

  func didNotClose() { guarded.withLock(\.watch)?.externalCommits?.resume() }

  func didClose() {
    let ended = guarded.withLock { guarded in
      guarded.buffer.fail(Database.closedError)
      return guarded.endWatch()
    }
    withExtendedLifetime(ended) { wakeConsumers() }
  }
}

extension ExternalCommitMonitor.Event {
  fileprivate var isCommitInMainDatabase: Bool { if case .commits = self { true } else { false } }
}
