import StressSupport
import Testing
import Tidemark

/// Many live queries and many writers: the delivered values are the results of the queries, commit by commit.
@Suite(.serialized) struct LiveQueryTests {
  /// Each delivered value is the result of its query at some commit, these commits increase, and after the last commit
  /// the last value is the current result.
  @Test(arguments: Scale.seeds(daily: 2, full: 2))
  func deliveredValuesAreResultsOfCommits(seed: UInt64) async throws {
    let run = Run("live", seed: seed, limit: 900)
    let folder = try TestFolder()
    let world = try LiveWorld(folder.pool(), run)
    let transactionCount = Scale.of(daily: 200, full: 5000)
    let observers = try world.observe(count: Scale.of(daily: 60, full: 200))
    let workers = Workers(run: run)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await workers.threads(2, "writing thread") { try world.write(as: $0, transactionCount) } }
      group.addTask {
        await workers.tasks(2, "writing task") { try await world.writeAsync(as: 10 + $0, transactionCount) }
      }
      group.addTask {
        await workers.threads(1, "restless thread") { _ in try world.startAndCancel(transactionCount / 4) }
      }
    }
    try world.checkWhenIdle(observers)
    for observer in observers { observer.cancel() }
    if world.pool.observationMetrics.observationCount > 0 { run.problem("Observations are left") }
    run.count("wakes", world.pool.observationMetrics.wakeCount)
    try world.pool.close()
    try world.checkHistory(observers)
    run.finish()
  }

  /// However many transactions there are, the last value is delivered. `StressLive` does the same with a million.
  @Test(arguments: Scale.seeds(daily: 1, full: 1))
  func finalValuesAreDelivered(seed: UInt64) async throws {
    let run = Run("live-final", seed: seed)
    try await LiveWorld.checkFinalValues(run, rounds: Scale.of(daily: 4, full: 20), queryCount: 60)
    run.finish()
  }

  @Test(arguments: Scale.seeds(daily: 3, full: 40))
  func `the last values of other connections are delivered, with the change feed, without it, and mixed`(
    seed: UInt64
  ) async throws {
    let run = Run("live-others", seed: seed)
    try await LiveWorld.checkFinalValuesOfOthers(run, rounds: Scale.of(daily: 4, full: 40), queryCount: 60)
    run.finish()
  }

  /// The control: an observer that skips a value, and one that shows another one, are found.
  @Test(arguments: Scale.seeds(daily: 1, full: 1))
  func valuesOfTheWrongCommitAreFound(seed: UInt64) throws {
    let run = Run("live-control", seed: seed)
    let folder = try TestFolder()
    let world = try LiveWorld(folder.pool(), run)
    let observers = try world.observe(count: 20)
    try world.write(as: 0, 50)
    try world.checkWhenIdle(observers)
    observers[3].plant()
    for observer in observers { observer.cancel() }
    try world.pool.close()
    try world.checkHistory(observers)
    #expect(run.allProblems.count == 1)
    if run.allProblems.count == 1 {
      run.count("planted")
      run.forgetProblems()
    }
    run.finish()
  }
}
