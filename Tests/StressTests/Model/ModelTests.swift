import Foundation
import StressSupport
import Testing

/// Random sequences of calls of the public interface have the results that a simple model expects.
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct ModelTests {
  /// The ordinary run repeats the same sequences. Runs of full size find new ones.
  private static var seed: UInt64 {
    let isChosen = ProcessInfo.processInfo.environment["TIDEMARK_SEED"] != nil
    return isChosen || Scale.isFull ? Scale.seed : 1
  }

  @Test func `calls have the results that the model expects`() throws {
    let run = Run("model", seed: Self.seed, limit: 7_000)
    var harness = ModelHarness()
    // A process for each thousand sequences: a leak would be noticed in the memory of one process.
    let (rounds, count) = (Scale.of(daily: 1, full: 6), Scale.of(daily: 12, full: 1000))
    for round in 0..<rounds {
      if let report = try harness.run(seed: run.seed &+ UInt64(round * count), count: count) {
        run.problem("\(report)")
      }
    }
    run.count("commands", harness.counts.total)
    print(harness.counts.table)
    if Scale.isFull, rounds > 1 { #expect(harness.counts.missing == []) }
    run.finish()
  }

  @Test func `calls of several threads have possible results`() throws {
    let run = Run("model-tasks", seed: Self.seed, limit: 7_000)
    var harness = ModelHarness(.tasks)
    let (rounds, count) = (Scale.of(daily: 1, full: 4), Scale.of(daily: 10, full: 500))
    for round in 0..<rounds {
      if let report = try harness.run(seed: run.seed &+ UInt64(round * count), count: count) {
        run.problem("\(report)")
      }
    }
    run.count("commands", harness.counts.total)
    run.finish()
  }

  /// The controls: planted defects are detected, and the reduced sequences are short.
  @Test(arguments: Scale.isFull ? ModelFault.allCases : [.forgetsRollback, .snapshotFollows])
  func `a planted defect is detected and reduced to a short script`(fault: ModelFault) throws {
    let run = Run("model-control-\(fault.rawValue)", seed: Scale.seed)
    var harness = ModelHarness(fault: fault)
    let report = try #require(try harness.run(seed: run.seed, count: 400))
    print(report)
    #expect(report.failure == fault.failure)
    #expect(report.script.numbers.count <= 8)
    run.problem(report.description)
    run.finishControl(planted: fault.rawValue)
  }

  @Test func `a reduced script contains only what a failure needs`() throws {
    let reducer = ModelReducer { script in [3, 40, 71].allSatisfy(script.numbers.contains) }
    let script = try reducer.reduce(ModelScript(seed: 1, numbers: Array(0..<90)))
    #expect(script?.numbers == [3, 40, 71])
    #expect(try ModelReducer { _ in false }.reduce(ModelScript(seed: 1, numbers: [1])) == nil)
  }
}

extension ModelFault {
  fileprivate var failure: ModelHarness.Failure {
    switch self {
    case .crashes: .crash
    case .hangs: .hang
    case .forgetsRollback, .forgetsCascade, .dropsValue, .snapshotFollows: .difference
    }
  }
}
