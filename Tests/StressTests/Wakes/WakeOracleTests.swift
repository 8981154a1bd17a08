import StressSupport
import Testing

/// If a transaction changes the result of a query, the region of the query is modified.
///
/// The queries are executed before and after the transaction, so the oracle does not depend on change capture.
@Suite(.serialized) struct WakeOracleTests {
  @Test(arguments: Scale.seeds(daily: 12, full: 400))
  func queriesWithChangedResultsAreWoken(seed: UInt64) throws {
    let run = Run("wakes", seed: seed)
    try checkWakes(run, WakeWorld(seed: seed))
    run.finish()
  }

  /// The control: a commit that does not wake any query is detected.
  @Test func unreportedCommitsAreDetected() throws {
    var seed = Scale.seed
    while true {
      let run = Run("wakes-control", seed: seed)
      try checkWakes(run, WakeWorld(seed: seed)) { woken in woken = [] }
      if !run.allProblems.isEmpty { return run.finishControl(planted: "a commit that is not reported") }
      run.report()
      seed &+= 1
    }
  }
}

/// The same for requests with associations: joined, prefetched and counted ones.
@Suite(.serialized) struct AssociationWakeOracleTests {
  @Test(arguments: Scale.seeds(daily: 12, full: 400))
  func `requests with changed results are woken`(seed: UInt64) throws {
    let run = Run("wakes-associations", seed: seed)
    try checkWakes(run, WakeWorld(associationsWithSeed: seed))
    run.finish()
  }

  /// The control: a region without the prefetched rows is detected.
  @Test func `unobserved prefetched rows are detected`() throws {
    var seed = Scale.seed
    while true {
      let run = Run("wakes-associations-control", seed: seed)
      try checkWakes(run, WakeWorld(associationsWithSeed: seed), readsOnly: ["author"])
      if !run.allProblems.isEmpty { return run.finishControl(planted: "a region without associated tables") }
      run.report()
      seed &+= 1
    }
  }
}
