import Testing

@testable import TidemarkCluster

/// The effect of turns on nodes that write as often as they can.
@Suite struct TurnSimulationTests {
  private typealias Settings = TurnSimulation.Settings

  /// Runs a simulation with a random seed, and prints the seed and the result.
  private static func run(_ settings: Settings, _ name: String) -> (TurnSimulation.Result, seed: UInt64) {
    let seed = UInt64.random(in: 0..<1_000_000)
    var simulation = TurnSimulation(settings, seed: seed)
    let result = simulation.run()
    print(
      "turns: \(name), nodes=\(settings.nodeCount) turns=\(settings.usesTurns) seed=\(seed)",
      "refused=\(result.refused) appended=\(result.appended)")
    return (result, seed)
  }

  @Test(arguments: 2...5)
  func `turns avoid most refusals, and are fair`(nodeCount: Int) {
    var settings = Settings()
    settings.nodeCount = nodeCount
    let (result, seed) = Self.run(settings, "usual delays")
    #expect(result.refusedShare < 0.05, "seed \(seed)")
    #expect(result.leastShare > 0.8, "seed \(seed)")
    settings.usesTurns = false
    let (control, controlSeed) = Self.run(settings, "usual delays")
    #expect(control.refusedShare > 0.45, "seed \(controlSeed)")
    #expect(Double(result.entries.count) > 0.8 * Double(control.entries.count), "seeds \(seed), \(controlSeed)")
  }

  @Test(arguments: 2...5)
  func `slots adapt to delays that exceed them`(nodeCount: Int) {
    var settings = Settings()
    settings.nodeCount = nodeCount
    settings.delays = [0.1...6]
    settings.storing = 1...8
    let (result, seed) = Self.run(settings, "long delays")
    #expect(result.refusedShare < 0.2, "seed \(seed)")
    #expect(result.leastShare > 0.5, "seed \(seed)")
    #expect(result.longestDelay.allSatisfy { $0 <= Double(nodeCount) * 160 }, "seed \(seed)")
  }

  @Test(arguments: 2...5)
  func `writers with pauses lose few appends`(nodeCount: Int) {
    var settings = Settings()
    settings.nodeCount = nodeCount
    settings.pauses = [0...30]
    let (result, seed) = Self.run(settings, "pauses")
    #expect(result.refusedShare < 0.2, "seed \(seed)")
    #expect(result.leastShare > 0.5, "seed \(seed)")
  }

  @Test func `a single writer is never delayed`() {
    var settings = Settings()
    settings.nodeCount = 1
    let (result, seed) = Self.run(settings, "single writer")
    #expect(result.longestDelay == [0], "seed \(seed)")
    #expect(result.refused == [0], "seed \(seed)")
    settings.usesTurns = false
    var control = TurnSimulation(settings, seed: seed)
    #expect(control.run().entries == result.entries)
  }

  @Test func `a distant node joins active nodes that are always faster`() {
    var settings = Settings()
    settings.delays = [0.05...0.2, 0.05...0.2, 2...3]
    settings.preparing = 0.1...0.3
    settings.beginnings = [0...5, 0...5, 1_000...1_005]
    let (result, seed) = Self.run(settings, "distant node")
    #expect(result.appended[2] * 3 > result.entries.count / 2, "seed \(seed)")
    settings.usesTurns = false
    let (control, controlSeed) = Self.run(settings, "distant node")
    #expect(control.appended[2] * 100 < control.entries.count, "seed \(controlSeed)")
  }

  @Test func `equal seeds have equal results`() {
    var settings = Settings()
    settings.end = 500
    var runs = [
      TurnSimulation(settings, seed: 1), TurnSimulation(settings, seed: 1), TurnSimulation(settings, seed: 2),
    ]
    let entries = runs.indices.map { runs[$0].run().entries }
    #expect(entries[0] == entries[1])
    #expect(entries[0] != entries[2])
  }
}
