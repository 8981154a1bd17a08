import StressSupport
import Testing

/// Each call to the disk fails in turn, once and permanently, in every possible way (guarantees P1, P2, P4 and P6).
@Suite(.serialized) struct DiskFaultTests {
  @Test(arguments: Scenario.all)
  func diskFaultsLoseNoAcknowledgedWrite(_ scenario: Scenario) throws {
    let run = Run("disk-faults", seed: Scale.seed)
    let template = try Template(scenario.kind)
    let all = try FaultCase.all(of: scenario, FaultVFS.Fault.all.map(Injection.disk), template)
    try FaultCase.run(all, daily: 30, template, run)
    run.finish()
  }

  /// A control: a program that takes an unknown outcome for a rollback is detected: the transaction may be on the disk.
  @Test(arguments: [Scenario.durableWrite, .group])
  func aProgramThatTrustsAFailedCommitIsDetected(_ scenario: Scenario) throws {
    let run = Run("disk-faults", seed: Scale.seed)
    let template = try Template(.durablePool)
    let sync = FaultVFS.Fault(description: "sync", calls: FaultVFS.syncs)
    var problems: [String] = []
    for var fault in try FaultCase.all(of: scenario, [.disk(sync)], template) {
      fault.isNaive = true
      problems += try fault.run(template).problems
    }
    let isFound = problems.contains { $0.contains("was refused, and is there") }
    run.count("planted", isFound ? 1 : 0)
    if !isFound { run.problem("nothing was found: \(problems)") }
    run.finish()
  }
}
