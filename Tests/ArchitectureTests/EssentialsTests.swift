import Testing

@Suite struct EssentialsTests {
  @Test("The essential module loads nothing of Foundation but its essentials")
  func imports() {
    report(SourceTree.swiftFiles(in: SourceTree.library).flatMap(Self.violations))
  }

  @Test(arguments: [
    "import Foundation", "public import Foundation", "@_exported public import Foundation",
    "import struct Foundation.Date",
    "import FoundationInternationalization", "import FoundationNetworking",
  ])
  func disallowedImportsAreFound(line: String) {
    let file = SourceFile(path: "\(SourceTree.library)/SQLite/A.swift", text: line)
    #expect(Self.violations(in: file).map(\.line) == [1])
  }

  @Test func allowedImportsAreNotReported() {
    let text = "// import Foundation\npublic import FoundationEssentials\nimport Dispatch"
    let file = SourceFile(path: "\(SourceTree.library)/SQLite/A.swift", text: text)
    #expect(Self.violations(in: file).isEmpty)
  }

  private static func violations(in file: SourceFile) -> [Finding] {
    file.findings(in: file.swift.code) { line in
      guard let match = line.firstMatch(of: #/\bimport\s+(?:\w+\s+)?(Foundation\w*)/#) else { return nil }
      let module = match.output.1
      return module == "FoundationEssentials"
        ? nil : "\(module) is loaded by every program: see FoundationIsASeparateModule"
    }
  }
}
