import Foundation
import StressSupport
import TestSupport
import Tidemark
@testable import TidemarkEssentials

/// A pool with live queries, while other processes write to its file.
///
/// In intervals, all processes run some transactions, and wait for each other. Then the last value of each live query is
/// compared with the result of its query. If all programs write the change feed, each query that was fetched must have
/// been affected: a row of its region has changed.
final class ProcessRun {
  private let run: Run
  private let folder: TestFolder
  private let pool: DatabasePool
  private let scenario: ProcessScenario
  private var random: RandomNumbers
  private var writer: RandomWriter
  private var queries: [ObservedQuery] = []
  private var sentinel: ObservedQuery?
  private var processes: [WritingProcess] = []
  private var intervalCount = 0

  private(set) var wakes = WakeCount()

  /// The database after the last interval, if wakes are counted.
  private var state: State?

  /// The numbers of fetches of the queries, and of unknown changes, after the last interval.
  private var fetchCounts: [Int] = []
  private var lastUnknownCount = 0

  init(_ run: Run, feed: ProcessScenario.Feed? = nil, fault: ProcessScenario.Fault? = nil) throws {
    self.run = run
    random = RandomNumbers(seed: run.seed)
    scenario = ProcessScenario(&random, seed: run.seed, feed: feed, fault: fault)
    print("stress: \(scenario)")
    folder = try TestFolder()
    writer = RandomWriter(WriterPlan([.pool], [], seed: run.seed, stream: 0))
    var configuration = Configuration()
    configuration.busyMode = .timeout(WaitLimit.seconds)
    if scenario.observerWritesFeed { configuration.changeFeed = ChangeFeedConfiguration() }
    configuration.findsTablesOfExternalCommits = scenario.observerFindsTables
    if fault == .disabledDetection { configuration.externalCommitDetection = .disabled }
    if scenario.isWithoutPolling { configuration.environment.commitPollingInterval = .seconds(3_600) }
    pool = try DatabasePool(path: folder.database, configuration: configuration)
    createQueries(try makeSchema())
    for plan in scenario.writers { processes.append(try WritingProcess(plan, in: folder, run)) }
  }

  /// - Returns: A generator of queries in the schema.
  private func makeSchema() throws -> (inout RandomNumbers) -> WakeQuery {
    let schema = scenario.hasAssociations ? WakeSchema.associations(&random) : WakeSchema(&random, isInOneFile: true)
    try pool.writeWithoutTransaction { db in
      for sql in schema.statements { try db.execute(sql: sql) }
      try db.execute(sql: "CREATE TABLE sentinel (n INTEGER); INSERT INTO sentinel VALUES (0)")
      for _ in 0..<30 { _ = writer.run(LibraryConnection(db)) }
    }
    if scenario.hasAssociations { return { .association(&$0) } }
    return { WakeQuery(sql: schema.query(&$0)) }
  }

  private func createQueries(_ makeQuery: (inout RandomNumbers) -> WakeQuery) {
    var all = (0..<20).map { _ in makeQuery(&random) }
    all += (0..<3).map { WakeQuery(sql: "SELECT id, n, r FROM extra\($0) ORDER BY id") }
    let region = scenario.fault == .wrongRegions ? Table("sentinel") : nil
    queries = all.map { ObservedQuery($0, in: pool, region: region, run) }
    sentinel = ObservedQuery(WakeQuery(sql: "SELECT n FROM sentinel"), in: pool, run)
  }

  // MARK: - Intervals

  /// Runs intervals until other processes have committed a number of transactions, or a problem is found.
  func runIntervals(untilCount count: Int) throws {
    var reported = 0
    if countsWakes {
      state = try readState()
      try reachSentinel()
      noteWakes()
    }
    while run.counted("transactions") < count, run.allProblems.isEmpty {
      try runInterval()
      if Scale.isFull, run.counted("transactions") / 10_000 > reported {
        reported = run.counted("transactions") / 10_000
        print("stress: processes TIDEMARK_SEED=\(run.seed) \(run.counted("transactions")) of \(count) transactions")
      }
    }
  }

  private func runInterval() throws {
    intervalCount += 1
    run.count("intervals")
    let isSingle = random.below(4) > 0
    let isOwn = scenario.observerWrites && random.once(in: 4)
    if isSingle {
      if isOwn { write() } else { random.pick(processes).begin(1) }
    } else {
      let countMax = random.once(in: 2) ? 20 : scenario.transactionCountMax
      for process in processes { begin(process, random.below(countMax)) }
      if isOwn { for _ in 0..<random.below(countMax / 4) { write() } }
      if scenario.hasKills, random.once(in: 2) { try killProcess() }
    }
    for process in processes { process.wait() }
    let current = try readState()
    compare(current)
    if let state, run.allProblems.isEmpty { try countWakes(from: state, to: current, isSingle: isSingle) }
    if countsWakes { state = current }
  }

