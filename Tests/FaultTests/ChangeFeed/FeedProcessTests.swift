import StressSupport
import Testing

/// Two processes write the change feed, whose old entries are removed, and a consumer stops and continues from stored
/// tokens: version by version, it finds no gap and no duplicate.
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct FeedProcessTests {
  @Test func `a resumed consumer finds each transaction of two processes once, or that its token has expired`()
    async throws
  {
    let run = Run("feed-processes", seed: Scale.seed, limit: Scale.of(daily: 0, full: 3_600))
    let processes = try await FeedProcesses(run)
    for _ in 0..<Scale.of(daily: 2, full: 20) where run.allProblems.isEmpty {
      try processes.startProcesses()
      for _ in 0..<Scale.of(daily: 3, full: 20) where run.allProblems.isEmpty { try await processes.follow() }
      try await processes.fallBehind()
      try await processes.follow()
      await processes.endProcesses()
    }
    if run.allProblems.isEmpty { try await processes.finish() }
    run.finish()
  }

  /// A control: defects of the writing processes and of the feed are detected.
  @Test(arguments: FeedProcesses.Defect.allCases)
  func `a transaction that is missing, repeated or removed is detected`(_ defect: FeedProcesses.Defect) async throws {
    let run = Run("feed-processes", seed: Scale.seed)
    let processes = try await FeedProcesses(run, defect)
    try processes.startProcesses()
    for _ in 0..<3 where run.allProblems.isEmpty { try await processes.follow() }
    await processes.endProcesses()
    run.finishControl(planted: "\(defect)")
  }
}
