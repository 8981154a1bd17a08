/// Every public declaration has a documentation comment.
enum PublicDocumentation {
  /// Public declarations without a `///` comment.
  ///
  /// Protocol requirements are documented in the protocol, so three kinds of declarations need no comment: members of
  /// an extension that declares a conformance, overrides, and, in a type with a conformance in its header, members with
  /// the name of a requirement of ours or of a well-known protocol. Names with an underscore are not for users.
  /// Requirements of a public protocol are public without a modifier.
  static func missing(in files: [SourceFile]) -> [Finding] {
    let witnesses = files.reduce(into: knownWitnesses) { $0.formUnion(requirements(of: $1)) }
    return files.flatMap { missing(in: $0, witnesses: witnesses) }
  }

  /// The names of the requirements in the protocols of a file.
  private static func requirements(of file: SourceFile) -> Set<String> {
    var scopes = Scopes()
    return file.swift.code.reduce(into: []) { names, line in
      let scope = scopes.open.last
      scopes.read(line)
      if case .proto = scope, let declaration = Declaration(line) { names.insert(declaration.name) }
    }
  }

  private static func missing(in file: SourceFile, witnesses: Set<String>) -> [Finding] {
    var scopes = Scopes()
    var findings: [Finding] = []
    for (index, line) in file.swift.code.enumerated() {
      let scope = scopes.open.last
      scopes.read(line)
      guard let declaration = Declaration(line), needsComment(declaration, in: scope, witnesses: witnesses),
        !isDocumented(index, in: file.lines)
      else { continue }
      let what = declaration.keyword == "init" ? declaration.name : "\(declaration.keyword) \(declaration.name)"
      findings.append(file.finding("\(what) is public and has no /// comment", line: index + 1))
    }
    return findings
  }

  /// Requirements of the standard library's protocols, which need no further documentation.
  private static let knownWitnesses: Set = [
    "==", "<", "!=", "hash", "hashValue", "description", "debugDescription", "customMirror", "rawValue", "allCases",
    "id",
    "startIndex", "endIndex", "index", "formIndex", "distance", "subscript", "count", "isEmpty", "underestimatedCount",
    "makeIterator", "next", "makeAsyncIterator", "errorDescription", "errorCode", "errorUserInfo", "errorDomain",
    "encode", "codingPath", "userInfo", "stringValue", "intValue", "write", "appendLiteral", "init(from:)",
    "init(rawValue:)", "init(stringValue:)", "init(intValue:)", "init(stringLiteral:)", "init(unicodeScalarLiteral:)",
    "init(extendedGraphemeClusterLiteral:)", "init(integerLiteral:)", "init(floatLiteral:)", "init(booleanLiteral:)",
    "init(nilLiteral:)", "init(arrayLiteral:)", "init(dictionaryLiteral:)", "init(stringInterpolation:)",
    "init(literalCapacity:)",
  ]

  private static let documentedKeywords: Set = [
    "func", "var", "let", "init", "subscript", "struct", "class", "enum", "protocol", "actor", "typealias",
    "associatedtype", "macro",
  ]

  private static func needsComment(_ declaration: Declaration, in scope: Scope?, witnesses: Set<String>) -> Bool {
    guard documentedKeywords.contains(declaration.keyword), !declaration.name.hasPrefix("_"), !declaration.isOverride
    else { return false }
    switch scope {
    case .proto(isPublic: true): return true
    case .conformance(true): return false
    case .type(inherits: true): return declaration.isPublic && !witnesses.contains(declaration.name)
    default: return declaration.isPublic
    }
  }

  /// Whether a `///` comment ends on the line above, attributes and conditions of the declaration left out.
  private static func isDocumented(_ index: Int, in lines: [String]) -> Bool {
    var above = index - 1
    while above >= 0 {
      let line = lines[above].drop(while: \.isWhitespace)
      if line.hasPrefix("///") || line.hasSuffix("*/") { return true }
      if line.hasPrefix("@") || line.hasPrefix("//") || line.hasPrefix("#if") {
        above -= 1
      } else if let start = startOfAttribute(endingAt: above, in: lines) {
        above = start - 1
      } else {
        return false
      }
    }
    return false
  }

  /// The first line of an attribute whose arguments end here; nil if none ends here.
  private static func startOfAttribute(endingAt end: Int, in lines: [String]) -> Int? {
    guard lines[end].hasSuffix(")") else { return nil }
    let candidates = max(0, end - 8)...end
    guard let start = candidates.last(where: { lines[$0].drop(while: \.isWhitespace).hasPrefix("@") }) else {
      return nil
    }
    let isOneAttribute = lines[start...end].joined().reduce(0) { $0 + ($1 == "(" ? 1 : $1 == ")" ? -1 : 0) } == 0
    return isOneAttribute && lines[start...end].dropLast().allSatisfy { !$0.hasSuffix(")") } ? start : nil
  }
}
