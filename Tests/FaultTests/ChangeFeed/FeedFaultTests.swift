import CFaultVFS
import Foundation
import StressSupport
import Testing

/// Each call to the disk, and each allocation of SQLite, fails in turn while a program writes the change feed. Data and
/// feed always agree: a committed transaction has exactly one entry, and another one has none.
@Suite(.serialized) struct FeedFaultTests {
  @Test(arguments: FeedScenario.all)
  func `the change feed agrees with the data after each disk fault`(_ scenario: FeedScenario) async throws {
    let run = Run("feed-disk-faults", seed: Scale.seed)
    let template = try scenario.makeTemplate()
    let all = try FeedFaultCase.all(of: scenario, FaultVFS.Fault.all.map(Injection.disk), template)
    await FeedFaultCase.run(all, daily: 6, template, run)
    run.finish()
  }

  /// A control: defects of the feed are detected after a fault.
  @Test(arguments: FeedDefect.allCases)
  func `a defect of the change feed is detected`(_ defect: FeedDefect) async throws {
    let run = Run("feed-disk-faults", seed: Scale.seed)
    let scenario = FeedScenario(scenario: .durableWrite)
    let template = try scenario.makeTemplate()
    let sync = FaultVFS.Fault(description: "sync", calls: FaultVFS.syncs)
    var faults = try FeedFaultCase.all(of: scenario, [.disk(sync)], template)
    for index in faults.indices { faults[index].defect = defect }
    for fault in faults {
      run.forgetProblems()
      for problem in try await fault.run(template).problems where problem.contains("in the feed") {
        run.problem(problem)
      }
      if run.allProblems.isEmpty { break }
    }
    run.finishControl(planted: "\(defect)")
  }

  /// The allocator must be installed before the first use of SQLite, so this runs in a process of its own.
  @Test func `the change feed agrees with the data after each lack of memory`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      guard fault_memory_install() == 0 else { fatalError("SQLite was in use already") }
      for scenario in FeedScenario.all {
        let run = Run("feed-memory-faults", seed: Scale.seed, limit: 600)
        let template = try scenario.makeTemplate()
        let all = try FeedFaultCase.all(of: scenario, [.memory], template)
        await FeedFaultCase.run(all, daily: 5, template, run)
        run.report()
      }
      fflush(nil)
    }
    let lines = MemoryFaultTests.lines(printedBy: result)
    for line in lines where line.hasPrefix("feed-memory-faults,") { Issue.record("\(line)") }
    #expect(lines.count { $0.hasPrefix("stress: end") && $0.hasSuffix("problems=0") } == FeedScenario.all.count)
  }
}
