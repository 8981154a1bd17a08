import StressSupport
import Testing

/// Ending an observation never waits for itself, at any moment.
///
/// A hang ends the process with the name and the seed of the run: see `Run`.
@Suite(.serialized) struct CancellationRaceTests {
  @Test(arguments: CancellationRace.Ending.allCases)
  func observationsEndWhileAThreadWrites(ending: CancellationRace.Ending) async throws {
    let run = Run("live-ending", seed: Scale.seed)
    try await CancellationRace.endObservations(ending, Scale.of(daily: 500, full: 3_000), run)
    run.finish()
  }

  @Test func poolsCloseWhileTheyAreObserved() async throws {
    let run = Run("live-closing", seed: Scale.seed)
    try await CancellationRace.closePools(Scale.of(daily: 200, full: 1_000), run)
    run.finish()
  }
}
