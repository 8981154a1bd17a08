import StressSupport
import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The pool and its live queries under schedules that a seed chooses: same seed, same trace; and its invariants hold in
/// all of them (P2, P3, P5, P6, P7).
@Suite(.serialized) struct SimulationTests {
  /// A folder in memory, with a store that is empty.
  private struct World {
    let folder: TestFolder
    private let template: String

    init() throws {
      folder = try TestFolder()
      template = folder.path + "/template.sqlite"
      let pool = try DatabasePool(path: template)
      _ = try ListStore(pool)
      try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try pool.close()
    }

    func scenario(seed: UInt64, hasUnreportedCommit: Bool = false) throws -> PoolScenario {
      for suffix in ["", "-wal", "-shm"] {
        // Most often there is none.
        try? FileManager.default.removeItem(atPath: folder.database + suffix)
      }
      try FileManager.default.copyItem(atPath: template, toPath: folder.database)
      return try PoolScenario(seed: seed, path: folder.database, hasUnreportedCommit: hasUnreportedCommit)
    }
  }

  /// Runs a closure on a thread of its own: a simulation blocks it.
  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  @Test(arguments: Scale.seeds(daily: 1, full: 1))
  func poolInvariantsHoldOnAllSchedules(seed: UInt64) async throws {
    let run = Run("simulation", seed: seed, limit: 1800)
    try await onThread {
      let world = try World()
      let isReplay = ProcessInfo.processInfo.environment["TIDEMARK_SEED"] != nil
      for index in 0..<(isReplay ? 1 : Scale.of(daily: 2000, full: 104_000)) {
        let own = isReplay ? seed : seed &+ UInt64(index)
        let scenario = try world.scenario(seed: own)
        scenario.play()
        // One history each, and a schedule of its own.
        run.count("histories")
        run.count("schedules")
        run.count("steps", scenario.stepCount)
        for (what, number) in scenario.counts { run.count(what, number) }
        for problem in scenario.problems { run.problem("TIDEMARK_SEED=\(own): \(problem)") }
        if index % 50 == 0 {
          let again = try world.scenario(seed: own)
          again.play()
          if again.trace != scenario.trace { run.problem("TIDEMARK_SEED=\(own): another trace the second time") }
          run.count("replays")
        }
      }
    }
    run.finish()
  }

  // MARK: - Planted faults

  @Test(arguments: Scale.seeds(daily: 1, full: 1))
  func `a commit that is not reported to live queries is found`(seed: UInt64) async throws {
    let run = Run("planted-commit", seed: seed)
    let problems = try await onThread {
      let world = try World()
      return try (0..<20).flatMap { index in
        let scenario = try world.scenario(seed: seed &+ UInt64(index), hasUnreportedCommit: true)
        scenario.play()
        return scenario.problems
      }
    }
    #expect(!problems.isEmpty)
    #expect(problems.allSatisfy { $0.contains("the last value of keys") })
    run.count("planted")
    run.finish()
  }

  /// A queue for a resource that loses the place of a request that is cancelled after it was granted.
  private final class FaultyWaitQueue: Sendable {
    private let gate: AccessGate
    private let executor: any AccessExecutor

    init(_ simulation: Simulation) {
      gate = AccessGate(simulation.environment)
      executor = simulation.environment.makeExecutor("", 1)
    }

    func access(_ body: @escaping @Sendable () -> Void) async throws {
      let isLost = Mutex(false)
      try await AccessExecution<Void>.perform(
        on: executor, until: nil,
        enter: { [gate] execution in gate.begin { execution.begin(()) } },
        leave: { [gate] _ in if !isLost.withLock({ $0 }) { gate.leave() } },
        { _, cancellation in
          body()
          isLost.withLock { $0 = cancellation.isCancelled }
        })
    }
  }

  @Test(arguments: Scale.seeds(daily: 1, full: 1))
  func aLostQueueEntryIsFound(seed: UInt64) async throws {
    let run = Run("planted-permit", seed: seed)
    let stuckCount = try await onThread {
      var stuckCount = 0
      for index in 0..<400 {
        let simulation = Simulation(seed: seed &+ UInt64(index))
        let line = FaultyWaitQueue(simulation)
        let tasks = (0..<4).map { _ in
          simulation.task {
            do {
              try await line.access { simulation.yield() }
            } catch {
              run.count("cancelled")
            }
          }
        }
        simulation.thread {
          for _ in 0..<simulation.below(6) { simulation.yield() }
          tasks[simulation.below(4)].cancel()
        }
        do {
          try simulation.run()
        } catch is Simulation.Stuck {
          stuckCount += 1
          // No request may wait forever.
          for task in tasks { task.cancel() }
          try simulation.run()
        }
      }
      return stuckCount
    }
    #expect(stuckCount > 0)
    run.count("planted")
    run.finish()
  }
}
