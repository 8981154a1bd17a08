import SwiftSyntax

extension Mutator {
  /// The function of the runtime, and the operator of the mutant.
  private static let replacements: [String: (function: String, other: String, kind: Mutant.Kind)] = [
    "<": ("mutatedLess", "<=", .boundary), "<=": ("mutatedLessOrEqual", "<", .boundary),
    ">": ("mutatedGreater", ">=", .boundary), ">=": ("mutatedGreaterOrEqual", ">", .boundary),
    "+": ("mutatedPlus", "-", .arithmetic), "-": ("mutatedMinus", "+", .arithmetic),
    "&+": ("mutatedWrappingPlus", "&-", .arithmetic), "&-": ("mutatedWrappingMinus", "&+", .arithmetic),
    "*": ("mutatedTimes", "+", .arithmetic), "/": ("mutatedDivide", "*", .arithmetic),
    "%": ("mutatedRemainder", "*", .arithmetic), "&": ("mutatedBitAnd", "|", .arithmetic),
    "|": ("mutatedBitOr", "&", .arithmetic), "<<": ("mutatedShiftLeft", ">>", .arithmetic),
    ">>": ("mutatedShiftRight", "<<", .arithmetic), "&&": ("mutatedAnd", "||", .logic),
    "||": ("mutatedOr", "&&", .logic), "..<": ("mutatedRange", "...", .range),
    "...": ("mutatedClosedRange", "..<", .range), "+=": ("mutatedAdd", "-=", .arithmetic),
    "-=": ("mutatedSubtract", "+=", .arithmetic),
  ]

  private static let negations = [
    "==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "===": "!==", "!==": "===",
  ]

  func emitInfix(_ infix: InfixOperatorExprSyntax) -> String {
    let symbol = infix.operator.trimmedDescription
    let isLogic = symbol == "&&" || symbol == "||"
    let left = isLogic ? emitBoolean(infix.leftOperand) : emit(infix.leftOperand)
    let right = isLogic ? emitBoolean(infix.rightOperand) : emit(infix.rightOperand)
    if symbol == "??" { return emitDefault(infix, left, right) }
    var text = left + emit(infix.operator) + right
    if let (function, other, kind) = Self.replacements[symbol],
      let number = claim(kind, at: infix.operator, infix.trimmedDescription, changed(infix, other))
    {
      // A comma takes the place of the operator, so that a comment before it ends before the comma.
      let comma = infix.operator.leadingTrivia.description + ", " + infix.operator.trailingTrivia.description
      let mark = symbol.hasSuffix("=") && kind == .arithmetic ? "&" : ""
      text = wrap(infix, left + comma + right) { "\(function)(\(number), \(mark)\($0))" }
    }
    if let other = Self.negations[symbol],
      let number = claim(.comparison, at: infix.operator, infix.trimmedDescription, changed(infix, other))
    {
      text = wrap(infix, text) { "mutatedNot(\(number), \($0))" }
    }
    return text
  }

  private func changed(_ infix: InfixOperatorExprSyntax, _ symbol: String) -> String {
    let middle = infix.operator.leadingTrivia.description + symbol + infix.operator.trailingTrivia.description
    return (infix.leftOperand.description + middle + infix.rightOperand.description).onOneLine
  }

  private func emitDefault(_ infix: InfixOperatorExprSyntax, _ left: String, _ right: String) -> String {
    let rest = emit(infix.operator) + right
    let original = infix.trimmedDescription
    guard let number = claim(.result, at: infix.operator, original, infix.rightOperand.trimmedDescription) else {
      return left + rest
    }
    return wrap(infix.leftOperand, left) { "mutatedNil(\(number), \($0))" } + rest
  }

  /// An expression that is a condition, or an operand of a logical operator.
  func emitBoolean(_ expression: ExprSyntax) -> String {
    let text = emit(expression)
    if hasNegation(expression) { return text }
    let original = expression.trimmedDescription
    guard let number = claim(.condition, at: expression, original, "!(\(original))") else { return text }
    return wrap(expression, text) { "mutatedNot(\(number), \($0))" }
  }

