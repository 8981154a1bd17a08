import Testing

@testable import Demo

@Suite struct CommandLineTests {
  @Test func noArgumentsOpenTheMarket() throws {
    #expect(try DemoCommand([]) == .world(WorldOptions()))
    #expect(try DemoCommand(["--writers", "9"]) == .world(WorldOptions(writerCount: 9)))
    #expect(try DemoCommand(["--writers=0", "--plain"]) == .world(WorldOptions(writerCount: 0, isPlain: true)))
  }

  @Test(arguments: [["--help"], ["-h"], ["watch", "--help"], ["watch", "f", "-h", "--bogus"]])
  func helpIsRecognizedInAnyPosition(arguments: [String]) throws {
    #expect(try DemoCommand(arguments) == .help)
  }

  @Test func aFileAndQueriesSelectTheWatchCommand() throws {
    #expect(
      try DemoCommand(["watch", "a.db", "SELECT 1", "SELECT 2"])
        == .watch(WatchOptions(path: "a.db", queries: ["SELECT 1", "SELECT 2"])))
    #expect(
      try DemoCommand(["watch", "--interval", "0.5", "a.db", "--plain", "SELECT 1"])
        == .watch(WatchOptions(path: "a.db", queries: ["SELECT 1"], interval: 0.5, isPlain: true)))
  }

  @Test func lineOptionsSelectLineOutput() throws {
    var expected = WatchOptions(path: "a", queries: ["q"], isPlain: true)
    (expected.format, expected.countMax, expected.rowCountMax) = (.json, 3, 7)
    #expect(try DemoCommand(["watch", "a", "q", "--format=jsonl", "--count=3", "--rows=7"]) == .watch(expected))
  }

  @Test func argumentsAfterDoubleDashAreNotOptions() throws {
    #expect(
      try DemoCommand(["watch", "--", "-a.db", "--help"])
        == .watch(WatchOptions(path: "-a.db", queries: ["--help"])))
  }

  @Test(arguments: [
    ["bogus"], ["--bogus"], ["--writers"], ["--writers", "many"], ["--writers", "65"], ["--writers", "-1"],
    ["--plain=yes"],
    ["watch"], ["watch", "a.db"], ["watch", "a", "q", "--interval"], ["watch", "a", "q", "--interval", "soon"],
    ["watch", "a", "q", "--interval", "-1"], ["watch", "a", "q", "--interval", "nan"],
    ["watch", "a", "q", "--count", "0"],
    ["watch", "a", "q", "--format", "xml"], ["watch", "a", "q", "--rows", "0"], ["watch", "a", "q", "-x"],
    ["--version", "-x"].reversed(),
  ])
  func invalidArgumentsAreReported(arguments: [String]) {
    #expect { try DemoCommand(arguments) } throws: { error in
      guard let failure = error as? Failure, case .usage = failure else { return false }
      return failure.exitCode == 64
    }
  }
}
