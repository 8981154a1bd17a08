import Testing

@Suite struct CCallTests {
  @Test func onlyListedModulesCallC() {
    report(SourceTree.swiftFiles(in: SourceTree.library).flatMap { CCalls.violations(in: $0) })
  }

  @Test func sqliteDBCallsCOnlyThroughTidemark() {
    let files = SourceTree.swiftFiles(in: SourceTree.sqliteDB)
    report(files.flatMap { CCalls.violations(in: $0, callers: [], callbacks: []) })
  }

  // MARK: - The check can fail

  @Test(arguments: [
    ("Rows", "let code = sqlite3_step(statement)"), ("Connections", "sqlite3session_create (db, name, &session)"),
    ("Rows", "if tidemark_has_snapshot() != 0 {}"), ("Statements", "let context = Unmanaged.passRetained(box)"),
    ("Transactions", "typealias Hook = @convention(c) () -> Void"),
  ])
  func disallowedCCallsAreFound(module: String, code: String) {
    let findings = CCalls.violations(in: sample(in: module, "// A file\n" + code))
    #expect(findings.map(\.line) == [2])
  }

  @Test(arguments: [
    ("Statements", "let code = sqlite3_step(statement)"), ("SQLite", "Unmanaged.passRetained(box)"),
    ("Rows", "// sqlite3_step(statement)"), ("Rows", "let text = \"sqlite3_step()\""),
    ("Rows", "var value: sqlite3_value?"),
  ])
  func mentionsOfCFunctionsAreNotCalls(module: String, code: String) {
    #expect(CCalls.violations(in: sample(in: module, code)).isEmpty)
  }

  private func sample(in module: String, _ text: String) -> SourceFile {
    SourceFile(path: "\(SourceTree.library)/\(module)/Sample.swift", text: text)
  }
}
