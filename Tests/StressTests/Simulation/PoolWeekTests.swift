import Foundation
import StressSupport
import TestSupport
import Testing

/// A pool that is used for days of simulated time: see `PoolWeek`.
///
/// Each test has its own process: the resources of other tests would be counted, too.
@Suite(.serialized, .untilItHangs) struct PoolWeekTests {
  @Test func `a week of use leaves nothing behind`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      for seed in Scale.seeds(daily: 1, full: 3) {
        try PoolWeekTests.play("week", seed, days: 7)
      }
    }
    #expect(problems(printedBy: result) == [])
  }

  // The allocator of a sanitizer does not report the size of the heap.
  @Test(.disabled(if: Sanitizer.isUsed)) func `live queries that are never cancelled are found`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      try PoolWeekTests.play("planted-leak", Scale.seed, days: 3, leaks: true)
    }
    let problems = problems(printedBy: result)
    #expect(problems.count == 1 && problems.allSatisfy { $0.contains("bytes of the heap") }, "\(problems)")
  }

  private static let prefix = "problem: "

  /// Plays the days, and prints the counters and the problems.
  private static func play(_ scenario: String, _ seed: UInt64, days: Int, leaks: Bool = false) throws {
    let run = Run(scenario, seed: seed, limit: 1800)
    let folder = try TestFolder()
    let week = try PoolWeek(seed: seed, days: days, path: folder.database, leaks: leaks)
    week.play()
    for (what, number) in week.counts { run.count(what, number) }
    if leaks { run.count("planted") }
    for problem in week.problems { print("\(prefix)TIDEMARK_SEED=\(seed): \(problem)") }
    run.report()
  }

  /// The problems that a process has printed. Prints its counters.
  private func problems(printedBy result: ExitTest.Result?) -> [String] {
    let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(whereSeparator: \.isNewline)
    for line in lines where line.hasPrefix("stress:") { print(line) }
    return lines.filter { $0.hasPrefix(Self.prefix) }.map { String($0.dropFirst(Self.prefix.count)) }
  }
}
