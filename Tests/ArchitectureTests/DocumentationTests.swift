import Testing

@Suite struct DocumentationTests {
  static let pages = SourceTree.files.filter { file in
    file.path == "README.md"
      || file.path.hasSuffix(".md") && (file.path.hasPrefix("Documentation/") || file.path.contains(".docc/"))
  }

  @Test func everyPublicDeclarationIsDocumented() {
    report(PublicDocumentation.missing(in: SourceTree.swiftFiles(in: "Sources")))
  }

  @Test func everyDocumentedCodeBlockIsRunByATest() {
    let sources = SourceTree.swiftFiles(in: "Tests", "Demo", "Examples").filter {
      !$0.path.hasPrefix("Tests/ArchitectureTests/")
    }
    report(QuotedCode.unfounded(in: Self.pages, sources: sources))
  }

  /// The driver of NATS is compiled with a package trait only, so the test that compiles examples cannot import it.
  @Test func everyExampleOfTheNATSDriverIsPartOfATest() {
    let examples = SourceTree.swiftFiles(in: "Sources/TidemarkClusterNATS").flatMap(CommentExamples.examples)
    #expect(examples.count >= 2)
    let pages = examples.map { example in
      let text =
        String(repeating: "\n", count: example.line - 2) + "```swift\n\(example.code.joined(separator: "\n"))\n```"
      return SourceFile(path: example.path, text: text)
    }
    report(QuotedCode.unfounded(in: pages, sources: SourceTree.swiftFiles(in: "Tests/TidemarkClusterTests/NATS")))
  }

  @Test func everyNameInACodeSpanExists() {
    let pages = SourceTree.files.filter { $0.path.hasSuffix(".md") && $0.path != "CHANGELOG.md" }
    let sources = SourceTree.files.filter { !$0.path.hasSuffix(".md") && !$0.path.hasPrefix("Benchmarks/results/") }
    report(CodeSpans.unknownNames(in: pages, sources: sources))
  }

  @Test(arguments: ["Documentation", "Documentation/Decisions"])
  func everyPageIsListed(in folder: String) throws {
    let pages = PageList(folder: folder)
    let list = try #require(SourceTree.file(pages.path))
    report(pages.unlinked(from: list, pages: SourceTree.paths))
  }

  // MARK: - Public documentation: the check can fail

  @Test(arguments: [
    "public func f() {}", "public struct S {}", "  public init() {}", "public static var a: Int { 1 }",
    "@inlinable\npublic subscript(i: Int) -> Int { 0 }", "public typealias T = Int", "open class C {}",
    "// Not a doc comment\npublic let a = 1", "public private(set) var a = 1", "public protocol P {}",
    "extension S where T: Hashable {\n  public func f() {}\n}", "struct S: Hashable {\n  public func f() {}\n}",
    "/// A protocol.\npublic protocol P {\n  func f()\n}", "/// One\n\npublic func f() {}",
    "extension S<A>: Hashable {\n}\npublic func f() {}", "public static func ~= (a: A, b: B) -> Bool { true }",
    "struct S: Hashable {\n  public init(a: A) {}\n}",
    "protocol P {\n  var a: A { get }\n}\nstruct S {\n  public var a: A\n}",
  ])
  func undocumentedDeclarationsAreFound(code: String) {
    #expect(PublicDocumentation.missing(in: [sample(code)]).count == 1)
  }

  @Test(arguments: [
    "/// Says.\npublic func f() {}", "/// Says.\n@inlinable\n@discardableResult\npublic func f() {}", "func f() {}",
    "/// Says.\n@available(\n  *, deprecated,\n  message: \"Say (this)\")\npublic func f() {}",
    "public import Foundation",
    "extension S: Hashable {\n  public func f() {}\n}", "extension S:\n  Hashable\n{\n  public func f() {}\n}",
    "class C {\n  public override func f() {}\n}", "public func _f() {}", "protocol P {\n  func f()\n}",
    "struct S: Hashable {\n  public static func == (a: S, b: S) -> Bool { true }\n  public init(from: D) {}\n}",
    "/// A protocol.\npublic protocol P {\n  /// Says.\n  associatedtype A\n  func _f()\n}",
    "/// Says.\npublic struct S {\n  func f() {\n    let a = 1\n  }\n}", "let text = \"public func f()\"",
    "protocol P {\n  init(a: A)\n}\nstruct S: P {\n  public init(a: A) {}\n}",
  ])
  func documentedDeclarationsPass(code: String) {
    #expect(PublicDocumentation.missing(in: [sample(code)]) == [])
  }

