import Foundation
import Testing

/// The examples in the documentation comments of SQLiteDB compile.
@Suite(.enabled(if: Products.folder != nil && Command.exists("swiftc"), "Takes a compiler and the built module"))
struct CommentExampleTests {
  @Test func documentedExamplesCompile() throws {
    let examples = SourceTree.swiftFiles(in: SourceTree.dialect).flatMap(CommentExamples.examples)
    #expect(examples.count > 100)
    let result = try compile(examples)
    let errors = result.output.split(separator: "\n").filter { $0.contains("error: ") }
    #expect(result.status == 0, "\(errors.joined(separator: "\n"))")
  }

  // MARK: - The check can fail

  @Test func exampleWithAnErrorIsFound() throws {
    let file = SourceFile(
      path: "Sources/A.swift",
      text: "/// Returns rows.\n///\n/// ```swift\n/// try db.run(users.insert(email <- 1))\n/// ```\nfunc f() {}")
    let result = try compile(CommentExamples.examples(in: file))
    #expect(result.status != 0)
    #expect(result.output.contains("Sources/A.swift:4:"))
  }

  private func compile(_ examples: [CommentExamples.Example]) throws -> (status: Int32, output: String) {
    let products = try #require(Products.folder)
    let modules = try Command(["Tests/Support/modules.sh", products.path()]).run().output
    let folder = FileManager.default.temporaryDirectory.appending(path: "CommentExamples-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "Examples.swift")
    try "import Foundation\nimport SQLiteDB\n\n\(CommentExamples.program(examples))"
      .write(to: program, atomically: true, encoding: .utf8)
    return try Command([
      "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I",
      modules.trimmingCharacters(in: .whitespacesAndNewlines), "-Xcc",
      "-fmodule-map-file=Sources/CSQLite/module.modulemap", "Tests/TypeChecking/CommentExamples/Prelude.swift",
      program.path(),
    ]).run()
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
}
