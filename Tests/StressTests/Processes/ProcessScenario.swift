import StressSupport

/// The parts of a run of several processes, determined by a seed.
struct ProcessScenario: CustomStringConvertible {
  /// Which programs write the change feed.
  enum Feed: CaseIterable {
    case all
    case none
    case mixed
  }

  /// A fault that the oracle must find.
  enum Fault {
    /// The observing process does not detect external commits.
    case disabledDetection

    /// Live queries observe a table that they do not read.
    case wrongRegions

    /// One of the processes writes no feed, so that its commits wake all queries.
    case processWithoutFeed
  }

  var feed: Feed
  var fault: Fault?
  var writers: [WriterPlan] = []
  var observerWritesFeed: Bool
  var observerFindsTables: Bool
  var observerWrites: Bool
  var hasKills: Bool

  /// Whether external commits are detected by file events alone: periodic checks do not help.
  var isWithoutPolling: Bool
  var hasAssociations: Bool

  /// The number of transactions that other processes begin at most, between two comparisons.
  var transactionCountMax: Int

  var description: String {
    let writers = writers.map { "\($0)" }.joined(separator: ", ")
    return "feed: \(feed), observer with feed: \(observerWritesFeed), with tables: \(observerFindsTables), "
      + "writers: [\(writers)], "
      + "kills: \(hasKills), without polling: \(isWithoutPolling)"
  }

  init(_ random: inout RandomNumbers, seed: UInt64, feed: Feed? = nil, fault: Fault? = nil) {
    self.fault = fault
    self.feed = feed ?? random.pick(Feed.allCases)
    observerWritesFeed = self.feed == .all || self.feed == .mixed && random.once(in: 2)
    observerFindsTables = !observerWritesFeed && random.below(3) > 0
    observerWrites = fault == nil && random.below(3) > 0
    hasKills = fault == nil && random.once(in: 2)
    hasAssociations = random.once(in: 3)
    isWithoutPolling = random.once(in: 2)
    transactionCountMax = Scale.of(daily: 100, full: 4_000)
    var freedoms = WriterPlan.Freedoms(rawValue: fault == nil ? random.below(16) : 0)
    // Requests join many tables, without indexes.
    if hasAssociations { freedoms.remove(.largeTransactions) }
    for stream in 1...1 + random.below(5) {
      writers.append(WriterPlan(programs, freedoms, seed: seed, stream: stream))
    }
    if fault == .processWithoutFeed { writers[0].programs = [.plain] }
  }

  private var programs: [WriterPlan.Program] {
    switch feed {
    case .all: WriterPlan.Program.withFeed
    case .none: WriterPlan.Program.withoutFeed
    case .mixed: WriterPlan.Program.allCases
    }
  }

  /// The process that takes the place of a killed one.
  func successor(of plan: WriterPlan) -> WriterPlan {
    WriterPlan(plan.programs, plan.freedoms, seed: plan.seed, stream: plan.stream + 10)
  }
}