  // MARK: - Quoted code: the check can fail

  static let source = SourceFile(
    path: "Tests/T.swift", text: "@testable import Tidemark\nfunc t() {\n  let a = 1\n\n  // Why\n  let b = 2 // two\n}"
  )

  @Test func unquotedCodeBlocksAreFound() {
    let page = sample(page: "Text\n```swift\nlet a = 1\nlet c = 3\n```\n")
    let findings = QuotedCode.unfounded(in: [page], sources: [Self.source])
    #expect(findings.map(\.line) == [2])
    #expect(findings.first?.message.contains("let c = 3") == true)
  }

  @Test func separateLinesDoNotFormABlock() {
    let page = sample(page: "```swift\nlet b = 2\nlet a = 1\n```\n")
    #expect(QuotedCode.unfounded(in: [page], sources: [Self.source]).map(\.line) == [1])
  }

  @Test func quotedCodeIgnoresIndentationCommentsAndImports() {
    let page = sample(
      page: "```swift\nimport Tidemark\n```\n```swift\nlet a = 1 // One\nlet b = 2\n```\n```sh\nmake\n```\n")
    #expect(QuotedCode.blocks(of: page).count == 2)
    #expect(QuotedCode.unfounded(in: [page], sources: [Self.source]) == [])
  }

  @Test func exemptionsRequireAReason() {
    let excused = sample(page: "<!-- not compiled: it shows an error -->\n\n```swift\nlet x = 1\n```\n")
    let silent = sample(page: "<!-- not compiled: -->\n```swift\nlet x = 1\n```\n")
    #expect(QuotedCode.unfounded(in: [excused], sources: [Self.source]) == [])
    #expect(QuotedCode.unfounded(in: [silent], sources: [Self.source]).map(\.line) == [2])
  }

  // MARK: - Names in code spans: the check can fail

  @Test func unknownNamesInCodeSpansAreFound() {
    let page = sample(page: "`someName` and `Other.thing(_:)`\n```swift\nlet inABlock = 1\n```\n`aName` `renamedThing`")
    let source = sample("/// renamedThing\nlet someName = 1")
    let findings = CodeSpans.unknownNames(in: [page], sources: [source])
    #expect(
      findings.map(\.description) == [
        "README.md:5: No source has the name aName", "README.md:5: No source has the name renamedThing",
      ])
  }

  @Test func pathsAndAllowedNamesInCodeSpansAreKnown() {
    let page = sample(page: "`Sources/TidemarkEssentials`, `…AndFetch`, someProse and `plain words`")
    #expect(CodeSpans.unknownNames(in: [page], sources: [sample("let a = 1")]) == [])
  }

  // MARK: - Lists of pages: the check can fail

  @Test func unlinkedPagesAreFound() {
    let list = SourceFile(path: "Documentation/README.md", text: "See [one](One.md).")
    let pages = ["One.md", "README.md", "Two.md", "Decisions/Three.md"].map { "Documentation/\($0)" } + ["Four.md"]
    let findings = PageList(folder: "Documentation").unlinked(from: list, pages: pages)
    #expect(findings.map(\.message) == ["There is no link to (Two.md)"])
  }

  private func sample(_ text: String) -> SourceFile {
    SourceFile(path: "Sources/TidemarkEssentials/SQLite/A.swift", text: text)
  }
  private func sample(page text: String) -> SourceFile { SourceFile(path: "README.md", text: text) }
}
