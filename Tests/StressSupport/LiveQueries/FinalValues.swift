import Tidemark

extension LiveWorld {
  /// Runs a thousand transactions per round, then pauses: all live queries must have the latest values by then.
  package static func checkFinalValues(_ run: Run, rounds: Int, queryCount: Int) async throws {
    let folder = try TestFolder()
    let world = try LiveWorld(folder.pool(), run, keepsHistory: false)
    let observers = try world.observe(count: queryCount)
    let workers = Workers(run: run)
    for round in 1...rounds {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await workers.threads(2, "writing thread") { try world.write(as: 16 * round + $0, 250) } }
        group.addTask {
          await workers.tasks(2, "writing task") { try await world.writeAsync(as: 16 * round + 8 + $0, 250) }
        }
      }
      try world.checkWhenIdle(observers)
      if !run.allProblems.isEmpty { break }
    }
    for observer in observers { observer.cancel() }
    run.count("wakes", world.pool.observationMetrics.wakeCount)
    try world.pool.close()
  }

  /// The same while other connections write: with the change feed, without it, or both.
  package static func checkFinalValuesOfOthers(_ run: Run, rounds: Int, queryCount: Int) async throws {
    let folder = try TestFolder()
    var numbers = RandomNumbers(seed: run.seed)
    // Old entries are removed while they are read.
    let feed = ChangeFeedConfiguration(keptByteCount: numbers.once(in: 2) ? 100_000 : 100_000_000)
    let world = try LiveWorld(folder.pool { $0.changeFeed = feed }, run, keepsHistory: false)
    let other = try folder.pool { $0.changeFeed = feed }
    let stranger = try folder.pool()
    let observers = try world.observe(count: queryCount)
    let workers = Workers(run: run)
    for round in 1...rounds {
      let writers: [DatabasePool] = [other, stranger, world.pool].filter { $0 === other || numbers.once(in: 2) }
      await workers.threads(writers.count, "writing thread") { number in
        try world.write(as: 16 * round + number, 250, in: writers[number])
      }
      if numbers.once(in: 4) { try await other.vacuum() }
      if numbers.once(in: 4) { try await other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
      if numbers.once(in: 4) {
        try await other.write { try $0.execute(sql: "ALTER TABLE gone ADD COLUMN c\(round)") }
      }
      try world.checkWhenIdle(observers)
      if !run.allProblems.isEmpty { break }
    }
    for observer in observers { observer.cancel() }
    let metrics = world.pool.observationMetrics
    run.count("wakes", metrics.wakeCount)
    run.count("external", metrics.externalCommitCount)
    for pool in [world.pool, other, stranger] { try pool.close() }
  }
}
