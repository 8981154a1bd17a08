import Foundation
import Synchronization
import TestSupport
import Testing

/// One run of a scenario: its seed, its counters, and a limit for its duration.
///
/// At its end it prints one line, from which `Scripts/stress.sh` makes a table.
package final class Run: Sendable {
  package let scenario: String
  package let seed: UInt64
  private let begin = ContinuousClock.now
  private let counts = Mutex<[String: Int]>([:])
  private let problems = Mutex<[String]>([])
  private let end = DispatchSemaphore(value: 0)

  /// - Parameter limit: The number of seconds after which the run hangs: the process ends then, since its threads
  ///   cannot be interrupted. It is `WaitLimit.processLimit` at least.
  package init(_ scenario: String, seed: UInt64, limit: Int = 0) {
    let limit = max(limit, Int(WaitLimit.processLimit / .seconds(1)))
    self.scenario = scenario
    self.seed = seed
    print("stress: begin \(scenario) TIDEMARK_SEED=\(seed)")
    Thread.detachNewThread { [end] in
      if end.wait(timeout: .now() + .seconds(limit)) == .timedOut {
        fatalError("stress: \(scenario) TIDEMARK_SEED=\(seed) is stuck: it takes longer than \(limit) seconds")
      }
    }
  }

  /// Without `finish`, for instance after an error, the limit does not apply any more.
  deinit { end.signal() }

  package func count(_ what: String, _ number: Int = 1) {
    counts.withLock { $0[what, default: 0] += number }
  }

  package func counted(_ what: String) -> Int { counts.withLock { $0[what, default: 0] } }

  /// Records a violation. The first ones are printed.
  package func problem(_ words: String) {
    problems.withLock { $0.append(words) }
  }

  /// Forgets the violations of a planted fault.
  package func forgetProblems() { problems.withLock { $0 = [] } }

  /// Ends a control: the planted fault must have been found. It is then counted, and forgotten.
  package func finishControl(planted: String) {
    if allProblems.isEmpty {
      problem("\(planted) was planted, and not found")
    } else {
      count("planted")
      forgetProblems()
    }
    finish()
  }

  /// The violations that were found.
  package var allProblems: [String] { problems.withLock { $0 } }

  /// Ends the run, and prints its counters and its violations.
  ///
  /// - Returns: The printed text.
  @discardableResult
  package func finish() -> String {
    let summary = report()
    for problem in allProblems.prefix(5) {
      Issue.record("\(scenario), TIDEMARK_SEED=\(seed): \(problem)")
    }
    return summary
  }

  /// Ends the run, and prints its counters and violations, for a process other than the test process.
  @discardableResult
  package func report() -> String {
    end.signal()
    let duration = ContinuousClock.now - begin
    let numbers = counts.withLock { $0 }.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
    let line =
      "stress: end \(scenario) TIDEMARK_SEED=\(seed) \(numbers) ms=\(Int(duration / .milliseconds(1))) "
      + "problems=\(allProblems.count)"
    print(line)
    let words = allProblems.prefix(5).map { "\(scenario), TIDEMARK_SEED=\(seed): \($0)" }
    words.forEach { print($0) }
    return ([line] + words).joined(separator: "\n")
  }
}
