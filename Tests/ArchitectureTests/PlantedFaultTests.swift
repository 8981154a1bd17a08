import Testing

/// `Scripts/planted-faults.py` can plant each fault in `Tests/PlantedFaults`.
@Suite(.enabled(if: Command.exists("python3"), "Takes Python")) struct PlantedFaultTests {
  /// The original lines occur once, and the tests exist.
  @Test func everyFaultCanBePlanted() throws {
    let answer = try Command(["python3", "Scripts/planted-faults.py", "--list"]).run()
    #expect(answer.status == 0, "\(answer.output)")
    #expect(answer.output.split(separator: "\n").count > 100)
  }
}
