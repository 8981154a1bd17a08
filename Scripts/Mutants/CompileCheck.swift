import Foundation
import SwiftParser
import SwiftSyntax

/// Finds the mutants at which the compiler reports errors.
struct CompileCheck {
  private var spans: [(number: Int, start: Int, end: Int)] = []
  private var functions: [(start: Int, end: Int)] = []
  private let converter: SourceLocationConverter
  private let removals: Set<Int>

  /// - Parameter text: A rewritten source.
  init(_ text: String, _ mutants: [Mutant]) {
    let tree = Parser.parse(source: text)
    converter = SourceLocationConverter(fileName: "", tree: tree)
    removals = Set(mutants.filter { $0.kind == .statement || $0.kind == .caseBody }.map(\.number))
    let visitor = Visitor(viewMode: .sourceAccurate)
    visitor.walk(tree)
    (spans, functions) = (visitor.spans, visitor.functions)
  }

  /// The mutants that may have caused an error: the innermost one around it. An error after a removed statement, such
  /// as a variable without a value, is attributed to all removals in its function.
  func culprits(of error: CompilerError) -> Set<Int> {
    let position = converter.position(ofLine: error.line, column: error.column).utf8Offset
    if let span = spans.filter({ $0.start <= position && position < $0.end }).min(by: {
      $0.end - $0.start < $1.end - $1.start
    }) {
      return [span.number]
    }
    let around = functions.filter { $0.start <= position && position <= $0.end }
    for function in around.sorted(by: { $0.end - $0.start < $1.end - $1.start }) {
      let numbers = Set(spans.filter { $0.start >= function.start && $0.end <= function.end }.map(\.number))
      let removed = numbers.intersection(removals)
      if !numbers.isEmpty { return removed.isEmpty ? numbers : removed }
    }
    return []
  }

  private final class Visitor: SyntaxVisitor {
    var spans: [(number: Int, start: Int, end: Int)] = []
    var functions: [(start: Int, end: Int)] = []

    override func visit(_ call: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      if call.calleeName.hasPrefix("mutated"), let number = Int(call.arguments.first?.trimmedDescription.digits ?? "") {
        // A removed statement is the body of an `if` with this call as its condition.
        let conditional = call.parent?.parent?.parent?.parent?.as(IfExprSyntax.self)
        add(number, around: conditional.map { Syntax($0) } ?? Syntax(call))
      }
      return .visitChildren
    }

    private func add(_ number: Int, around node: Syntax) {
      spans.append((number, node.positionAfterSkippingLeadingTrivia.utf8Offset, node.endPosition.utf8Offset))
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
    override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind { note(node) }
    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { note(node) }

    private func note(_ node: some SyntaxProtocol) -> SyntaxVisitorContinueKind {
      functions.append((node.position.utf8Offset, node.endPosition.utf8Offset))
      return .visitChildren
    }
  }
}

extension String {
  /// The digits at the beginning.
  fileprivate var digits: String { String(prefix { $0.isNumber }) }
}
