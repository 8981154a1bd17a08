import Testing

@Suite struct DoorTests {
  @Test func onlyTheRoomsWithADoorSpeakToC() {
    report(SourceTree.swiftFiles(in: SourceTree.library).flatMap { Doors.violations(in: $0) })
  }

  @Test func theDialectSpeaksToCThroughTidemark() {
    let files = SourceTree.swiftFiles(in: SourceTree.dialect)
    report(files.flatMap { Doors.violations(in: $0, callers: [], callbacks: []) })
  }

  // MARK: - The check can fail

  @Test(arguments: [
    ("Rows", "let code = sqlite3_step(statement)"), ("Connections", "sqlite3session_create (db, name, &session)"),
    ("Rows", "if tidemark_has_snapshot() != 0 {}"), ("Statements", "let context = Unmanaged.passRetained(box)"),
    ("Transactions", "typealias Hook = @convention(c) () -> Void"),
  ])
  func aWayThroughTheWallIsFound(room: String, code: String) {
    let findings = Doors.violations(in: sample(in: room, "// A file\n" + code))
    #expect(findings.map(\.line) == [2])
  }

  @Test(arguments: [
    ("Statements", "let code = sqlite3_step(statement)"), ("Engine", "Unmanaged.passRetained(box)"),
    ("Rows", "// sqlite3_step(statement)"), ("Rows", "let text = \"sqlite3_step()\""),
    ("Rows", "var value: sqlite3_value?"),
  ])
  func aDoorIsADoorAndAMentionNoCall(room: String, code: String) {
    #expect(Doors.violations(in: sample(in: room, code)).isEmpty)
  }

  private func sample(in room: String, _ text: String) -> SourceFile {
    SourceFile(path: "\(SourceTree.library)/\(room)/Sample.swift", text: text)
  }
}
