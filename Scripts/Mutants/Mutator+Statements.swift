import SwiftSyntax

extension Mutator {
  // MARK: - Statements

  func emitItem(_ item: CodeBlockItemSyntax) -> String {
    if let result = results[item.id], let expression = item.item.as(ExprSyntax.self) {
      return emitResult(expression, result)
    }
    let text = emitChildren(item)
    guard let expression = item.item.as(ExprSyntax.self), isRemovable(expression),
      let number = claim(.statement, at: item, expression.trimmedDescription, "(removed)")
    else { return text }
    return wrap(item, text) { "if !mutated(\(number)) { \($0) }" }
  }

  private func isRemovable(_ expression: ExprSyntax) -> Bool {
    if let tried = expression.as(TryExprSyntax.self) { return isRemovable(tried.expression) }
    if let awaited = expression.as(AwaitExprSyntax.self) { return isRemovable(awaited.expression) }
    if let call = expression.as(FunctionCallExprSyntax.self) {
      return call.calleeName != "init" && !Self.ignoredCalls.contains(call.calleeName)
    }
    guard let infix = expression.as(InfixOperatorExprSyntax.self) else { return false }
    if infix.operator.is(AssignmentExprSyntax.self) {
      if scopes.contains(where: \.isInitializer) { return false }
      let target = infix.leftOperand.trimmedDescription
      return !scopes.contains { $0.uninitialized.contains(target) }
    }
    let symbol = infix.operator.trimmedDescription
    return symbol.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(symbol)
  }

  func emitReturn(_ statement: ReturnStmtSyntax) -> String {
    guard let expression = statement.expression, let scope = scopes.last else { return emitChildren(statement) }
    return emit(statement.returnKeyword) + emitResult(expression, scope.result)
  }

  private func emitResult(_ expression: ExprSyntax, _ result: Result) -> String {
    let original = expression.trimmedDescription
    let isBranch = expression.is(IfExprSyntax.self) || expression.is(SwitchExprSyntax.self)
    if isBranch { return emit(expression) }
    let (function, changed): (String, String)
    switch result {
    case .unknown: return emit(expression)
    case .bool: return emitBoolean(expression)
    case .optional: (function, changed) = ("mutatedNil", "nil")
    case .integer: (function, changed) = ("mutatedNext", "\(original) + 1")
    case .array: (function, changed) = ("mutatedEmpty", "[]")
    }
    let text = emit(expression)
    if original == changed || expression.is(IntegerLiteralExprSyntax.self) { return text }
    guard let number = claim(.result, at: expression, "return \(original)", "return \(changed)") else { return text }
    return wrap(expression, text) { "\(function)(\(number), \($0))" }
  }

  func emitCondition(_ element: ConditionElementSyntax) -> String {
    let comma = element.trailingComma.map { emit($0) } ?? ""
    switch element.condition {
    case .expression(let expression): return emitBoolean(expression) + comma
    case .optionalBinding, .matchingPattern:
      let text = emit(element.condition)
      let original = element.condition.trimmedDescription
      guard let number = claim(.condition, at: element, original, "false") else { return text + comma }
      return wrap(element.condition, text) { "\($0), !mutated(\(number))" } + comma
    default: return element.description
    }
  }

  func emitCase(_ switchCase: SwitchCaseSyntax) -> String {
    let statements = switchCase.statements
    let attribute = switchCase.attribute.map { emit($0) } ?? ""
    let head = attribute + emit(switchCase.label)
    let body = emit(statements)
    guard statements.count > 1, let last = statements.last, !leaves(last),
      let number = claim(.caseBody, at: switchCase, switchCase.trimmedDescription, "(empty case)")
    else { return head + body }
    return head + wrap(statements, body) { "if !mutated(\(number)) { \($0) }" }
  }

  /// Whether a statement always leaves the block: without it, a result would be missing.
  private func leaves(_ item: CodeBlockItemSyntax) -> Bool {
    let node = Syntax(item.item)
    return node.is(ReturnStmtSyntax.self) || node.is(ThrowStmtSyntax.self) || node.is(ContinueStmtSyntax.self)
      || node.is(BreakStmtSyntax.self) || node.is(FallThroughStmtSyntax.self)
  }

