import Foundation
import Testing

/// `Scripts/stress-long.py`, with a `swift` whose output the tests choose.
@Suite(.enabled(if: Command.exists("python3"), "Takes Python")) final class StressLongTests {
  private struct Report: Decodable {
    struct Suite: Decodable {
      var runs: Int
      var failed: Int
      var scenarios: [String: [String: Int]]
    }
    struct Failure: Decodable {
      var suite: String
      var log: String
      var issues: [String]
      var seeds: [String]
    }

    var commit: String
    var suites: [String: Suite]
    var failures: [Failure]
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "stress-long-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Reports of other commits are not continued: the tests must not depend on the state of the checkout.
    try install("git", #"case "$1" in rev-parse) cat "$FOLDER/commit" ;; esac"#)
    try checkOut("c0ffee")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func install(_ name: String, _ script: String) throws {
    let program = folder.appending(path: name)
    try "#!/bin/sh\n\(script)\n".write(to: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path())
  }

  private func checkOut(_ commit: String) throws {
    try commit.write(to: folder.appending(path: "commit"), atomically: true, encoding: .utf8)
  }

  private func run(
    _ swift: String, _ flags: String...
  ) throws -> (status: Int32, output: String, report: Report) {
    try install("swift", #"[ "$1" = build ] && exit 0; "# + swift)
    let path = "\(folder.path()):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let answer = try Command(
      ["python3", "Scripts/stress-long.py", "--folder", folder.path()] + flags,
      environment: ["PATH": path, "FOLDER": folder.path()]
    ).run()
    let report = try Data(contentsOf: folder.appending(path: "report.json"))
    return (answer.status, answer.output, try JSONDecoder().decode(Report.self, from: report))
  }

  private static let passing = """
    echo 'stress: end shapes TIDEMARK_SEED=7 pairs=30 ms=5 problems=0'
    echo 'stress: end shapes TIDEMARK_SEED=8 pairs=12 ms=6 problems=0'
    echo '✔ Test run with 1 test in 1 suite passed after 1 second.'
    """

  private static let failing = """
    echo '✘ Test shapes() recorded an issue at ShapeTests.swift:7:3: shapes, TIDEMARK_SEED=99: a value is missing'
    echo '✘ Test run with 1 test in 1 suite failed after 1 second with 1 issue.'
    exit 1
    """

  @Test func countersAreAddedByScenario() throws {
    let answer = try run(Self.passing, "--suites", "shapes", "--runs", "3")
    #expect(answer.status == 0, "\(answer.output)")
    #expect(answer.report.suites["shapes, debug"]?.runs ?? 0 > 0)
    #expect(answer.report.suites["shapes, release"]?.runs ?? 0 > 0)
    let pairs = answer.report.suites.values.map { $0.scenarios["shapes"]?["pairs"] ?? 0 }.reduce(0, +)
    let ends = answer.report.suites.values.map { $0.scenarios["shapes"]?["ends"] ?? 0 }.reduce(0, +)
    #expect(pairs == 3 * 42)
    #expect(ends == 3 * 2)
  }

  @Test func aFailureIsKeptWithItsSeeds() throws {
    let answer = try run(Self.failing, "--suites", "faults", "--runs", "2")
    #expect(answer.status == 1)
    #expect(answer.report.suites["faults, debug"]?.failed == 2)
    let failure = try #require(answer.report.failures.first)
    #expect(failure.suite == "faults, debug")
    #expect(failure.seeds == ["99"])
    #expect(failure.issues.count == 1)
    #expect(try String(contentsOfFile: failure.log, encoding: .utf8).contains("a value is missing"))
    #expect(Set(answer.report.failures.map(\.log)).count == 2)
  }

  @Test func aSuiteWithoutTestsFails() throws {
    let answer = try run("echo '✔ Test run with 0 tests passed after 0 seconds.'", "--suites", "faults", "--runs", "1")
    #expect(answer.status == 1)
    #expect(answer.report.failures.count == 1)
  }

  @Test func theSameCommitGoesOn() throws {
    _ = try run(Self.passing, "--suites", "faults", "--runs", "1")
    let answer = try run(Self.passing, "--suites", "faults", "--runs", "1")
    #expect(answer.output.contains("goes on after"))
    #expect(answer.report.suites["faults, debug"]?.runs == 2)
    let restarted = try run(Self.passing, "--suites", "faults", "--runs", "1", "--restart")
    #expect(restarted.report.suites["faults, debug"]?.runs == 1)
  }

  @Test func anotherCommitBeginsAnew() throws {
    _ = try run(Self.failing, "--suites", "faults", "--runs", "1")
    try checkOut("decade")
    let answer = try run(Self.passing, "--suites", "faults", "--runs", "1")
    #expect(answer.status == 0)
    #expect(answer.report.commit == "decade")
    #expect(answer.report.suites["faults, debug"]?.runs == 1)
  }

  @Test func theTimeEndsTheWork() throws {
    let answer = try run(Self.passing, "--suites", "faults", "--minutes", "0")
    #expect(answer.status == 0)
    #expect(answer.report.suites.isEmpty)
  }

  @Test func theReportIsCopied() throws {
    let copy = folder.appending(path: "copies/report.json")
    _ = try run(Self.passing, "--suites", "faults", "--runs", "1", "--report", copy.path())
    #expect(try Data(contentsOf: copy) == Data(contentsOf: folder.appending(path: "report.json")))
  }

  @Test func anUnknownSuiteIsRefused() throws {
    let answer = try Command(
      ["python3", "Scripts/stress-long.py", "--folder", folder.path(), "--suites", "shapes,tides"]
    ).run()
    #expect(answer.status == 1)
    #expect(answer.output.contains("there is no suite named tides"))
  }
}
