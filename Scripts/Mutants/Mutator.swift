import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Rewrites a source so that its mutants can be switched on one at a time, without another build.
///
/// The rewritten text has the lines of the original. Each node is printed from the texts of its children, and a node
/// that has a mutant becomes a call of a function in `Runtime/Mutated.swift`. White space and comments around a node
/// stay outside of the call.
final class Mutator {
  /// The result of a function, as far as it can be changed.
  enum Result {
    case unknown, bool, optional, integer, array
  }

  /// A function, an accessor or a closure.
  struct Scope {
    var name: String?
    var result = Result.unknown
    var isInitializer = false

    /// Variables without an initial value: their assignments cannot be removed.
    var uninitialized: Set<String> = []
  }

  private let file: String
  private let dropped: Set<Int>
  private let tree: SourceFileSyntax
  private let converter: SourceLocationConverter
  private var nextNumber: Int

  /// The mutants of the rewritten text.
  private(set) var mutants: [Mutant] = []

  var scopes: [Scope] = []

  /// Statements whose value is the result of their function.
  var results: [SyntaxIdentifier: Result] = [:]

  /// - Parameter file: The path that mutants have.
  /// - Parameter firstNumber: The number of the first mutant.
  /// - Parameter dropped: The numbers of mutants that do not compile.
  init(file: String, text: String, firstNumber: Int, dropped: Set<Int> = []) {
    self.file = file
    self.dropped = dropped
    nextNumber = firstNumber
    let parsed = Parser.parse(source: text)
    let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
    tree = folded.as(SourceFileSyntax.self) ?? parsed
    converter = SourceLocationConverter(fileName: file, tree: tree)
  }

  func rewritten() -> String { emit(tree) }

  /// The number after the last one, including the numbers of dropped mutants.
  var endNumber: Int { nextNumber }

  /// Adds a mutant.
  ///
  /// - Returns: Its number; nil if it was dropped.
  func claim(_ kind: Mutant.Kind, at node: some SyntaxProtocol, _ original: String, _ changed: String) -> Int? {
    let number = nextNumber
    nextNumber += 1
    if dropped.contains(number) { return nil }
    let line = converter.location(for: node.positionAfterSkippingLeadingTrivia).line
    let function = scopes.compactMap(\.name).joined(separator: ".")
    mutants.append(
      Mutant(
        number: number, kind: kind, file: file, function: function, line: line, original: original.onOneLine,
        changed: changed.onOneLine))
    return number
  }

  // MARK: - Printing

  func emit(_ node: some SyntaxProtocol) -> String {
    let node = Syntax(node)
    if isLeftAlone(node) { return node.description }
    switch node.as(SyntaxEnum.self) {
    case .token(let token): return token.description
    case .infixOperatorExpr(let infix): return emitInfix(infix)
    case .prefixOperatorExpr(let prefix) where prefix.operator.text == "!":
      return emit(prefix.operator) + emitBoolean(prefix.expression)
    case .ternaryExpr(let ternary):
      return emitBoolean(ternary.condition) + emit(ternary.questionMark) + emit(ternary.thenExpression)
        + emit(ternary.colon) + emit(ternary.elseExpression)
    case .integerLiteralExpr(let literal): return emitInteger(literal)
    case .booleanLiteralExpr(let literal): return emitTruth(literal)
    case .functionCallExpr(let call): return emitCall(call)
    case .conditionElement(let element): return emitCondition(element)
    case .whereClause(let clause): return emit(clause.whereKeyword) + emitBoolean(clause.condition)
    case .codeBlockItem(let item): return emitItem(item)
    case .returnStmt(let statement): return emitReturn(statement)
    case .switchCase(let switchCase): return emitCase(switchCase)
    default: return emitScope(node) ?? emitChildren(node)
    }
  }

  func emitChildren(_ node: some SyntaxProtocol) -> String {
    node.children(viewMode: .sourceAccurate).map { emit($0) }.joined()
  }

  /// Changes the text of a node without the white space and comments around it.
  func wrap(_ node: some SyntaxProtocol, _ text: String, _ change: (String) -> String) -> String {
    let leading = node.leadingTrivia.description
    let trailing = node.trailingTrivia.description
    let core = text.dropFirst(leading.count).dropLast(trailing.count)
    return leading + change(String(core)) + trailing
  }

  /// Whether a node is printed as it is.
  private func isLeftAlone(_ node: Syntax) -> Bool {
    switch node.as(SyntaxEnum.self) {
    case .attributeList, .stringLiteralExpr, .throwStmt, .expressionPattern, .macroExpansionExpr, .enumCaseDecl,
      .importDecl, .protocolDecl:
      true
    case .guardStmt(let statement): statement.body.statements.last.map { isTrap($0) } ?? false
    case .functionCallExpr(let call): Self.ignoredCalls.contains(call.calleeName)
    case .functionDecl(let function): function.attributes.areInlinable
    case .variableDecl(let variable): variable.attributes.areInlinable || variable.isDescription
    case .initializerDecl(let initializer): initializer.attributes.areInlinable
    case .subscriptDecl(let declaration): declaration.attributes.areInlinable
    default: node.is(TypeSyntax.self)
    }
  }

  private func isTrap(_ item: CodeBlockItemSyntax) -> Bool {
    guard let call = Syntax(item.item).as(FunctionCallExprSyntax.self) else { return false }
    return ["preconditionFailure", "fatalError"].contains(call.calleeName)
  }

  /// Assertions, messages, and hints that change no result.
  static let ignoredCalls: Set = [
    "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "log", "logError",
    "reserveCapacity", "debugPrint", "print",
  ]
}

extension String {
  /// The text with single spaces instead of line breaks, at most 160 characters.
  var onOneLine: String {
    let words = split { $0.isWhitespace }.joined(separator: " ")
    return words.count > 160 ? words.prefix(157) + "..." : words
  }
}

extension FunctionCallExprSyntax {
  /// The last name of the called expression.
  var calleeName: String {
    if let member = calledExpression.as(MemberAccessExprSyntax.self) { return member.declName.baseName.text }
    return calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text ?? ""
  }
}

extension AttributeListSyntax {
  /// Whether the body is compiled into other modules, where the functions of the runtime do not exist.
  fileprivate var areInlinable: Bool {
    contains { ["@inlinable", "@_transparent", "@_alwaysEmitIntoClient"].contains($0.trimmedDescription) }
  }
}

extension VariableDeclSyntax {
  fileprivate var isDescription: Bool {
    bindings.contains { ["description", "debugDescription"].contains($0.pattern.trimmedDescription) }
  }
}
