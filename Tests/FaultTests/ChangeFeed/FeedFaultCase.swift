import Foundation
import StressSupport
import Tidemark

/// One scenario with the change feed, with one fault at one moment.
struct FeedFaultCase: CustomStringConvertible {
  var scenario: FeedScenario
  var fault: FaultCase

  /// A defect of the feed, which must be detected.
  var defect: FeedDefect?

  var description: String { "\(fault), with a change feed" }

  struct Result {
    var injectedCount = 0
    var unknownCount = 0
    var rowlessCount = 0
    var hasHung = false
    var problems: [String] = []
  }

  func run(_ template: Template) async throws -> Result {
    let world = try scenario.makeWorld(template)
    world.mayHaveUnknownEntries = scenario.mayHaveUnknownEntries
    try scenario.scenario.prepare(world)
    let start = try world.start()
    fault.injection.arm(world, at: fault.number, forGood: fault.isForGood)
    scenario.scenario.act(world)
    var result = Result(injectedCount: fault.injection.injectedCount(world))
    fault.injection.disarm(world)
    world.checkCrash()
    try await world.auditCrash(after: start, &result)
    if scenario.scenario.hasTemplate { world.checkRecovery() } else { try world.finishCreation() }
    if let defect {
      world.close()
      try defect.plant(in: world.path)
      try world.open()
    }
    await world.audit("at the end", after: start, &result)
    world.close()
    world.check(world.path, "at the end")
    // Opening does not change the feed.
    try world.open()
    await world.audit("opened again", after: start, &result)
    world.close()
    try scenario.scenario.verify(world)
    (result.hasHung, result.problems) = (world.hasHung, world.problems)
    return result
  }

  /// All cases of a scenario: each moment, once and permanently.
  static func all(of scenario: FeedScenario, _ injections: [Injection], _ template: Template) throws
    -> [FeedFaultCase]
  {
    try FaultCase.all(of: scenario.scenario, injections) { try scenario.makeWorld(template) }
      .map { FeedFaultCase(scenario: scenario, fault: $0) }
  }

  /// Runs all cases, or in a normal run of the tests some that the seed selects.
  static func run(_ all: [FeedFaultCase], daily: Int, _ template: Template, _ run: Run) async {
    var numbers = RandomNumbers(seed: run.seed)
    for fault in Scale.isFull ? all : Array(all.shuffled(using: &numbers).prefix(daily)) {
      do {
        let result = try await fault.run(template)
        run.count("cases")
        run.count("faults", result.injectedCount)
        run.count("unknown", result.unknownCount)
        run.count("rowless", result.rowlessCount)
        for problem in result.problems { run.problem("\(fault): \(problem)") }
        // Other cases would hang, too.
        if result.hasHung { break }
      } catch {
        run.problem("\(fault): \(error)")
      }
    }
  }
}

extension World {
  /// The content and the position before the disk fails.
  fileprivate func start() throws -> FeedStart {
    guard FileManager.default.fileExists(atPath: path) else { return FeedStart() }
    try folder.copyDatabase(path, to: "start.sqlite")
    let database = try DatabaseQueue(path: folder.path("start.sqlite"))
    return try FeedStart(database)
  }

  /// Checks the feed in the files that a crash at this moment would leave.
  fileprivate func auditCrash(after start: FeedStart, _ result: inout FeedFaultCase.Result) async throws {
    try folder.copyDatabase(path, to: "crash-feed.sqlite")
    guard FileManager.default.fileExists(atPath: folder.path("crash-feed.sqlite")) else { return }
    var configuration = Configuration()
    configuration.changeFeed = changeFeed
    let database = try DatabaseQueue(path: folder.path("crash-feed.sqlite"), configuration: configuration)
    await audit(database, "after a crash", after: start, &result)
    try database.closeNow()
  }

  fileprivate func audit(_ when: String, after start: FeedStart, _ result: inout FeedFaultCase.Result) async {
    guard let writer else { return problem("\(when): the database is not open") }
    await audit(writer, when, after: start, &result)
  }

  private func audit(
    _ database: any DatabaseWriter, _ when: String, after start: FeedStart, _ result: inout FeedFaultCase.Result
  ) async {
    do {
      let audit = try await FeedAudit(database, after: start)
      for problem in audit.problems { self.problem("\(when), in the feed: \(problem)") }
      // The first entry of a feed says that anything may have changed before.
      if audit.unknownCount > (start.token == nil ? 1 : 0), !mayHaveUnknownEntries {
        self.problem("\(when), in the feed: \(audit.unknownCount) unknown entries")
      }
      result.unknownCount += audit.unknownCount
      result.rowlessCount += audit.rowlessCount
    } catch {
      problem("\(when), in the feed: \(error)")
    }
  }
}

extension DatabaseWriter {
  /// In an async function, `close` would be the asynchronous one.
  fileprivate func closeNow() throws { try close() }
}
