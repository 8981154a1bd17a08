import Testing

/// Invalid programs do not compile: see `Tests/Negative/run.sh`.
@Suite(.enabled(if: Products.folder != nil && Command.exists("swiftc"), "Takes a compiler and the built module"))
struct NegativeTests {
  static let cases = SourceTree.swiftFiles(in: "Tests/Negative/Cases").map { file in
    String(file.path.split(separator: "/")[3].dropLast(".swift".count))
  }

  @Test func supportedUsesCompile() throws { try check("control") }

  @Test(arguments: cases) func unsupportedUsesDoNotCompile(name: String) throws { try check(name) }

  @Test func anUnexpectedlyCompilingCaseIsAFailure() throws {
    #expect(try run("../Control").status != 0)
  }

  private func check(_ name: String) throws {
    let answer = try run(name)
    #expect(answer.status == 0, "\(answer.output)")
  }

  private func run(_ name: String) throws -> (status: Int32, output: String) {
    let folder = try #require(Products.folder)
    return try Command(["Tests/Negative/run.sh", folder.path(), name]).run()
  }
}
