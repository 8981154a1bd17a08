import StressSupport
import Testing
import Tidemark

/// The power fails at each call to the disk of a program that writes the change feed. Data and feed agree in the
/// resulting files, and tokens of lost transactions are refused, also when their versions are used again.
@Suite(.serialized) struct FeedPowerLossTests {
  private func run(
    _ program: PowerLoss.Program, _ feed: ChangeFeedConfiguration = ChangeFeedConfiguration(),
    forgetsDigests: Bool = false, stride: Int = Scale.of(daily: 61, full: 3)
  ) async throws -> (Run, FeedPowerLoss.Verdict) {
    let run = Run("feed-power-loss", seed: Scale.seed)
    var recording = try FeedPowerLoss(program, feed: feed, transactionCount: Scale.of(daily: 16, full: 40))
    recording.forgetsDigests = forgetsDigests
    var all = FeedPowerLoss.Verdict()
    for folders in Disk.Folders.allCases {
      let verdict = try await recording.verdict(folders, seed: run.seed, stride: stride)
      all.imageCount += verdict.imageCount
      all.lostImageCount += verdict.lostImageCount
      all.lostMax = max(all.lostMax, verdict.lostMax)
      all.refusedCount += verdict.refusedCount
      all.unknownCount += verdict.unknownCount
      all.problems += verdict.problems
    }
    run.count("images", all.imageCount)
    run.count("refused", all.refusedCount)
    run.count("unknown", all.unknownCount)
    return (run, all)
  }

  @Test(arguments: [PowerLoss.Program.durablePool, .durableQueue, .durableGroups])
  func `a power failure loses no acknowledged transaction and no entry`(_ program: PowerLoss.Program) async throws {
    let (run, verdict) = try await run(program)
    run.count("lost", verdict.lostImageCount)
    for problem in verdict.problems { run.problem(problem) }
    run.finish()
  }

  @Test(arguments: [PowerLoss.Program.pool, .queue, .groups])
  func `a power failure loses the last transactions together with their entries`(
    _ program: PowerLoss.Program
  ) async throws {
    let (run, verdict) = try await run(program)
    for problem in verdict.problems { run.problem(problem) }
    if !program.isQueue, verdict.lostImageCount > 0, verdict.refusedCount == 0 {
      run.problem("no version was used again")
    }
    run.finish()
  }

  @Test func `a power failure during the removal of old entries leaves a feed without gaps`() async throws {
    let (run, verdict) = try await run(.pool, ChangeFeedConfiguration(keptByteCount: 2_500))
    for problem in verdict.problems { run.problem(problem) }
    run.finish()
  }

  /// A control: unsafe ways of writing are detected.
  @Test(arguments: [PowerLoss.Program.unsafePool, .lyingDisk])
  func `a feed on a disk that reports syncs falsely is detected`(_ program: PowerLoss.Program) async throws {
    // Not every power failure shows the fault.
    let (run, verdict) = try await run(program, stride: Scale.of(daily: 7, full: 3))
    for problem in verdict.problems { run.problem(problem) }
    run.finishControl(planted: program.rawValue)
  }

  /// A control: consumers that remember the version of a lost transaction, and not its digest, are detected.
  @Test func `following a lost transaction by its version is detected`() async throws {
    let (run, verdict) = try await run(.pool, forgetsDigests: true)
    for problem in verdict.problems where problem.contains("is accepted") { run.problem(problem) }
    run.finishControl(planted: "a version without a digest")
  }
}
