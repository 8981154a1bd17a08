import Testing

@Suite struct ModuleOrderTests {
  @Test func everyFileIsInAListedModule() {
    report(Modules.strays(in: SourceTree.swiftFiles(in: SourceTree.library)))
    report(Modules.strays(in: SourceTree.swiftFiles(in: SourceTree.sqliteDB), order: Modules.sqliteDBOrder))
  }

  @Test(arguments: [
    ("TidemarkEssentials", SourceTree.library, Modules.order), ("SQLiteDB", SourceTree.sqliteDB, Modules.sqliteDBOrder),
    ("Demo", SourceTree.demo, Modules.demoOrder),
  ])
  func modulesUseOnlyEarlierModules(target: String, folder: String, order: [String]) throws {
    let index = try CompilerIndex(of: target, in: folder)
    let filesWithReferences = Set(index.references.map(\.path))
    let missing = SourceTree.swiftFiles(in: folder).map(\.path).filter { !index.paths.contains($0) }
    #expect(missing.isEmpty, "The index must contain each file")
    #expect(filesWithReferences.count > index.paths.count / 2, "Files must refer to each other")
    report(Modules.violations(index.references, order: order))
  }

  // MARK: - The checks can fail

  @Test func filesOutsideModulesAreFound() {
    let files = [
      sample("SQLite/A.swift"), sample("B.swift"), sample("Cellar/C.swift"), sample("PackageInterface.swift"),
      SourceFile(path: "Sources/Other/D.swift", text: ""),
    ]
    #expect(
      Modules.strays(in: Array(files[..<4])).map(\.path) == [
        "Sources/TidemarkEssentials/B.swift", "Sources/TidemarkEssentials/Cellar/C.swift",
      ])
  }

  @Test func aMemberOfALaterModuleIsFound() {
    let use = CompilerIndex.Reference(
      path: "Sources/TidemarkEssentials/SQLite/Values/Handle.swift", line: 4, name: "decode()",
      declaringPath: "Sources/TidemarkEssentials/Rows/Row+Values.swift")
    #expect(
      Modules.violations([use]) == [
        Finding(
          path: "Sources/TidemarkEssentials/SQLite/Values/Handle.swift", line: 4,
          message: "SQLite comes before Rows, so it must not use decode()")
      ])
  }

  @Test func aMemberOfAnEarlierModuleIsNotFound() {
    let use = CompilerIndex.Reference(
      path: "Sources/TidemarkEssentials/Rows/Row.swift", line: 4, name: "step()",
      declaringPath: "Sources/TidemarkEssentials/SQLite/Handle.swift")
    #expect(Modules.violations([use]).isEmpty)
  }

  @Test(arguments: [
    // A type, a protocol's method in an extension, a type's method in an extension, and an initializer.
    ("SQLPrinter", "Printing/SQLPrinter.swift"), ("fetchCursor(_:)", "Fetching/Fetching.swift"),
    ("runToEnd(_:)", "Statements/Database/Database+Execute.swift"), ("init(sql:arguments:)", "Grammar/SQL.swift"),
  ])
  func theIndexKnowsWhoDeclaresASymbol(name: String, path: String) throws {
    let index = try CompilerIndex(of: "TidemarkEssentials", in: SourceTree.library)
    let declaring = Set(index.references.filter { $0.name == name }.map(\.declaringPath))
    #expect(declaring.contains("\(SourceTree.library)/\(path)"))
  }

  private func sample(_ path: String) -> SourceFile { SourceFile(path: "\(SourceTree.library)/\(path)", text: "") }
}