  /// Whether a part of the expression has a mutant that changes the value of the whole.
  private func hasNegation(_ expression: ExprSyntax) -> Bool {
    if let infix = expression.as(InfixOperatorExprSyntax.self) {
      let symbol = infix.operator.trimmedDescription
      return symbol == "&&" || symbol == "||" || Self.negations[symbol] != nil
    }
    if let tuple = expression.as(TupleExprSyntax.self), let only = tuple.elements.first, tuple.elements.count == 1 {
      return hasNegation(only.expression)
    }
    if let prefix = expression.as(PrefixOperatorExprSyntax.self) { return prefix.operator.text == "!" }
    return expression.is(BooleanLiteralExprSyntax.self) || expression.is(TernaryExprSyntax.self)
      || expression.is(IfExprSyntax.self) || expression.is(SwitchExprSyntax.self)
  }

  func emitInteger(_ literal: IntegerLiteralExprSyntax) -> String {
    let text = literal.literal.text
    guard let value = Self.value(of: text) else { return literal.description }
    let isHexadecimal = text.hasPrefix("0x")
    let next = value == 1 ? 0 : value + 1
    let changed = isHexadecimal ? "0x" + String(next, radix: 16) : String(next)
    guard let number = claim(.literal, at: literal, line(of: literal), line(of: literal, with: changed)) else {
      return literal.description
    }
    return wrap(literal, literal.description) { "mutatedLiteral(\(number), \($0), \(changed))" }
  }

  private static func value(of text: String) -> Int? {
    let digits = text.filter { $0 != "_" }
    if digits.hasPrefix("0x") { return Int(digits.dropFirst(2), radix: 16) }
    if digits.hasPrefix("0b") { return Int(digits.dropFirst(2), radix: 2) }
    return Int(digits)
  }

  func emitTruth(_ literal: BooleanLiteralExprSyntax) -> String {
    let changed = literal.literal.text == "true" ? "false" : "true"
    guard let number = claim(.literal, at: literal, line(of: literal), line(of: literal, with: changed)) else {
      return literal.description
    }
    return wrap(literal, literal.description) { "mutatedNot(\(number), \($0))" }
  }

  /// The surroundings of a literal, which alone would say too little.
  private func line(of literal: some ExprSyntaxProtocol, with changed: String? = nil) -> String {
    var node = Syntax(literal)
    while let parent = node.parent, parent.trimmedDescription.count <= 100, !parent.hasBlock {
      node = parent
    }
    let text = Array(node.trimmedDescription.utf8)
    guard let changed else { return String(decoding: text, as: UTF8.self) }
    let start =
      literal.positionAfterSkippingLeadingTrivia.utf8Offset
      - node.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = start + literal.trimmedDescription.utf8.count
    return String(decoding: text[..<start] + Array(changed.utf8) + text[end...], as: UTF8.self)
  }

  func emitCall(_ call: FunctionCallExprSyntax) -> String {
    let text = emitChildren(call)
    let functions = ["min": ("mutatedMin", "max"), "max": ("mutatedMax", "min")]
    guard call.calledExpression.is(DeclReferenceExprSyntax.self), let (function, other) = functions[call.calleeName],
      call.arguments.count == 2, call.trailingClosure == nil
    else { return text }
    let arguments = call.arguments.trimmedDescription
    guard let number = claim(.arithmetic, at: call, call.trimmedDescription, "\(other)(\(arguments))") else {
      return text
    }
    return wrap(call, text) { "\(function)(\(number), " + $0.dropFirst(4) }
  }
}

extension Syntax {
  /// Whether the node is a statement with a block, or a declaration with one.
  fileprivate var hasBlock: Bool {
    switch kind {
    case .codeBlockItem, .memberBlockItem, .forStmt, .ifExpr, .whileStmt, .repeatStmt, .guardStmt, .closureExpr,
      .switchCase, .switchExpr, .doStmt, .catchClause, .functionDecl, .accessorDecl:
      true
    default: false
    }
  }
}
