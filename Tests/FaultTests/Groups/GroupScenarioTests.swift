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

  /// A control: a difference between the file and the changes in the stream is detected.
  @Test(arguments: [
    "INSERT INTO one VALUES (99, 'not in the stream')", "DELETE FROM one WHERE n = 9",
    "UPDATE one SET filler = 'not in the stream' WHERE n = 1",
  ])
  func changesThatAreNotInTheStreamAreDetected(_ sql: String) throws {
    #expect(try run(.poolGroup, defect: sql).problems.contains { $0.hasPrefix("in the stream: ") })
  }
}
