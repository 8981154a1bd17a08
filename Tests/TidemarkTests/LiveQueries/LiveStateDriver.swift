import Testing
import Tidemark

@testable import TidemarkEssentials

/// Reports events to a `LiveState`, without a database, threads or time, and names what it must do.
final class LiveStateDriver {
  var state = LiveState(LivePolicy(processorCount: 4))
  var now = Duration.zero

  /// The number of commits that have written.
  var writeCount: UInt64 = 0

  /// The version of the needs, as the broker of changes counts it.
  var needsVersion = 0

  private var sources: [String: Source] = [:]
  private var names: [LiveObserverID: String] = [:]
  private(set) var queries: [String: LiveQueryID] = [:]
  private(set) var observers: [String: LiveObserverID] = [:]
  private var commitNumber: UInt64 = 0

  private final class Source {}

  static let retry = RetryPolicy(after: .milliseconds(20), atMost: .seconds(5))

  // MARK: Observers

  /// The facts about a query.
  private func facts(_ name: String, _ change: (inout LiveQuery.Facts) -> Void = { _ in }) -> LiveQuery.Facts {
    let source = sources[name] ?? Source()
    sources[name] = source
    let isWriting = name.hasPrefix("writing")
    var facts = LiveQuery.Facts(key: LiveQueryKey(source, requiresWriteAccess: isWriting))
    change(&facts)
    return facts
  }

  /// Adds an observer to the query with a name.
  func observe(
    _ query: String, as name: String, _ interests: ObservationEvents.Interests = [], retry: RetryPolicy? = nil,
    isIncremental: Bool = false
  ) {
    let facts = facts(query) { $0.isIncremental = isIncremental }
    guard let ids = state.observerAdded(facts, interests, retry, at: now) else { return }
    names[ids.observer] = name
    observers[name] = ids.observer
    queries[query] = ids.query
  }

  func cancel(_ name: String) { if let id = observers[name] { state.observerCancelled(id) } }

  /// Fetches the first value of an observer on its own thread, and attaches it.
  ///
  /// - Parameter isProvisional: Whether the fetch reads uncommitted changes.
  /// - Parameter during: Events during the fetch.
  func observeNow(
    _ query: String, as name: String, reading table: String, digest: ResultDigest? = nil, isProvisional: Bool = false,
    tracksEachFetch: Bool = true, during: (LiveStateDriver) -> Void = { _ in }
  ) {
    guard state.immediateObserverAnnounced() else { return }
    let fetchStart = state.beginFetch(writeCount: state.readerCountMax > 0 ? writeCount : nil)
    during(self)
    let facts = facts(query) { $0.tracksEachFetch = tracksEachFetch }
    if let ids = state.immediateFetchEnded(
      fetchStart, facts, [], nil, Self.result(table, digest: digest), isProvisional: isProvisional,
      writeCount: writeCount, at: now)
    {
      names[ids.observer] = name
      observers[name] = ids.observer
      queries[query] = ids.query
    }
    state.immediateObserverLeft()
  }

  // MARK: Work

  /// Removes and names the work. Beginning the watch and publishing needs are done at once, unless they are deferred.
  func work(deferringNeeds: Bool = false) -> [String] {
    var result: [String] = []
    while true {
      let work = state.work
      state.work = LiveWork()
      result += describe(work)
      if deferringNeeds { return result }
      if let needs = work.beginsWatch {
        beginWatch(needs)
      } else if let needs = work.publishesNeeds {
        publish(needs)
      } else {
        return result
      }
    }
  }

  /// Removes and returns needs that are to be published.
  func takeNeeds() -> LiveWork.Needs? {
    defer { state.work = LiveWork() }
    return state.work.beginsWatch ?? state.work.publishesNeeds
  }

  func beginWatch(_ needs: LiveWork.Needs) {
    needsVersion += 1
    state.watchBegan(needs, version: needsVersion, readerCountMax: 4, writeCount: writeCount, at: now)
  }

  func publish(_ needs: LiveWork.Needs) {
    needsVersion += 1
    state.needsPublished(needs, version: needsVersion, writeCount: writeCount, at: now)
  }

  private func describe(_ work: LiveWork) -> [String] {
    var result: [String] = []
    for id in work.notified { result.append("notify \(names[id] ?? "?")") }
    for id in work.removedObservers { result.append("release \(names[id] ?? "?")") }
    for id in work.removedQueries { result.append("release query \(queries.first { $0.value == id }?.key ?? "?")") }
    if work.endsWatch { result.append("end watch") }
    if work.beginsWatch != nil { result.append("begin watch") }
    if let needs = work.publishesNeeds {
      result.append("publish needs of \(needs.needs.tables.keys.map(\.name).sorted().joined(separator: ", "))")
    }
    if work.startsReading { result.append("start reading") }
    if work.startsWriting { result.append("start writing") }
    if work.watchdog != nil { result.append("start watchdog") }
    if let (pause, id) = work.pause { result.append("pause \(queries.first { $0.value == id }?.key ?? "?") \(pause)") }
    return result
  }

