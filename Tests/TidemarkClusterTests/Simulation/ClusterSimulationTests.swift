import Foundation
import Testing

@testable import TidemarkCluster

/// Random schedules of nodes, messages, failures and restarts. `TIDEMARK_STRESS=1` runs 100,000 of them.
@Suite struct ClusterSimulationTests {
  private static let isStress = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"

  /// `TIDEMARK_SEED` repeats one schedule.
  private static let seeds: Range<UInt64> = {
    if let seed = ProcessInfo.processInfo.environment["TIDEMARK_SEED"].flatMap(UInt64.init) { return seed..<seed + 1 }
    return isStress ? 1_000_000..<1_100_000 : 0..<1_000
  }()

  private func simulate(_ seed: UInt64, _ defect: SimulatedDefect? = nil) -> SimulatedCluster {
    var cluster = SimulatedCluster(seed: seed, nodeCount: 2 + Int(seed % 3), defect: defect)
    cluster.run(actions: 300)
    cluster.heal()
    return cluster
  }

  @Test func randomSchedulesAreStrictlySerializable() {
    var counts: [String: Int] = [:]
    var (acknowledged, unknown) = (0, 0)
    for seed in Self.seeds {
      let cluster = simulate(seed)
      let problems = cluster.contradictions()
      if !problems.isEmpty {
        Issue.record("TIDEMARK_SEED=\(seed): \(problems.joined(separator: "; "))")
        return
      }
      counts.merge(cluster.counts, uniquingKeysWith: +)
      for write in cluster.writes {
        if case .acknowledged? = write.outcome { acknowledged += 1 }
        if write.outcome == .unknown { unknown += 1 }
      }
    }
    print(
      "cluster simulation: \(Self.seeds.count) schedules, \(acknowledged) acknowledged, \(unknown) unknown, \(counts)")
    guard Self.seeds.count > 1 else { return }
    #expect(acknowledged > Self.seeds.count * 5)
    for kind in ["crash", "discard", "unknown", "refused", "install"] { #expect(counts[kind, default: 0] > 0) }
  }

  @Test(arguments: SimulatedDefect.allCases)
  func aPlantedDefectIsFound(_ defect: SimulatedDefect) {
    let isFound = (UInt64(0)..<300).contains { !simulate($0, defect).contradictions().isEmpty }
    #expect(isFound)
  }
}
