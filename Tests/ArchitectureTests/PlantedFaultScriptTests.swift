import Foundation
import Testing

/// `Scripts/planted-faults.py --in-place`, with sources, faults and a `swift` that the tests choose.
@Suite(.enabled(if: Command.exists("python3"), "Takes Python")) final class PlantedFaultScriptTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "planted-faults-\(UUID().uuidString)")
  private var sum: URL { folder.appending(path: "Sources/Sum.swift") }

  private static let source = """
    let sum = 1 + 2
    let product = 1 * 2

    """

  private static let faults = """
    fault: the sum is a difference
    file: Sources/Sum.swift
    tests: (SumTests|NumberTests)/
    -let sum = 1 + 2
    +let sum = 1 - 2

    fault: the product is a quotient
    file: Sources/Sum.swift
    tests: NumberTests/
    -let product = 1 * 2
    +let product = 1 / 2
    """

  /// A `swift test` that finds the wrong sum only, and writes in colors.
  private static let findingSums = #"""
    echo '◇ Test run started.'
    echo '◇ Suite NumberTests started.'
    echo '◇ Suite SumTests started.'
    if grep -q '1 - 2' Sources/Sum.swift; then
      printf '\033[91m✘\033[0m Test addsNumbers() recorded an issue at SumTests.swift:7:3: Expectation failed\n'
      echo '✘ Test run with 1 test in 1 suite failed after 1 second with 1 issue.'
      exit 1
    fi
    echo '✔ Test run with 1 test in 1 suite passed after 1 second.'
    """#

  init() throws {
    try write(Self.source, to: "Sources/Sum.swift")
    try write("@Suite struct SumTests {}\n@Suite struct NumberTests {}\n", to: "Tests/SumTests.swift")
    try write(Self.faults, to: "Tests/PlantedFaults/Sums.faults")
    try install("git", #"[ "$1" != log ] || cat commit"#)
    try write("c0ffee", to: "commit")
    for name in ["calls", "results.json"] { try write("", to: name) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ text: String, to name: String) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  private func install(_ name: String, _ script: String) throws {
    try write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
    let program = folder.appending(path: "bin/\(name)")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path())
  }

  /// - Returns: The status, the output, and the filters of the runs of tests.
  private func run(
    _ swift: String = PlantedFaultScriptTests.findingSums, _ flags: String...
  ) throws -> (status: Int32, output: String, filters: [String]) {
    try write("", to: "calls")
    try install("swift", #"echo "$*" >> calls; [ "$1" = build ] && exit 0; "# + "\n" + swift)
    let command = #"cd "$FOLDER" && exec python3 "$SCRIPT" --in-place --report results.json "$@""#
    let answer = try Command(
      ["sh", "-c", command, "sh"] + flags,
      environment: [
        "PATH": "\(folder.path())/bin:\(ProcessInfo.processInfo.environment["PATH"] ?? "")", "FOLDER": folder.path(),
        "SCRIPT": SourceTree.root.appending(path: "Scripts/planted-faults.py").path(),
      ]
    ).run()
    let calls = try String(contentsOf: folder.appending(path: "calls"), encoding: .utf8).split(separator: "\n")
    let filters = calls.compactMap { $0.firstMatch(of: /--filter (.*)/).map { String($0.1) } }
    return (answer.status, answer.output, filters)
  }

  @Test func `a fault that no test finds fails the run`() throws {
    let answer = try run()
    #expect(answer.status == 1)
    #expect(answer.output.contains(" found (failed): the sum is a difference;"))
    #expect(answer.output.contains("NOT FOUND (passed): the product is a quotient;"))
    #expect(answer.output.contains("planted-faults: 1 of 2 faults were found; 0 were not tried\n"))
  }

  @Test func `the sources are restored`() throws {
    _ = try run()
    #expect(try String(contentsOf: sum, encoding: .utf8) == Self.source)
  }

  @Test func `a terminated run restores the sources`() throws {
    let answer = try run("kill -TERM $(ps -o ppid= -p $$)")
    #expect(answer.status == 128 + SIGTERM)
    #expect(try String(contentsOf: sum, encoding: .utf8) == Self.source)
  }

  @Test func `the suite of a failed test runs without a fault`() throws {
    #expect(try run().filters == ["(SumTests|NumberTests)/", "NumberTests/", "(SumTests)/"])
  }

  @Test func `after a crash, all suites of the filter run without a fault`() throws {
    let answer = try run(Self.findingSums.replacing("recorded an issue", with: "started"))
    #expect(answer.filters == ["(SumTests|NumberTests)/", "NumberTests/", "(NumberTests|SumTests)/"])
  }

  @Test func `a fault does not count as found if its suites fail without it`() throws {
    let answer = try run(Self.findingSums.replacing("1 - 2", with: "sum"))
    #expect(answer.status == 1)
    #expect(answer.output.contains("NOT PASSED without a fault (failed): SumTests/"))
    #expect(answer.output.contains("planted-faults: 0 of 2 faults were found"))
  }

  @Test func `a second run tries only the faults that were not found`() throws {
    _ = try run()
    let answer = try run()
    #expect(answer.filters == ["NumberTests/"])
    #expect(answer.output.contains("planted-faults: 1 of 2 faults were found"))
  }

  @Test func `a fault is tried again after a change of its entry`() throws {
    _ = try run()
    try write(Self.faults.replacing("1 - 2", with: "2 - 2"), to: "Tests/PlantedFaults/Sums.faults")
    let answer = try run()
    #expect(answer.filters == ["(SumTests|NumberTests)/", "NumberTests/"])
    #expect(answer.output.contains("planted-faults: 0 of 2 faults were found"))
  }

  @Test func `faults are tried again after a commit that changes their source file`() throws {
    _ = try run()
    try write("decade", to: "commit")
    try install("git", #"case "$1 $3" in log*) cat commit ;; "diff c0ffee") exit 1 ;; esac"#)
    #expect(try run().filters == ["(SumTests|NumberTests)/", "NumberTests/"])
  }

  @Test func `a commit that does not change the source file of a fault keeps its result`() throws {
    _ = try run()
    try write("decade", to: "commit")
    let answer = try run()
    #expect(answer.filters == ["NumberTests/"])
    #expect(answer.output.contains("planted-faults: 1 of 2 faults were found"))
  }

  @Test func `the results of the repository are continued`() throws {
    _ = try run()
    try write(
      String(contentsOf: folder.appending(path: "results.json"), encoding: .utf8),
      to: "Tests/PlantedFaults/results.json")
    try FileManager.default.removeItem(at: folder.appending(path: ".build"))
    #expect(try run().filters == ["NumberTests/"])
  }

  @Test func `sources with changes are refused`() throws {
    try install("git", #"[ "$1" != diff ] || exit 1"#)
    let answer = try run()
    #expect(answer.status == 1)
    #expect(answer.output.contains("planted-faults: Sources has changes"))
    #expect(answer.filters == [])
  }
}
