import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The power fails at each call to the disk, and the resulting files are opened (guarantees P1 and P2, hazards F16,
/// D8).
@Suite(.serialized) struct PowerLossTests {
  private func run(_ program: PowerLoss.Program) throws -> (Run, PowerLoss.Verdict) {
    let run = Run("power-loss", seed: Scale.seed)
    let recording = try PowerLoss(program, transactionCount: Scale.of(daily: 16, full: 60))
    var all = PowerLoss.Verdict()
    for folders in Disk.Folders.allCases {
      let verdict = try recording.verdict(folders, seed: run.seed, stride: Scale.of(daily: 5, full: 1))
      all.imageCount += verdict.imageCount
      all.lostImageCount += verdict.lostImageCount
      all.damagedImageCount += verdict.damagedImageCount
      all.lostMax = max(all.lostMax, verdict.lostMax)
      all.examples += verdict.examples
    }
    run.count("images", all.imageCount)
    return (run, all)
  }

  @Test(arguments: [PowerLoss.Program.durablePool, .durableQueue, .durableGroups])
  func synchronousCommitsSurvivePowerLoss(_ program: PowerLoss.Program) throws {
    let (run, verdict) = try run(program)
    run.count("lost", verdict.lostImageCount)
    for example in verdict.examples { run.problem(example) }
    run.finish()
  }

  /// A prefix of the commits. The writes that share a transaction are all there, or all absent.
  @Test(arguments: [PowerLoss.Program.pool, .groups])
  func asynchronousCommitsSurviveAsAPrefix(_ program: PowerLoss.Program) throws {
    let (run, verdict) = try run(program)
    for example in verdict.examples { run.problem(example) }
    // At most the transactions since the last checkpoint.
    if verdict.lostMax > 8 { run.problem("\(verdict.lostMax) transactions are lost") }
    run.finish()
  }

  @Test(arguments: [PowerLoss.Program.queue, .queueGroups])
  func rollbackJournalLosesAtMostTheLastCommit(_ program: PowerLoss.Program) throws {
    let (run, verdict) = try run(program)
    for example in verdict.examples { run.problem(example) }
    if verdict.lostMax > 1 { run.problem("\(verdict.lostMax) transactions are lost") }
    run.finish()
  }

  /// A journal that comes back after the power failure would undo the switch to WAL mode.
  @Test(arguments: [Configuration.Durability.default, .full])
  func aNewFileIsInWALModeAfterAPowerLossOnceItsPoolIsOpen(_ durability: Configuration.Durability) throws {
    let (vfs, folder) = (FaultVFS(), try TestFolder())
    vfs.record()
    var configuration = Configuration()
    configuration.environment.vfs = vfs.name
    configuration.durability = durability
    let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
    var disk = Disk(.withTheirOwnSync)
    for event in vfs.events { _ = disk.play(event) }
    try pool.close()
    var numbers = RandomNumbers(seed: Scale.seed)
    let image = disk.image(.nothing, &numbers)
    for suffix in ["", "-wal", "-journal"] {
      let bytes = image[folder.path("db.sqlite" + suffix)]
      try bytes?.write(to: URL(filePath: folder.path("image.sqlite" + suffix)))
    }
    let db = try PlainDatabase(path: folder.path("image.sqlite"))
    #expect(try db.numbers("SELECT COUNT(*) FROM sqlite_master") == [0])
    #expect(try db.texts("PRAGMA journal_mode") == ["wal"])
  }

  /// A control: unsafe ways of writing are detected.
  @Test(arguments: [PowerLoss.Program.unsafePool, .lyingDisk, .groupsOnLyingDisk])
  func disksThatReportFalseSyncsLoseData(_ program: PowerLoss.Program) throws {
    let (run, verdict) = try run(program)
    let found = verdict.damagedImageCount + (program.keepsAll ? verdict.lostImageCount : 0)
    run.count("planted", found > 0 ? 1 : 0)
    run.count("found", found)
    if found == 0 { run.problem("\(program.rawValue): nothing was found in \(verdict.imageCount) images") }
    run.finish()
  }
}
