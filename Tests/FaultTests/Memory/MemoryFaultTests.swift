import CFaultVFS
import Foundation
import StressSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Each allocation of SQLite fails in turn, once and permanently (hazard D7).
///
/// The allocator must be installed before the first use of SQLite, so all of this runs in a process of its own.
@Suite(.serialized) struct MemoryFaultTests {
  @Test func lackOfMemoryLosesNoAcknowledgedWrite() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      guard fault_memory_install() == 0 else { fatalError("SQLite was in use already") }
      for scenario in Scenario.all {
        let run = Run("memory-faults", seed: Scale.seed, limit: 600)
        let template = try Template(scenario.kind)
        let all = try FaultCase.all(of: scenario, [.memory], template)
        try FaultCase.run(all, daily: 20, template, run)
        run.report()
      }
      fflush(nil)
    }
    let lines = Self.lines(printedBy: result)
    for line in lines where line.hasPrefix("memory-faults,") { Issue.record("\(line)") }
    #expect(lines.count { $0.hasPrefix("stress: end") && $0.hasSuffix("problems=0") } == Scenario.all.count)
  }

  /// A control: a program that continues after an error, and commits, is detected: its write is incomplete.
  @Test func aProgramThatIgnoresLackOfMemoryIsDetected() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      guard fault_memory_install() == 0 else { fatalError("SQLite was in use already") }
      let run = Run("memory-faults", seed: Scale.seed)
      let template = try Template(.pool)
      let isHalfAWrite = { (problem: String) in problem.contains("half a write") }
      var problems: [String] = []
      for fault in try FaultCase.all(of: .uncheckedWrite, [.memory], template)
      where !problems.contains(where: isHalfAWrite) {
        problems += try fault.run(template).problems
      }
      let isFound = problems.contains(where: isHalfAWrite)
      run.count("planted", isFound ? 1 : 0)
      if !isFound { run.problem("nothing was found: \(problems)") }
      run.report()
      fflush(nil)
    }
    #expect(Self.lines(printedBy: result).contains { $0.hasPrefix("stress: end") && $0.hasSuffix("problems=0") })
  }

  /// The texts of a database in UTF-16 are converted, which needs memory.
  @Test func aTextOfTheLibraryThatDoesNotFitInMemoryThrows() async {
    await #expect(processExitsWith: .success) {
      guard fault_memory_install() == 0 else { fatalError("SQLite was in use already") }
      var configuration = Configuration()
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA encoding = 'UTF-16'") }
      let text = String(repeating: "a", count: 100_000)
      try DatabaseQueue(configuration: configuration).inDatabase { db throws in
        try db.execute(sql: "CREATE TABLE t (text); INSERT INTO t VALUES (?)", arguments: [text])
        var (failureCount, rows) = (0, [[DatabaseValue]]())
        repeat {
          fault_memory_arm(Int64(failureCount + 1), 0)
          defer { fault_memory_disarm() }
          do {
            rows = try db.internalRows("SELECT text FROM t")
          } catch DatabaseError.SQLITE_NOMEM {
            failureCount += 1
          }
        } while rows.isEmpty
        precondition(failureCount > 0 && rows == [[text.databaseValue]], "\(failureCount) failures")
      }
    }
  }

  /// The output of a process, which is printed again for the table.
  static func lines(printedBy result: ExitTest.Result?) -> [Substring] {
    // The runner of the process may have written into the middle of the text, which must not fail the test.
    let report = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let lines = report.split(whereSeparator: \.isNewline)
    print(lines.filter { $0.hasPrefix("stress: ") }.joined(separator: "\n"))
    return lines
  }
}