  // MARK: Commits

  /// Reports a commit that inserts into a table.
  ///
  /// - Parameter needsVersion: The version of the needs for which it was captured; by default the current one.
  func commit(_ table: String?, needsVersion: Int? = nil) {
    if let table {
      commit(tables: [table], needsVersion: needsVersion)
    } else {
      commit(tables: [], needsVersion: needsVersion, isUnknown: true)
    }
  }

  func commit(tables: [String], needsVersion: Int? = nil, isUnknown: Bool = false, isContinued: Bool = false) {
    writeCount += 1
    var changes = changes(tables, needsVersion: needsVersion ?? self.needsVersion)
    changes.isContinued = isContinued
    _ = state.commitReported(changes, isUnknown: isUnknown, writeCount: writeCount, at: now)
  }

  private func changes(_ tables: [String], needsVersion: Int) -> CommittedChanges {
    commitNumber += 1
    let tables = tables.map { table in
      let tableChanges = CommittedChanges.TableChanges(key: TableKey(table), isCoarse: true, log: .empty)
      var kinds = CommittedChanges.Kinds()
      kinds.insert(.insert)
      tableChanges.set(kinds, updatedColumns: [], .all(count: 0))
      return tableChanges
    }
    return CommittedChanges(number: commitNumber, needsVersion: needsVersion, tables: ShortList(tables))
  }

  /// A connection begins to read stored changes, after a detection.
  func beginReadOfStoredChanges() -> LiveState.StoredChangesRead? {
    state.storedChangesDetected(at: now)
    return state.storedChangesReadBegan(writeCount: writeCount, at: now)
  }

  /// Reports the stored changes of external commits that insert into tables.
  ///
  /// - Returns: The batch that reads the same snapshot.
  func reportStoredChanges(_ read: LiveState.StoredChangesRead, _ tables: [String]) -> FetchBatch.Facts? {
    let commits = tables.map { changes([$0], needsVersion: .max) }
    state.externalCommitsReported(commits, externalCommitCount: nil, at: now)
    state.storedChangesReadEnded(read, at: now)
    return state.batchBegan(in: read, commitCount: commits.count, writeCount: writeCount, at: now)
  }

  // MARK: Fetches

  /// A connection begins a batch. Returns the names of its queries.
  func beginBatch(writing: Bool = false) -> FetchBatch.Facts? {
    state.batchBegan(writing: writing, writeCount: writeCount, at: now)
  }

  func next(in batch: FetchBatch.Facts) -> LiveState.Fetch? { state.nextFetch(in: batch.number, at: now) }

  static func result(_ table: String, digest: ResultDigest? = nil) -> LiveFetch.Facts {
    let region = DatabaseRegion(tables: [TableKey(table): .all])
    return LiveFetch.Facts(readSet: ReadSet(region), region: region, digest: digest)
  }

  /// Ends a fetch.
  ///
  /// - Parameter table: The table that it has read; nil if its reads are known.
  /// - Returns: The observers that receive the result.
  func succeed(
    _ fetch: LiveState.Fetch, reading table: String?, digest: ResultDigest? = nil, in batch: FetchBatch.Facts
  ) -> [String] {
    let result = table.map { Self.result($0, digest: digest) } ?? LiveFetch.Facts(digest: digest)
    let (receivers, _) = state.fetchSucceeded(fetch.item, result, batch, writeCount: writeCount)
    return receivers.map { names[$0] ?? "?" }
  }

  func isPausing(_ query: LiveQueryID) -> Bool { state.isPausing(query) }

  func deliver(_ fetch: LiveState.Fetch) { state.deliveryEnded(fetch.item.query, nil, at: now) }

  /// Runs all fetches of a new batch, and ends it. Returns the observers that receive a value.
  func fetchAll(
    reading tables: [String: String], digest: ResultDigest? = nil, during: (LiveStateDriver) -> Void = { _ in }
  ) -> [String] {
    guard let batch = beginBatch() else { return [] }
    var receivers: [String] = []
    while let fetch = next(in: batch) {
      during(self)
      let name = queries.first { $0.value == fetch.item.query }?.key ?? "?"
      let table = fetch.findsRegion ? tables[name] : nil
      receivers += succeed(fetch, reading: table, digest: digest, in: batch)
      deliver(fetch)
    }
    state.batchLeft(batch.number, from: now, to: now)
    return receivers
  }
}

extension LiveStateDriver {
  static let tables = ["players": "player", "teams": "team"]

  /// An observer of players that has received its first value.
  static func observedPlayers(
    _ interests: ObservationEvents.Interests = [], retry: RetryPolicy? = nil
  ) -> LiveStateDriver {
    let driver = LiveStateDriver()
    driver.observe("players", as: "A", interests, retry: retry)
    _ = driver.work()
    _ = driver.fetchAll(reading: tables)
    _ = driver.work()
    _ = driver.state.readerLeaves(after: 0, at: driver.now)
    return driver
  }
}
