import Tidemark

@testable import TidemarkEssentials

/// Random schedules of the events of a `LiveState`: each step of a commit, of a fetch, and of publishing needs is an
/// activity, and any other activity may come in between. In each schedule, one kind of activity is slow: many others
/// come in between. A model of the database and of the broker of changes is the oracle.
final class LiveStateSimulation {
  /// Whether the state learns how many commits have written. If not, unreported commits are missed: a planted defect.
  var countsWrites = true

  private var state = LiveState(LivePolicy(processorCount: 4))
  private(set) var random: SeededRandom
  private var now = Duration.zero
  private var activities: [Activity] = []

  /// The number of batches in the snapshot of a read of stored changes.
  private(set) var sharedSnapshotCount = 0

  /// Mistakes of the state.
  private(set) var failures: [String] = []

  // The database: a version of each table, which each commit to the table increments.
  private static let tableCount = 3
  private var versions = Array(repeating: 0, count: tableCount)
  private var writeCount: UInt64 = 0
  private var isCommitting = false

  /// The tables that other connections have changed, in the change feed.
  private var storedChanges: [Int] = []

  // The broker of changes: the needs of the only subscription, and the watch that it belongs to.
  private var needs: CaptureNeeds?
  private var subscribedWatch: Int?
  private var needsVersion = 0
  private var subscriptionVersion = 0

  private final class Source {}
  private let sources = (0..<4).map { _ in Source() }

  private struct Observer {
    var query: Int
    var last: [Int]?
  }

  private var observers: [LiveObserverID: Observer] = [:]
  private var queries: [LiveQueryID: Int] = [:]

  private enum Activity {
    case startReading
    case takeSnapshot(FetchBatch.Facts)
    case nextFetch(FetchBatch.Facts, snapshot: [Int])
    case endFetch(FetchBatch.Facts, LiveState.Fetch, snapshot: [Int])
    case deliver(FetchBatch.Facts, LiveState.Fetch, [LiveObserverID], snapshot: [Int])
    case setNeeds(LiveWork.Needs, beginsWatch: Bool)
    case didSetNeeds(LiveWork.Needs, beginsWatch: Bool, version: Int, writeCount: UInt64)
    case commit(table: Int, CaptureNeeds?, version: Int)
    case report(table: Int, CaptureNeeds?, version: Int)
    case detectExternalCommit
    case detectStoredChanges
    case readStoredChanges(LiveState.StoredChangesRead)
    case reportStoredChanges(LiveState.StoredChangesRead, [Int], snapshot: [Int])
    case watchdog(Int, delay: Duration)

    static let kindCount = 14

    var kind: Int {
      switch self {
      case .startReading: 0
      case .takeSnapshot: 1
      case .nextFetch: 2
      case .endFetch: 3
      case .deliver: 4
      case .setNeeds: 5
      case .didSetNeeds: 6
      case .commit: 7
      case .report: 8
      case .detectExternalCommit: 9
      case .detectStoredChanges: 10
      case .readStoredChanges: 11
      case .reportStoredChanges: 12
      case .watchdog: 13
      }
    }
  }

  private let slowKind: Int

  init(_ random: SeededRandom) {
    self.random = random
    slowKind = Int.random(in: 0..<Activity.kindCount, using: &self.random)
  }

  private static func key(_ table: Int) -> TableKey { TableKey("t\(table)") }

  /// The tables that a query reads: more of them while its first table has an odd version.
  private static func tables(_ query: Int, _ versions: [Int]) -> [Int] {
    let first = query % tableCount
    return versions[first] % 2 == 1 ? [first, (first + 1) % tableCount] : [first]
  }

  private static func value(_ query: Int, _ versions: [Int]) -> [Int] { tables(query, versions).map { versions[$0] } }

