import Testing

@Suite struct DemoRuleTests {
  private static let files = SourceTree.swiftFiles(in: SourceTree.demo)

  @Test func theDemoUsesWhatItsFoldersMayUse() {
    report(Self.files.flatMap(DemoRules.violations))
  }

  @Test func theFoldersOfTheDemoKnowThoseBeforeThem() {
    report(Rooms.violations(in: Self.files, order: Rooms.demoOrder))
  }

  @Test func everyFolderOfTheDemoIsKnown() {
    #expect(Set(Self.files.compactMap(\.room)) == Set(Rooms.demoOrder))
    #expect(Set(DemoRules.imports.keys) == Set(Rooms.demoOrder))
  }

  // MARK: - The check can fail

  @Test(arguments: [
    ("View", "import Tidemark"), ("Cells", "import Foundation"), ("Model", "@testable import Tidemark"),
    ("Watch", "import CSQLite"), ("Model", "tcsetattr(0, 0, &modes)"), ("Commands", "var modes = termios()"),
  ])
  func aViolationIsFound(folder: String, code: String) {
    #expect(DemoRules.violations(in: sample(folder, "\n" + code)).map(\.line) == [2])
  }

  @Test(arguments: [
    ("Terminal", "import Foundation\nioctl(0, 1)"), ("Model", "import Tidemark"), ("View", "// import Tidemark"),
  ])
  func whatMayBeIsLeftAlone(folder: String, code: String) {
    #expect(DemoRules.violations(in: sample(folder, code)).isEmpty)
  }

  @Test func aFolderThatKnowsALaterOneIsFound() {
    let files = [sample("Cells", "let a: Pane"), sample("Model", "struct Pane {}")]
    #expect(Rooms.violations(in: files, order: Rooms.demoOrder).count == 1)
  }

  private func sample(_ folder: String, _ text: String) -> SourceFile {
    SourceFile(path: "Demo/\(folder)/Sample.swift", text: text)
  }
}
