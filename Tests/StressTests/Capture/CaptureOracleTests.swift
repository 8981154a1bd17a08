import StressSupport
import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The reported changes of a transaction are exactly its changes: the same rows, with the same old and new values.
@Suite(.serialized) struct CaptureOracleTests {
  @Test(arguments: Scale.seeds(daily: 6, full: 500))
  func reportedChangesMatchTheDatabase(seed: UInt64) throws {
    var world = CaptureWorld(seed: seed)
    world.isAlone = seed.isMultiple(of: 2)
    try check(Run("capture", seed: seed), world) { _ in .all }
  }

  /// Changes of tables that are not requested, or only in part, bypass capture. No requested change is missed.
  @Test(arguments: Scale.seeds(daily: 12, full: 500))
  func requestedTablesAreReportedInCommitsOfOtherChanges(seed: UInt64) throws {
    var random = RandomNumbers(seed: seed ^ 0xA5A5)
    var world = CaptureWorld(seed: seed)
    world.habits = RandomNumbers(seed: seed ^ 0x5A5A)
    world.isAlone = random.once(in: 2)
    try check(Run("capture-quiet", seed: seed), world) { shapes in
      var needs = CaptureNeeds.none
      for key in (shapes.tables.map(\.key) + shapes.virtualTables.map(\.0)).sorted(by: {
        $0.description < $1.description
      }) {
        switch random.below(4) {
        case 0: needs.tables[key] = .all
        case 1: needs.tables[key] = .init(columns: nil)
        default: break
        }
      }
      return needs
    }
  }

  /// The control: an unreported commit is detected.
  @Test func unreportedCommitsAreDetected() throws {
    var isPlanted = false
    var seed = Scale.seed
    // In most worlds, the last change of some transaction is an insertion. This commit is removed.
    while !isPlanted {
      seed &+= 1
      let run = Run("capture-control", seed: seed)
      try check(run, CaptureWorld(seed: seed), { _ in .all }, finish: { _ in }) { reports in
        guard !isPlanted, reports.count == 1, !reports[0].isUnknown, reports[0].schemaChanges.isEmpty,
          reports[0].rows.last?.kind == .insert
        else { return }
        reports = []
        isPlanted = true
      }
      if isPlanted { run.finishControl(planted: "a commit that is not reported") } else { run.report() }
    }
  }

  private func check(
    _ run: Run, _ begin: CaptureWorld, _ requestedNeeds: (CaptureShapes) -> CaptureNeeds,
    finish: (Run) -> Void = { $0.finish() }, planting plant: (inout [CommittedChanges]) -> Void = { _ in }
  ) throws {
    let dbQueue = try DatabaseQueue()
    var world = begin
    var oracle = CaptureOracle()
    let commits = Mutex<[CommittedChanges]>([])
    try dbQueue.inDatabase { db in
      try world.makeSchema(db)
      let needs = try requestedNeeds(CaptureShapes(db))
      let subscription = dbQueue.changeBroker.subscribe(needs) { changes in commits.withLock { $0.append(changes) } }
      // With FAIL in a trigger or a constraint, any transaction may be reported in part as unknown.
      let hasFailing = try !Row.fetchAll(
        db,
        sql: """
          SELECT 1 FROM main.sqlite_master WHERE sql LIKE '%FAIL%' UNION ALL
          SELECT 1 FROM temp.sqlite_master WHERE sql LIKE '%FAIL%' UNION ALL
          SELECT 1 FROM Aux.sqlite_master WHERE sql LIKE '%FAIL%'
          """
      ).isEmpty
      var shapes = try CaptureShapes(db)
      var before = try CaptureDump(db, shapes)
      commits.withLock { $0.removeAll() }
      for number in 0..<Scale.of(daily: 60, full: 200) {
        try world.runTransaction(db, shapes)
        var reports = commits.withLock { reports in
          defer { reports = [] }
          return reports
        }
        plant(&reports)
        if world.changesSchema { shapes = try CaptureShapes(db) }
        let after = try CaptureDump(db, shapes)
        let (known, knownCoarse) = (oracle.problems.count, oracle.needlesslyCoarse.count)
        oracle.check(reports, before, after, needs: needs, mayBeCoarse: hasFailing || world.mayBeCoarse)
        for problem in oracle.problems[known...] {
          run.problem("transaction \(number): \(problem); \(world.script.joined(separator: "; "))")
        }
        for words in oracle.needlesslyCoarse[knownCoarse...] {
          run.count("needless")
          let script = world.script.joined(separator: "; ")
          print("stress: capture, TIDEMARK_SEED=\(run.seed), transaction \(number): \(words); \(script)")
          // One coarse report may be a coincidence. A second one in a run is a problem.
          if oracle.needlesslyCoarse.count > 1 { run.problem("transaction \(number): \(words); \(script)") }
        }
        run.count("transactions")
        before = after
        if oracle.problems.count > 5 { break }
      }
      subscription.cancel()
    }
    run.count("rows", oracle.rowCount)
    run.count("coarse", oracle.coarseCount)
    finish(run)
  }
}
