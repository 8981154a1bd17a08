import Testing
import Tidemark

@testable import TidemarkEssentials

/// The invariants of `LiveState` in random schedules.
@Suite struct LiveStateSimulationTests {
  /// Runs schedules until one of them fails.
  ///
  /// - Returns: The failure, and the number of queries that were fetched from the snapshot of a read of stored changes.
  private func run(countsWrites: Bool, scheduleCount: Int) -> (failure: String?, sharedSnapshotCount: Int) {
    var random = SeededRandom()
    var sharedSnapshotCount = 0
    for number in 0..<scheduleCount {
      let simulation = LiveStateSimulation(random)
      simulation.countsWrites = countsWrites
      simulation.run(stepCount: 120)
      random = simulation.random
      sharedSnapshotCount += simulation.sharedSnapshotCount
      if let failure = simulation.failures.first { return ("schedule \(number): \(failure)", sharedSnapshotCount) }
    }
    return (nil, sharedSnapshotCount)
  }

  /// Invariants 1 to 4 of `LiveState`.
  @Test func `every observer receives the last value, and values move forward`() {
    let (failure, sharedSnapshotCount) = run(countsWrites: true, scheduleCount: 2_000)
    #expect(failure == nil)
    #expect(sharedSnapshotCount > 0)
  }

  /// The control: invariant 4 needs the number of commits.
  @Test func `the simulation finds missed commits if commits are not counted`() {
    #expect(run(countsWrites: false, scheduleCount: 20_000).failure != nil)
  }
}
