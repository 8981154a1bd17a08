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
}
