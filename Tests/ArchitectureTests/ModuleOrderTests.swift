import Testing

@Suite struct ModuleOrderTests {
  static let library = SourceTree.swiftFiles(in: SourceTree.library)

  @Test func everyFileIsInAListedModule() {
    report(Modules.strays(in: Self.library))
  }

  @Test func modulesDependOnlyOnEarlierModules() {
    report(Modules.violations(in: Self.library))
  }

  @Test func sqliteDBModulesAreOrdered() {
    let files = SourceTree.swiftFiles(in: SourceTree.sqliteDB)
    #expect(!files.isEmpty)
    report(Modules.strays(in: files, order: Modules.sqliteDBOrder))
    report(Modules.violations(in: files, order: Modules.sqliteDBOrder))
  }

  // MARK: - The checks can fail

  @Test func filesOutsideModulesAreFound() {
    let files = [
      sample("Engine/A.swift"), sample("B.swift"), sample("Cellar/C.swift"), sample("PackageInterface.swift"),
      SourceFile(path: "Sources/Other/D.swift", text: ""),
    ]
    #expect(
      Modules.strays(in: Array(files[..<4])).map(\.path) == [
        "Sources/TidemarkEssentials/B.swift", "Sources/TidemarkEssentials/Cellar/C.swift",
      ])
  }

  @Test func dependenciesOnLaterModulesAreFound() {
    let files = [
      sample("Engine/Handle.swift", "struct Handle {\n  // Row\n  let text = \"Row\"\n  var row: Row?\n}"),
      sample("Rows/Row.swift", "public final class Row {\n  let handle: Handle\n}"),
    ]
    #expect(
      Modules.violations(in: files) == [
        Finding(
          path: "Sources/TidemarkEssentials/Engine/Handle.swift", line: 4,
          message: "Engine comes before Rows, so it must not know Row")
      ])
  }

  @Test(arguments: [
    "let kind = Kind.Row.self", "protocol P {\n  associatedtype Row\n  func f(_: Row)\n}", "// Row",
    "let row = \"Row\"",
    "struct Rower {}", "struct Row {}\nlet row: Row",
  ])
  func unrelatedNamesAreNotDependencies(code: String) {
    let files = [sample("Engine/A.swift", code), sample("Rows/Row.swift", "public struct Row {}")]
    #expect(Modules.violations(in: files).isEmpty)
  }

  @Test func privateTypesOfLaterModulesAreIgnored() {
    let files = [
      sample("Engine/A.swift", "func f(_: State) {}"), sample("Rows/B.swift", "private enum State {}"),
      sample("Rows/C.swift", "extension Row {\n  struct State {}\n}"),
    ]
    #expect(Modules.violations(in: files).isEmpty)
  }

  private func sample(_ path: String, _ text: String = "") -> SourceFile {
    SourceFile(path: "\(SourceTree.library)/\(path)", text: text)
  }
}
