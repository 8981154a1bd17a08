import Foundation
import Testing

/// The examples in the documentation comments compile.
@Suite(.enabled(if: Products.folder != nil && Command.exists("swiftc"), "Takes a compiler and the built module"))
struct CommentExampleTests {
  /// A module with examples, and the folder with the declarations that they use.
  enum Library: String, CaseIterable {
    case tidemark = "Tidemark"
    case sqliteDB = "SQLiteDB"
    case cluster = "TidemarkCluster"

    var sources: [String] {
      switch self {
      case .tidemark: ["Sources/Tidemark", SourceTree.library]
      case .sqliteDB: [SourceTree.sqliteDB]
      case .cluster: ["Sources/TidemarkCluster"]
      }
    }

    var imports: String {
      switch self {
      case .tidemark: "import CSQLite\n"
      case .sqliteDB: ""
      case .cluster: "import Tidemark\n"
      }
    }

    /// The smallest number of examples, so that the search for them is known to work.
    var exampleCountMin: Int { self == .cluster ? 25 : 100 }

    var declarations: [SourceFile] { SourceTree.swiftFiles(in: "Tests/TypeChecking/CommentExamples/\(rawValue)") }
  }

  @Test(arguments: Library.allCases)
  func documentedExamplesCompile(_ library: Library) throws {
    let examples = library.sources.flatMap { SourceTree.swiftFiles(in: $0) }.flatMap(CommentExamples.examples)
    #expect(examples.count >= library.exampleCountMin)
    let result = try compile(examples, library)
    let errors = result.output.split(separator: "\n").filter { $0.contains("error: ") }
    #expect(result.status == 0, "\(errors.joined(separator: "\n"))")
  }

  // MARK: - The check can fail

  @Test(arguments: [
    (Library.sqliteDB, "try db.run(users.insert(email <- 1))"),
    (.tidemark, "let player: Player = try Player.fetchAll(db)"),
    (.cluster, "let position: LogPosition = try await database.write { _ in }"),
  ])
  func exampleWithAnErrorIsFound(_ library: Library, code: String) throws {
    let file = SourceFile(
      path: "Sources/A.swift", text: "/// Returns rows.\n///\n/// ```swift\n/// \(code)\n/// ```\nfunc f() {}")
    let result = try compile(CommentExamples.examples(in: file), library)
    #expect(result.status != 0)
    #expect(result.output.contains("Sources/A.swift:4:"))
  }

  private func compile(
    _ examples: [CommentExamples.Example], _ library: Library
  ) throws -> (status: Int32, output: String) {
    let products = try #require(Products.folder)
    let modules = try Command(["Tests/Support/modules.sh", products.path()]).run().output
    let folder = FileManager.default.temporaryDirectory.appending(path: "CommentExamples-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "Examples.swift")
    let declarations = library.declarations
    let contexts = Set(declarations.flatMap { CommentExamples.contexts(in: $0.lines) })
    let code = CommentExamples.program(examples, contexts: contexts)
    try "\(library.imports)import Foundation\nimport \(library.rawValue)\n\n\(code)"
      .write(to: program, atomically: true, encoding: .utf8)
    return try Command(
      [
        "swiftc", "-typecheck", "-parse-as-library", "-suppress-warnings", "-swift-version", "6", "-I",
        modules.trimmingCharacters(in: .whitespacesAndNewlines), "-Xcc",
        "-fmodule-map-file=Sources/CSQLite/module.modulemap",
      ] + declarations.map(\.path) + [program.path()]
    ).run()
  }
}

@Suite struct CommentExampleParsingTests {
  @Test func swiftBlocksOfCommentsAreExamples() {
    let text = "/// A.\n///\n/// ```swift\n/// f {\n///   g()\n/// }\n/// ```\n/// ```sh\n/// make\n/// ```\nlet a = 1"
    let expected = CommentExamples.Example(path: "A.swift", line: 4, code: ["f {", "  g()", "}"])
    #expect(CommentExamples.examples(in: SourceFile(path: "A.swift", text: text)) == [expected])
  }

  @Test func asynchronousExamplesBecomeAsynchronousFunctions() {
    let program = CommentExamples.program([.init(path: "A.swift", line: 4, code: ["await f()"])])
    #expect(
      program == "func example0() async throws {\n#sourceLocation(file: \"A.swift\", line: 4)\nawait f()\n"
        + "#sourceLocation()\n}\n")
  }

  @Test func extensionsStayAtFileScope() {
    let program = CommentExamples.program([.init(path: "A.swift", line: 4, code: ["extension A { … }"])])
    #expect(program == "#sourceLocation(file: \"A.swift\", line: 4)\nextension A { }\n")
  }

  @Test func examplesOfAFileWithAContextBecomeMethodsOfTheContext() {
    let contexts = CommentExamples.contexts(in: ["struct A_BExamples {", "  var t: T", "}"])
    #expect(contexts == ["A_BExamples"])
    let program = CommentExamples.program(
      [.init(path: "Sources/A+B.swift", line: 4, code: ["t.f()"])], contexts: Set(contexts))
    #expect(
      program == "extension A_BExamples {\nfunc example0() throws {\n"
        + "#sourceLocation(file: \"Sources/A+B.swift\", line: 4)\nt.f()\n#sourceLocation()\n}\n}\n")
  }

  @Test(arguments: [
    "func f() {}", "static let a = 1", "init(row: Row) {}", "mutating func f() {}", "// A.\nfunc f() {}",
  ])
  func membersBecomePartsOfARecord(code: String) {
    let example = CommentExamples.Example(
      path: "A.swift", line: 4, code: code.split(separator: "\n").map(String.init))
    #expect(CommentExamples.program([example]).contains("struct Player: "))
  }

  @Test func omittedCodeIsRemoved() {
    let program = CommentExamples.program([.init(path: "A.swift", line: 4, code: ["f { … }", "  …", "// a, …, b"])])
    #expect(program.contains("f { }\n\n// a, …, b\n"))
  }
}
