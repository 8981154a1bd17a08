import Testing

@Suite struct LineRuleTests {
  static let swiftFiles = SourceTree.files.filter { $0.path.hasSuffix(".swift") }

  @Test func fileAndLineLengthsAreLimited() {
    report(Self.swiftFiles.flatMap(LineRules.tooLong))
  }

  @Test func sourcesContainNoTaskMarkers() {
    report(Self.swiftFiles.flatMap(LineRules.unfinished))
  }

  @Test func libraryNeitherPrintsNorForcesTry() {
    report(LineRules.forbiddenCalls(in: SourceTree.swiftFiles(in: "Sources")))
  }

  @Test func noFileNamesAMachineSpecificPath() {
    report(SourceTree.files.filter { SourceTree.trackedPaths.contains($0.path) }.flatMap(LineRules.machinePaths))
  }

  @Test func sourceFilesAreFound() {
    #expect(Self.swiftFiles.count > 10)
    #expect(SourceTree.paths.contains("Package.swift"))
  }

  // MARK: - The checks can fail

  @Test func longFilesAreFound() {
    let text = String(repeating: "\n", count: 401)
    #expect(LineRules.tooLong(in: sample(text)).map(\.line) == [400])
    #expect(LineRules.tooLong(in: sample(String(text.dropLast()))).isEmpty)
  }

  @Test func longLinesAreFound() {
    let line = String(repeating: "é", count: 121)
    #expect(LineRules.tooLong(in: sample("\n" + line)).map(\.line) == [2])
    #expect(LineRules.tooLong(in: sample(String(line.dropLast()))).isEmpty)
    #expect(LineRules.tooLong(in: SourceFile(path: "Tests/A.swift", text: line)).isEmpty)
  }

  @Test(arguments: ["TO" + "DO: more", "a FIX" + "ME", "XX" + "X", "(HA" + "CK)"])
  func taskMarkersAreFound(promise: String) {
    #expect(LineRules.unfinished(in: sample("// " + promise)).map(\.line) == [1])
    #expect(LineRules.unfinished(in: sample("// NOT" + promise + "S")).count <= 1)
  }

  @Test(arguments: ["  try! f()", "  print(1)", "if a { print(b) }"])
  func forcedTriesAndPrintsAreFound(code: String) {
    #expect(LineRules.forbiddenCalls(in: [sample("\n" + code)]).map(\.line) == [2])
  }

  @Test(arguments: [
    "// try! print(", "printer.print(a)", "func print(_ a: Int) {}\nfunc f() { print(1) }",
    "print(a, to: &stream)", "sprint(1)", "\"print(\"",
  ])
  func allowedCallsAreNotReported(code: String) {
    #expect(LineRules.forbiddenCalls(in: [sample(code)]).isEmpty)
  }

  @Test(arguments: ["see /wo" + "rk/main", "-I/fa" + "rm/x", "`/tmp/bash" + "_jobs.0`"])
  func machineSpecificPathsAreFound(text: String) {
    #expect(LineRules.machinePaths(in: SourceFile(path: "README.md", text: text)).map(\.line) == [1])
  }

  private func sample(_ text: String) -> SourceFile {
    SourceFile(path: "Sources/TidemarkEssentials/SQLite/A.swift", text: text)
  }
}
