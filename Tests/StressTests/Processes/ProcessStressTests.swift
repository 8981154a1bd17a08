import StressSupport
import Testing

/// Other processes write to the file of a pool with many live queries, in random schemas: with the library and the
/// change feed, with the library alone, and without the library. Some of them are killed, make checkpoints, rebuild the
/// file, or change the schema.
@Suite(.serialized, .enabled(if: Child.isBuilt)) struct ProcessStressTests {
  /// The number of transactions of other processes, of all seeds together.
  #if DEBUG
    private static let transactionCount = Scale.of(daily: 600, full: 10_000)
  #else
    private static let transactionCount = Scale.of(daily: 600, full: 1_000_000)
  #endif

  @Test
  func `live queries deliver the last values of other processes, and the change feed wakes only affected queries`()
    throws
  {
    let seeds = Scale.seeds(daily: 2, full: 20)
    var wakes = WakeCount()
    for seed in seeds { wakes.add(try check(seed, count: Self.transactionCount / seeds.count)) }
    print("stress: \(wakes)")
    // Changes are rarely unknown. A short run may have few other wakes.
    if Scale.isFull { #expect(wakes.singles.value >= 0.99, "\(wakes)\n\(wakes.singles.misses.prefix(10))") }
    for interval in [WakeCount.Interval.single, .many] where wakes[interval].hits >= 300 {
      let examples = wakes[interval].misses.prefix(10).joined(separator: "\n")
      #expect(wakes[interval].value >= 0.99, "\(wakes)\n\(examples)")
    }
    // Transactions that undo their own changes are rare. The others are judged by the content of the tables alone.
    if wakes[.single].hits >= 300 { #expect(wakes[.single].undone * 10 <= wakes[.single].hits, "\(wakes)") }
  }

  private func check(
    _ seed: UInt64, feed: ProcessScenario.Feed? = nil, fault: ProcessScenario.Fault? = nil, count: Int
  ) throws -> WakeCount {
    let run = Run(fault == nil ? "processes" : "processes-control", seed: seed, limit: Scale.of(daily: 0, full: 3_600))
    let processes = try ProcessRun(run, feed: feed, fault: fault)
    try processes.runIntervals(untilCount: count)
    try processes.end()
    if let fault, fault != .processWithoutFeed {
      run.finishControl(planted: "\(fault)")
    } else {
      run.finish()
    }
    return processes.wakes
  }

  /// Controls: values that are not delivered are detected.
  @Test func `disabled detection is found`() throws {
    _ = try check(Scale.seed, fault: .disabledDetection, count: 1_000)
  }

  @Test func `regions without a table that is read are found`() throws {
    _ = try check(Scale.seed, feed: .all, fault: .wrongRegions, count: 1_000)
  }

  /// A control: wakes of all queries are detected.
  @Test func `a process without the feed wakes queries that its commits do not affect`() throws {
    var seed = Scale.seed
    while try check(seed, feed: .all, fault: .processWithoutFeed, count: 300).singles.value >= 0.99 { seed &+= 1 }
  }
}
