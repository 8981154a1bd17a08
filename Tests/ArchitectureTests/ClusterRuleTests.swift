import Testing

/// The cluster measures durations, and does not depend on the time of day: a clock that jumps changes nothing.
@Suite struct ClusterRuleTests {
  /// Names that read the time of day, or a clock that stops while the machine sleeps.
  private static let clocks = [
    "Date", "SuspendingClock", "DispatchWallTime", "wallDeadline", "gettimeofday", "CLOCK_REALTIME", "time",
  ]

  /// The only place: the time of a transaction, which its changes contain.
  private static let allowed = "microsecondsSince1970: Int64(Date().timeIntervalSince1970 * 1_000_000)"

  private static func violations(in file: SourceFile) -> [Finding] {
    file.findings(in: file.swift.code) { line in
      if line.contains(allowed) { return nil }
      let calls = line.split { !($0.isLetter || $0.isNumber || "_(".contains($0)) }
        .flatMap { $0.split(separator: "(", omittingEmptySubsequences: false).dropLast() }
      return calls.contains { clocks.contains(String($0)) } ? "The cluster does not read the time of day" : nil
    }
  }

  @Test func timeOfDayIsReadForTheTimeOfATransactionOnly() {
    report(SourceTree.swiftFiles(in: "Sources/TidemarkCluster").flatMap(Self.violations))
  }

  @Test(arguments: [
    "let now = Date()", "clock_gettime(CLOCK_MONOTONIC, &t); time(nil)", "queue.after(DispatchWallTime(0))",
  ])
  func violationsAreFound(code: String) {
    let file = SourceFile(path: "Sources/TidemarkCluster/Node/Sample.swift", text: code)
    #expect(Self.violations(in: file).count == 1)
  }
}