  // MARK: - Scopes

  /// Prints a declaration that contains statements, or a closure; nil if the node is something else.
  func emitScope(_ node: Syntax) -> String? {
    var scope = Scope()
    var body: CodeBlockItemListSyntax?
    switch node.as(SyntaxEnum.self) {
    case .structDecl(let type): scope.name = type.name.text
    case .enumDecl(let type): scope.name = type.name.text
    case .classDecl(let type): scope.name = type.name.text
    case .actorDecl(let type): scope.name = type.name.text
    case .extensionDecl(let type): scope.name = type.extendedType.trimmedDescription
    case .functionDecl(let function):
      scope.name = function.name.text
      scope.result = Self.result(of: function.signature.returnClause?.type)
      if function.signature.returnClause != nil { body = function.body?.statements }
    case .initializerDecl:
      scope.name = "init"
      scope.isInitializer = true
    case .subscriptDecl(let declaration):
      scope.name = "subscript"
      scope.result = Self.result(of: declaration.returnClause.type)
      if case .getter(let statements) = declaration.accessorBlock?.accessors { body = statements }
    case .patternBinding(let binding):
      guard let block = binding.accessorBlock else { return nil }
      scope.name = binding.pattern.trimmedDescription
      scope.result = Self.result(of: binding.typeAnnotation?.type)
      if case .getter(let statements) = block.accessors { body = statements }
    case .accessorDecl(let accessor):
      guard accessor.accessorSpecifier.text == "get" else { break }
      scope.result = scopes.last?.result ?? .unknown
      body = accessor.body?.statements
    case .closureExpr(let closure):
      // The type of its result is unknown; a call may be one of a function without a result.
      if closure.statements.first?.item.is(FunctionCallExprSyntax.self) == false { body = closure.statements }
    default: return nil
    }
    if !node.isProtocol((any DeclGroupSyntax).self) { scope.uninitialized = Uninitialized.names(in: node) }
    if let body { markResults(body, scope.result) }
    scopes.append(scope)
    defer { scopes.removeLast() }
    return emitChildren(node)
  }

  /// Finds the statements whose value is the result of a function that consists of one expression.
  private func markResults(_ statements: CodeBlockItemListSyntax, _ result: Result) {
    guard let only = statements.first, statements.count == 1 else { return }
    var item = Syntax(only.item)
    if let statement = item.as(ExpressionStmtSyntax.self) { item = Syntax(statement.expression) }
    if let conditional = item.as(IfExprSyntax.self) {
      markBranches(conditional, result)
    } else if let selection = item.as(SwitchExprSyntax.self) {
      for element in selection.cases {
        if case .switchCase(let switchCase) = element { markResults(switchCase.statements, result) }
      }
    } else if item.is(ExprSyntax.self) {
      results[only.id] = result
    }
  }

  private func markBranches(_ conditional: IfExprSyntax, _ result: Result) {
    markResults(conditional.body.statements, result)
    switch conditional.elseBody {
    case .codeBlock(let block): markResults(block.statements, result)
    case .ifExpr(let other): markBranches(other, result)
    default: break
    }
  }

  private static func result(of type: TypeSyntax?) -> Result {
    let name = type?.trimmedDescription ?? ""
    if name == "Bool" { return .bool }
    if name.hasSuffix("?") { return .optional }
    if name == "Int" { return .integer }
    return name.hasPrefix("[") && !name.contains(":") ? .array : .unknown
  }
}

/// The names of variables without an initial value in a node.
private final class Uninitialized: SyntaxVisitor {
  private var names: Set<String> = []

  static func names(in node: Syntax) -> Set<String> {
    let visitor = Uninitialized(viewMode: .sourceAccurate)
    visitor.walk(node)
    return visitor.names
  }

  override func visit(_ binding: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
    if binding.initializer == nil, binding.accessorBlock == nil { names.insert(binding.pattern.trimmedDescription) }
    return .visitChildren
  }
}
