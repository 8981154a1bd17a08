import Testing

/// The compiler type-checks long expressions quickly: see `Tests/TypeChecking/run.sh`.
@Suite(.enabled(if: Products.folder != nil && Command.exists("swiftc"), "Takes a compiler and the built module"))
struct TypeCheckingTests {
  @Test func longExpressionsTypeCheckQuickly() throws {
    let folder = try #require(Products.folder)
    let answer = try Command(["Tests/TypeChecking/run.sh", folder.path()]).run()
    #expect(answer.status == 0, "\(answer.output)")
  }
}
