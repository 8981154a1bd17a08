import Testing
import Tidemark

@testable import TidemarkEssentials

/// The invariants of `LiveState` in random schedules.
@Suite struct LiveStateSimulationTests {
  /// Runs schedules until one of them fails.
  private func failure(countsWrites: Bool, scheduleCount: Int) -> String? {
    var random = SeededRandom()
    var sharedSnapshotCount = 0
    for number in 0..<scheduleCount {
      let simulation = LiveStateSimulation(random)
      simulation.countsWrites = countsWrites
      simulation.run(stepCount: 120)
      random = simulation.random
      sharedSnapshotCount += simulation.sharedSnapshotCount
      if let failure = simulation.failures.first { return "schedule \(number): \(failure)" }
    }
    return sharedSnapshotCount == 0 ? "no query was fetched from the snapshot of a read of stored changes" : nil
  }

  /// Invariants 1 to 4 of `LiveState`.
  @Test func `every observer receives the last value, and values move forward`() {
    #expect(failure(countsWrites: true, scheduleCount: 2_000) == nil)
  }

  /// The control: invariant 4 needs the number of commits.
  @Test func `the simulation finds missed commits if commits are not counted`() {
    #expect(failure(countsWrites: false, scheduleCount: 20_000) != nil)
  }
}