  private func begin(_ process: WritingProcess, _ count: Int) {
    // An order of no transactions is one for the sentinel.
    if count > 0 { process.begin(count) }
  }

  private func write() {
    pool.writeWithoutTransaction { db in
      if writer.run(LibraryConnection(db)) { run.count("own") }
    }
  }

  private func killProcess() throws {
    let index = random.below(processes.count)
    // A random moment of its work.
    usleep(UInt32(random.below(5_000)))
    processes[index].kill()
    run.count("kills")
    processes[index] = try WritingProcess(scenario.successor(of: processes[index].plan), in: folder, run)
    // When it opens the file, it may store that others have committed. This belongs to this interval, too.
    if countsWakes { processes[index].incrementSentinel() }
  }

  // MARK: - Comparison

  /// The database between two intervals.
  private struct State {
    var values: [String]

    /// The regions that the live queries observe, and the content: if wakes are counted.
    var regions: [DatabaseRegion] = []
    var content: ContentSnapshot?
  }

  /// Called while no process writes.
  private func readState() throws -> State {
    let all = queries.map(\.query)
    let countsWakes = countsWakes
    return try pool.read { db in
      if !countsWakes { return State(values: all.map { $0.words(db) }) }
      var state = State(values: [], content: try ContentSnapshot(db))
      for query in all {
        let (words, readSet) = db.recordingReads(usesBounds: true) { query.words(db) }
        state.values.append(words)
        state.regions.append(try readSet.region.observable(db))
      }
      return state
    }
  }

  /// Compares the last values with the results of the queries.
  private func compare(_ state: State) {
    let patience = scenario.fault == .disabledDetection || scenario.fault == .wrongRegions ? 0.2 : nil
    for (query, expected) in zip(queries, state.values) {
      run.count("values")
      if query.wait(for: expected, patience: patience) { continue }
      run.problem(
        "interval \(intervalCount) of \(scenario): the result of \(query.query.name) is \(expected), and the last "
          + "value is \(query.last)")
    }
  }

  // MARK: - Wakes

  /// Whether all programs write the change feed.
  private var countsWakes: Bool { scenario.feed == .all && scenario.fault != .disabledDetection }

  /// The number of times that the changes of external commits were unknown.
  private var unknownCount: Int {
    Int(LiveEngine.engine(of: pool._core).guarded.withLock { $0.state.unknownCommits.count })
  }

  /// Counts the queries that were fetched since the last interval.
  ///
  /// - Parameter isSingle: Whether there was one transaction, so that none can have undone what another has changed.
  private func countWakes(from before: State, to after: State, isSingle: Bool) throws {
    try reachSentinel()
    guard let old = before.content, let new = after.content else { return }
    let netChanges = new.changes(since: old)
    let stored = try pool.read { try new.storedChanges(since: old, $0) }
    let interval: WakeCount.Interval =
      unknownCount > lastUnknownCount ? isSingle ? .singleUnknown : .unknown : isSingle ? .single : .many
    for (number, query) in queries.enumerated() where query.fetchCount > fetchCounts[number] {
      let region = before.regions[number]
      let isNetHit = netChanges.contains { $0.modifies(region) }
      if isNetHit || stored.contains(where: { $0.modifies(region) }) {
        wakes[interval].hits += 1
        if interval == .single, !isNetHit { wakes[interval].undone += 1 }
      } else {
        wakes[interval].misses.append(
          "TIDEMARK_SEED=\(run.seed) interval \(intervalCount), \(interval.rawValue): \(query.query.name) reads \(region)"
        )
      }
    }
    noteWakes()
  }

  /// Called while no query waits for a fetch.
  private func noteWakes() {
    fetchCounts = queries.map(\.fetchCount)
    lastUnknownCount = unknownCount
  }

  /// Waits until a commit was delivered that another process makes now, and until no query waits for a fetch.
  private func reachSentinel() throws {
    processes[0].incrementSentinel()
    let expected = try pool.read { try Row.fetchAll($0, sql: "SELECT n FROM sentinel").words }
    if sentinel?.wait(for: expected) == false { run.problem("the commit \(expected) was not delivered") }
    let engine = LiveEngine.engine(of: pool._core)
    try Wait.until("the end of all fetches") { engine.guarded.withLock { $0.state.busyQueryCount } == 0 }
  }

  // MARK: - The end

  func end() throws {
    run.count("fetches", pool.observationMetrics.fetchCount)
    run.count("wakes", pool.observationMetrics.wakeCount)
    run.count("hits", wakes.hits)
    run.count("misses", wakes.misses)
    for query in queries { query.cancel() }
    sentinel?.cancel()
    for process in processes { process.kill() }
    try pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
  }
}