  /// Runs a number of steps, and then all remaining ones. Then every observer must have the last value.
  func run(stepCount: Int) {
    for _ in 0..<stepCount {
      if activities.isEmpty || Int.random(in: 0..<4, using: &random) == 0 { beginActivity() } else { step() }
      takeWork()
    }
    while !activities.isEmpty {
      step()
      takeWork()
    }
    for observer in observers.values {
      let expected = Self.value(observer.query, versions)
      if observer.last != expected { failures.append("\(observer.last ?? []) is not the last value \(expected)") }
    }
    if state.log.hasRunningFetches { failures.append("A fetch has not ended") }
  }

  private func beginActivity() {
    now += .microseconds(Int.random(in: 0..<400, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1:
      let query = Int.random(in: 0..<sources.count, using: &random)
      let facts = LiveQuery.Facts(key: LiveQueryKey(sources[query], requiresWriteAccess: false))
      guard let ids = state.observerAdded(facts, [], nil, at: now) else { return }
      observers[ids.observer] = Observer(query: query)
      queries[ids.query] = query
    case 2:
      guard let id = observers.keys.sorted(by: { $0.slot < $1.slot }).randomElement(using: &random) else { return }
      state.observerCancelled(id)
      observers[id] = nil
    case 3:
      let table = Int.random(in: 0..<Self.tableCount, using: &random)
      versions[table] += 1
      if Bool.random(using: &random) {
        activities.append(.detectExternalCommit)
      } else {
        storedChanges.append(table)
        activities.append(.detectStoredChanges)
      }
    default:
      if isCommitting { return }
      isCommitting = true
      let table = Int.random(in: 0..<Self.tableCount, using: &random)
      activities.append(.commit(table: table, needs, version: needsVersion))
    }
  }

  private func takeWork() {
    let work = state.work
    state.work = LiveWork()
    if work.endsWatch { (needs, subscribedWatch) = (nil, nil) }
    if let needs = work.beginsWatch { activities.append(.setNeeds(needs, beginsWatch: true)) }
    if let needs = work.publishesNeeds { activities.append(.setNeeds(needs, beginsWatch: false)) }
    if work.startsReading { activities.append(.startReading) }
    if let (number, delay) = work.watchdog { activities.append(.watchdog(number, delay: delay)) }
  }

  private var knownWriteCount: UInt64 { countsWrites ? writeCount : 0 }

  private func step() {
    var index = Int.random(in: 0..<activities.count, using: &random)
    if activities[index].kind == slowKind, Int.random(in: 0..<8, using: &random) > 0 {
      index = Int.random(in: 0..<activities.count, using: &random)
    }
    activities.swapAt(index, activities.count - 1)
    switch activities.removeLast() {
    case .startReading:
      if let read = state.storedChangesReadBegan(writeCount: knownWriteCount, at: now) {
        activities.append(.readStoredChanges(read))
      } else if let batch = state.batchBegan(writeCount: knownWriteCount, at: now) {
        activities.append(.takeSnapshot(batch))
      } else {
        _ = state.readerLeaves(after: .max, at: now)
      }
    case .takeSnapshot(let batch):
      activities.append(.nextFetch(batch, snapshot: versions))
    case .nextFetch(let batch, let snapshot):
      if let fetch = state.nextFetch(in: batch.number, at: now) {
        activities.append(.endFetch(batch, fetch, snapshot: snapshot))
      } else {
        let work = Duration.microseconds(Int.random(in: 0..<3_000, using: &random))
        state.batchLeft(batch.number, from: now - work, to: now)
        activities.append(.startReading)
      }
    case .endFetch(let batch, let fetch, let snapshot): endFetch(batch, fetch, snapshot)
    case .deliver(let batch, let fetch, let receivers, let snapshot):
      deliver(Self.value(queries[fetch.item.query] ?? 0, snapshot), to: receivers)
      state.deliveryEnded(fetch.item.query, nil, at: now)
      activities.append(.nextFetch(batch, snapshot: snapshot))
    case .setNeeds(let new, let beginsWatch):
      if beginsWatch { subscribedWatch = new.watch }
      // A subscription that has ended has no effect any more.
      if subscribedWatch == new.watch, needs != new.needs {
        needs = new.needs
        needsVersion += 1
      }
      activities.append(
        .didSetNeeds(new, beginsWatch: beginsWatch, version: needsVersion, writeCount: knownWriteCount))
    case .didSetNeeds(let new, let beginsWatch, let version, let count):
      if beginsWatch {
        subscriptionVersion = version
        state.watchBegan(new, version: version, readerCountMax: 3, writeCount: count, at: now)
      } else {
        state.needsPublished(new, version: version, writeCount: count, at: now)
      }
    case .commit(let table, let captured, let version):
      versions[table] += 1
      writeCount += 1
      activities.append(.report(table: table, captured, version: version))
    case .report(let table, let captured, let version):
      isCommitting = false
      report(table, captured, version)
    case .detectExternalCommit: state.externalCommitDetected(at: now)
    case .detectStoredChanges: state.storedChangesDetected(at: now)
    case .readStoredChanges(let read):
      activities.append(.reportStoredChanges(read, storedChanges, snapshot: versions))
      storedChanges = []
    case .reportStoredChanges(let read, let tables, let snapshot):
      state.externalCommitsReported(
        tables.map { changes([$0], version: .max) }, externalCommitCount: nil, at: now)
      state.storedChangesReadEnded(read, at: now)
      let count = tables.count
      if let batch = state.batchBegan(in: read, commitCount: count, writeCount: knownWriteCount, at: now) {
        sharedSnapshotCount += 1
        activities.append(.nextFetch(batch, snapshot: snapshot))
      } else {
        activities.append(.startReading)
      }
    case .watchdog(let number, let delay):
      now += delay
      state.watchdogEnded(number, at: now)
    }
  }

  /// A commit reports a table that was needed when it began. If the needs have changed since, it is always reported.
  private func report(_ table: Int, _ captured: CaptureNeeds?, _ version: Int) {
    guard needs != nil else { return }
    let isCaptured = captured?.needs(of: Self.key(table)) != nil
    if !isCaptured, version == needsVersion { return }
    _ = state.commitReported(
      changes(isCaptured ? [table] : [], version: version), isUnknown: version < subscriptionVersion,
      writeCount: knownWriteCount, at: now)
  }

  private func changes(_ tables: [Int], version: Int) -> CommittedChanges {
    let tables = tables.map { table in
      let tableChanges = CommittedChanges.TableChanges(key: Self.key(table), isCoarse: true, log: .empty)
      var kinds = CommittedChanges.Kinds()
      kinds.insert(.insert)
      tableChanges.set(kinds, updatedColumns: [], .all(count: 0))
      return tableChanges
    }
    return CommittedChanges(number: writeCount, needsVersion: version, tables: ShortList(tables))
  }

  private func endFetch(_ batch: FetchBatch.Facts, _ fetch: LiveState.Fetch, _ snapshot: [Int]) {
    let tables = Self.tables(queries[fetch.item.query] ?? 0, snapshot)
    let region = DatabaseRegion(tables: Dictionary(uniqueKeysWithValues: tables.map { (Self.key($0), .all) }))
    var result = LiveFetch.Facts()
    if fetch.lastReadSet != ReadSet(region) { (result.readSet, result.region) = (ReadSet(region), region) }
    let (receivers, _) = state.fetchSucceeded(fetch.item, result, batch, writeCount: knownWriteCount)
    activities.append(.deliver(batch, fetch, receivers, snapshot: snapshot))
  }

  private func deliver(_ value: [Int], to receivers: [LiveObserverID]) {
    for id in receivers {
      guard let observer = observers[id] else { continue }
      if let last = observer.last, value[0] < last[0] { failures.append("\(value) was delivered after \(last)") }
      observers[id]?.last = value
    }
  }
}
