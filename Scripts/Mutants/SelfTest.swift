import Foundation

/// Checks the tool: which mutants a text has, and whether tests find them.
enum SelfTest {
  static func run(root: String) throws {
    for (text, expected) in texts {
      let mutator = Mutator(file: "", text: text, firstNumber: 1)
      let rewritten = mutator.rewritten()
      let found = mutator.mutants.map { "\($0.original)  →  \($0.changed)" }
      guard found == expected else {
        throw Failure("unexpected mutants of\n\(text)\nexpected:\n\(lines(expected))\nfound:\n\(lines(found))")
      }
      guard rewritten.split(separator: "\n").count == text.split(separator: "\n").count else {
        throw Failure("the lines of the rewritten text differ:\n\(rewritten)")
      }
      let all = Set(1..<mutator.endNumber)
      guard Mutator(file: "", text: text, firstNumber: 1, dropped: all).rewritten() == text else {
        throw Failure("without mutants, the text is not the original:\n\(text)")
      }
    }
    try checkFates(root)
  }

  private static func lines(_ texts: [String]) -> String { texts.map { "  " + $0 }.joined(separator: "\n") }

  private static let texts: [(String, [String])] = [
    (
      "func f(a: Int, b: Int) -> Bool { a < b }",
      ["a < b  →  a <= b", "a < b  →  a >= b"]
    ),
    (
      "func f(a: Bool, b: Bool) -> Bool {\n  a // why\n    && !b\n}",
      ["a  →  !(a)", "b  →  !(b)", "a // why && !b  →  a // why || !b"]
    ),
    (
      "func f() { count += 1; assert(count < 3); throw failure(count + 1) }",
      ["count += 1  →  count += 0", "count += 1  →  count -= 1", "count += 1  →  (removed)"]
    ),
    (
      "func f() -> Int? { if let a { return a }; return nil }",
      ["let a  →  false", "return a  →  return nil"]
    ),
    (
      "func f(a: [Int]) -> Int { var n: Int; n = a.count; return n }",
      ["return n  →  return n + 1"]
    ),
    (
      "func f() { guard case .a = state else { preconditionFailure(\"\") }; for i in 0..<n { g(i) } }",
      ["0..<n  →  1..<n", "0..<n  →  0...n", "g(i)  →  (removed)"]
    ),
    (
      "func f() { switch a { case 1: g(); h() default: break } }",
      ["g()  →  (removed)", "h()  →  (removed)", "case 1: g(); h()  →  (empty case)"]
    ),
    (
      "@inlinable func f(a: Int) -> Int { a + 1 }\nlet text = \"\\(a + 1)\"",
      []
    ),
    (
      "struct A { init(b: Int) { self.b = max(b, c ?? d) } }",
      ["c ?? d  →  d", "max(b, c ?? d)  →  min(b, c ?? d)"]
    ),
  ]

  /// A weak test must miss a mutant; a strong one must find it. An endless loop must be stopped.
  private static func checkFates(_ root: String) throws {
    let source = """
      func isOfAge(_ age: Int) -> Bool { age >= 18 }
      func countDown(from start: Int) -> Int {
        var (left, steps) = (start, 0)
        while left > 0 {
          left -= 1
          steps += 1
        }
        return steps
      }
      """
    let program = """

      let arguments = CommandLine.arguments
      let isStrong = arguments.count > 1 && arguments[1] == "strong"
      var isRight = isOfAge(30) && !isOfAge(5)
      if isStrong { isRight = isRight && isOfAge(18) && !isOfAge(17) && countDown(from: 3) == 3 }
      if !isRight { print("recorded an issue") }
      """
    let folder = NSTemporaryDirectory() + "mutants-self-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let mutator = Mutator(file: "", text: source, firstNumber: 1)
    let text = mutator.rewritten() + program
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/main.swift"))
    let runtime = root + "/Scripts/Mutants/Runtime/Mutated.swift"
    let (output, status) = try command(["swiftc", "-o", folder + "/program", folder + "/main.swift", runtime])
    guard status == 0 else { throw Failure("the rewritten program does not compile:\n\(output)\n\(text)") }

    func fate(_ original: String, _ changed: String, _ arguments: [String]) throws -> TestProcess.Outcome {
      guard let mutant = mutator.mutants.first(where: { $0.original == original && $0.changed == changed }) else {
        throw Failure("there is no mutant \(original)  →  \(changed)")
      }
      let environment = ["TIDEMARK_MUTANT": String(mutant.number)]
      return try TestProcess(arguments: [folder + "/program"] + arguments, environment: environment).run(seconds: 5)
        .outcome
    }
    let weak = try fate("age >= 18", "age > 18", [])
    let strong = try fate("age >= 18", "age > 18", ["strong"])
    let endless = try fate("left -= 1", "(removed)", ["strong"])
    guard weak == .passed, strong == .failed, endless == .timedOut else {
      throw Failure("a weak test \(weak), a strong test \(strong), an endless loop \(endless)")
    }
  }
}
