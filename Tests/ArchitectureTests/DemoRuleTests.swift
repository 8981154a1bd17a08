import Testing

@Suite struct DemoRuleTests {
  private static let files = SourceTree.swiftFiles(in: SourceTree.demo)

  @Test func demoFoldersUseOnlyAllowedImports() {
    report(Self.files.flatMap(DemoRules.violations))
  }

  @Test func everyDemoFolderIsListed() {
    #expect(Set(Self.files.compactMap(\.module)) == Set(Modules.demoOrder))
    #expect(Set(DemoRules.imports.keys) == Set(Modules.demoOrder))
  }

  // MARK: - The check can fail

  @Test(arguments: [
    ("View", "import Tidemark"), ("Cells", "import Foundation"), ("Model", "@testable import Tidemark"),
    ("Watch", "import CSQLite"), ("Model", "tcsetattr(0, 0, &modes)"), ("Commands", "var modes = termios()"),
  ])
  func ruleViolationsAreFound(folder: String, code: String) {
    #expect(DemoRules.violations(in: sample(folder, "\n" + code)).map(\.line) == [2])
  }

  @Test(arguments: [
    ("Terminal", "import Foundation\nioctl(0, 1)"), ("Model", "import Tidemark"), ("View", "// import Tidemark"),
  ])
  func allowedCodeIsNotReported(folder: String, code: String) {
    #expect(DemoRules.violations(in: sample(folder, code)).isEmpty)
  }

  private func sample(_ folder: String, _ text: String) -> SourceFile {
    SourceFile(path: "Demo/\(folder)/Sample.swift", text: text)
  }
}
