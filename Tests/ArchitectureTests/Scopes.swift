/// The declaration to which the braces around a line belong.
enum Scope: Equatable {
  /// An extension; whether its header names protocols to conform to.
  case conformance(Bool)

  /// A type; whether its header names what it inherits from or conforms to.
  case type(inherits: Bool)

  /// A protocol; whether it is public.
  case proto(isPublic: Bool)

  /// Any other pair of braces: a body, an accessor, a closure.
  case other
}

/// Follows the braces of a source.
struct Scopes {
  /// The open scopes before the next line, the innermost last.
  private(set) var open: [Scope] = []
  private var header = ""

  /// Reads one more line of code, without comments and quotes.
  mutating func read(_ line: String) {
    for character in line {
      switch character {
      case "{":
        open.append(Self.scope(of: header))
        header = ""
      case "}":
        if !open.isEmpty { open.removeLast() }
        header = ""
      default:
        header.append(character)
      }
    }
    header.append("\n")
  }

  /// The scope that a brace opens, from the text between the previous brace and this one.
  private static func scope(of header: String) -> Scope {
    let lines = header.split(separator: "\n")
    // The header is the last declaration before the brace, with the lines that follow it.
    guard let start = lines.lastIndex(where: { Declaration(String($0)) != nil }),
      let declaration = Declaration(String(lines[start]))
    else { return .other }
    let text = lines[start...].joined(separator: " ")
    switch declaration.keyword {
    case "extension": return .conformance(hasInheritanceClause(text))
    case "protocol": return .proto(isPublic: declaration.isPublic)
    case "struct", "class", "enum", "actor": return .type(inherits: hasInheritanceClause(text))
    default: return .other
    }
  }

  /// Whether there is a colon outside of angle brackets and parentheses, before a `where`.
  private static func hasInheritanceClause(_ header: String) -> Bool {
    var depth = 0
    for word in header.split(whereSeparator: \.isWhitespace) {
      if word == "where", depth == 0 { return false }
      for character in word {
        if "<(".contains(character) { depth += 1 }
        if ">)".contains(character) { depth -= 1 }
        if character == ":", depth == 0 { return true }
      }
    }
    return false
  }
}
