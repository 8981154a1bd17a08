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
    if fault == .disabledDetection { configuration.externalCommitDetection = .disabled }
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
    if countsWakes { try reachSentinel() }
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
    let state = countsWakes ? try wakeState() : nil
    let isSmall = random.below(4) > 0
    let isOwn = scenario.observerWrites && random.once(in: 4)
    if isSmall {
      if isOwn { try write() } else { random.pick(processes).begin(1) }
    } else {
      let countMax = random.once(in: 2) ? 20 : scenario.transactionCountMax
      for process in processes { begin(process, random.below(countMax)) }
      if isOwn { for _ in 0..<random.below(countMax / 4) { try write() } }
      if scenario.hasKills, random.once(in: 2) { try killProcess() }
    }
    for process in processes { process.wait() }
    try compare()
    if let state, run.allProblems.isEmpty { try countWakes(since: state, isSingle: isSmall) }
  }

  private func begin(_ process: WritingProcess, _ count: Int) {
    // An order of no transactions is one for the sentinel.
    if count > 0 { process.begin(count) }
  }

  private func write() throws {
    try pool.writeWithoutTransaction { db in
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
  }

  /// Compares the last values with the results of the queries. No program writes now.
  private func compare() throws {
    let all = queries.map(\.query)
    let expected = try pool.read { db in all.map { $0.words(db) } }
    let patience = scenario.fault == .disabledDetection || scenario.fault == .wrongRegions ? 0.2 : nil
    for (query, expected) in zip(queries, expected) {
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

  private struct WakeState {
    var content: ContentSnapshot
    var regions: [DatabaseRegion]
    var fetchCounts: [Int]
    var startCount: Int
    var unknownCount: Int
  }

  /// Called while no query waits for a fetch.
  private func wakeState() throws -> WakeState {
    let all = queries.map(\.query)
    let (content, regions) = try pool.read { db in
      let regions = try all.map { query in
        try db.recordingReads(usesBounds: true) { query.words(db) }.readSet.region.observable(db)
      }
      return (try ContentSnapshot(db), regions)
    }
    return WakeState(
      content: content, regions: regions, fetchCounts: queries.map(\.fetchCount),
      startCount: run.counted("processes"), unknownCount: unknownCount)
  }

  /// The number of times that the changes of external commits were unknown.
  private var unknownCount: Int {
    Int(LiveEngine.engine(of: pool._core).guarded.withLock { $0.state.unknownCommits.count })
  }

  /// - Parameter isSingle: Whether there was one transaction, so that none can have undone what another has changed.
  private func countWakes(since state: WakeState, isSingle: Bool) throws {
    try reachSentinel()
    let isUnknown = unknownCount > state.unknownCount
    let changes = try pool.read { db in
      let content = try ContentSnapshot(db)
      let changes = content.changes(since: state.content)
      return isSingle ? changes : try changes + content.storedChanges(since: state.content, db)
    }
    for (number, query) in queries.enumerated() where query.fetchCount > state.fetchCounts[number] {
      if changes.contains(where: { $0.modifies(state.regions[number]) }) {
        wakes.addHit(isSingle: isSingle)
      } else {
        wakes.addMiss(
          "TIDEMARK_SEED=\(run.seed) interval \(intervalCount), \(isSingle ? "one transaction" : "many transactions"), "
            + "\(isUnknown ? "unknown" : "known") changes, \(run.counted("processes") - state.startCount) new "
            + "processes: \(query.query.name) reads \(state.regions[number])", isSingle: isSingle)
      }
    }
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
    run.count("misses", wakes.misses.count)
    for query in queries { query.cancel() }
    sentinel?.cancel()
    for process in processes { process.kill() }
    try pool.close()
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
  }
}
