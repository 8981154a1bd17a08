import Testing

@Suite struct FolderRuleTests {
  private static let files = SourceTree.swiftFiles(in: "Sources")

  @Test func noFolderHasTooManyFiles() {
    report(FolderRules.crowded(Self.files))
  }

  @Test func noFileIsTooShort() {
    report(FolderRules.short(Self.files))
  }

  // MARK: - The checks can fail

  @Test func aCrowdedFolderIsFound() {
    let files = (0...FolderRules.filesMax).map { SourceFile(path: "Sources/A/File\($0).swift", text: "") }
    #expect(FolderRules.crowded(files).map(\.path) == ["Sources/A"])
    #expect(FolderRules.crowded(files.dropLast()).isEmpty)
  }

  @Test func aShortFileIsFoundUnlessItHasAReason() {
    let file = SourceFile(path: "Sources/A/Short.swift", text: "struct A {}\n")
    #expect(FolderRules.short([file]).map(\.message) == ["1 lines. Move them to a file with the same subject"])
    #expect(FolderRules.short([file], reasons: ["Short.swift": "A reason."]).isEmpty)
  }
}
