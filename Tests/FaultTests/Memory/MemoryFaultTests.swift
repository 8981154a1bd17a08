import CFaultVFS
import Foundation
import StressSupport
import Testing

/// Each allocation of SQLite fails in turn, once and for good (hazard D7).
///
/// SQLite is given its memory before it is used first, so all of this runs in a process of its own.
@Suite(.serialized) struct MemoryFaultTests {
  @Test func aLackOfMemoryLosesNothingThatWasAcknowledged() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      guard fault_memory_install() == 0 else { fatalError("SQLite was in use already") }
      var isWell = true
      for scenario in Scenario.all {
        let run = Run("memory-faults", seed: Scale.seed, limit: 600)
        let template = try Template(scenario.kind)
        let all = try FaultCase.all(of: scenario, [.memory], template)
        try FaultCase.run(all, daily: 25, template, run)
        isWell = run.allProblems.isEmpty && isWell
        run.tell()
      }
      fflush(nil)
      exit(isWell ? 0 : 1)
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }
}
