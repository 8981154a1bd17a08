import Foundation

/// The built tests. Each run is a process of its own.
struct TestProgram {
  let path: String

  /// The numbers of the mutants that a run has reached, and its duration.
  struct Coverage {
    var reached: Set<Int>
    var seconds: Double
  }

  private static func arguments(_ path: String, _ suites: [String]) -> [String] {
    [path, "--testing-library", "swift-testing", "--no-parallel", "--filter"]
      + ["^TidemarkTests\\.(\(suites.joined(separator: "|")))/"]
  }

  /// Random tests repeat their choices, and a wait that does not end fails before the run is stopped.
  private static let environment = [
    "TIDEMARK_SEED": ProcessInfo.processInfo.environment["TIDEMARK_SEED"] ?? "1", "SWIFT_BACKTRACE": "enable=no",
    "TIDEMARK_PATIENCE": "60",
  ]

  /// Runs a suite without a mutant. It must pass.
  func coverage(of suite: String, mutantCount: Int) throws -> Coverage {
    let file = NSTemporaryDirectory() + "mutants-\(UUID().uuidString)"
    try Data(count: mutantCount + 1).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    var environment = Self.environment
    environment["TIDEMARK_MUTANTS_REACHED"] = file
    let process = TestProcess(arguments: Self.arguments(path, [suite]), environment: environment)
    let answer = try process.run(seconds: 600, stopsAtIssue: false)
    guard answer.outcome == .passed else {
      throw Failure("\(suite) does not pass without a mutant:\n\(answer.output.suffix(3000))")
    }
    // A filter that matches nothing passes.
    guard answer.output.contains(" passed after"), !answer.output.contains("Test run with 0 tests") else {
      throw Failure("there are no tests in \(suite)")
    }
    let bytes = FileManager.default.contents(atPath: file) ?? Data()
    let reached = bytes.indices.filter { bytes[$0] == 1 }
    return Coverage(reached: Set(reached), seconds: answer.seconds)
  }

  func run(_ suites: [String], mutant: Int, seconds: Double) throws -> TestProcess.Outcome {
    var environment = Self.environment
    environment["TIDEMARK_MUTANT"] = String(mutant)
    return try TestProcess(arguments: Self.arguments(path, suites), environment: environment).run(seconds: seconds)
      .outcome
  }
}
