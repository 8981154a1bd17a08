import StressSupport
import Testing

/// Whether the scenarios of writes that share transactions verify what they claim.
@Suite(.serialized) struct GroupScenarioTests {
  /// Runs a scenario on a disk that works.
  ///
  /// - Parameter defect: SQL that changes the file behind the stream, when it has ended.
  private func run(_ scenario: Scenario, defect: String? = nil) throws -> World {
    let world = try World(scenario.kind, template: try Template(scenario.kind))
    try scenario.prepare(world)
    scenario.act(world)
    world.close()
    if let defect { try PlainDatabase(path: world.path).execute(defect) }
    try scenario.verify(world)
    return world
  }

  @Test(arguments: Scenario.groups) func writesOfTheScenariosShareTransactions(_ scenario: Scenario) throws {
    let world = try run(scenario)
    #expect(world.problems == [])
    #expect(try #require(world.follower).sharedVersionCount >= 2)
    #expect(world.follower?.incompleteCount == 0)
  }

  /// When a read fails in `ROLLBACK TO`, SQLite may keep pages in its cache that contain the changes of the savepoint.
  @Test func aWriteThatCannotBeRolledBackLeavesNoPagesInTheCache() throws {
    let scenario = Scenario.largeGroup([.large, .large, .throwing, .large])
    let template = try Template(scenario.kind)
    let read = FaultVFS.Fault(description: "read", calls: FaultVFS.reads)
    for fault in try FaultCase.all(of: scenario, [.disk(read)], template) where !fault.isForGood {
      #expect(try fault.run(template).problems == [], "\(fault)")
    }
  }

  /// A control: a difference between the file and the changes in the stream is detected.
  @Test(arguments: [
    "INSERT INTO one VALUES (99, 'not in the stream')", "DELETE FROM one WHERE n = 9",
    "UPDATE one SET filler = 'not in the stream' WHERE n = 1",
  ])
  func changesThatAreNotInTheStreamAreDetected(_ sql: String) throws {
    #expect(try run(.poolGroup, defect: sql).problems.contains { $0.hasPrefix("in the stream: ") })
  }
}
