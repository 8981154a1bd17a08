/// The declaration in a line of code, as far as its words show.
struct Declaration {
  /// The keyword of the declaration, such as `struct` or `func`.
  let keyword: String

  /// The declared name; for an initializer with its first label, as in `init(row:)`.
  let name: String

  /// The words before the keyword, such as `public` or `static`.
  let modifiers: [String]

  var isType: Bool { Self.typeKeywords.contains(keyword) }
  var isPrivate: Bool { modifiers.contains("private") || modifiers.contains("fileprivate") }
  var isPublic: Bool { modifiers.contains("public") || modifiers.contains("open") }
  var isOverride: Bool { modifiers.contains("override") }

  private static let typeKeywords: Set = [
    "class", "struct", "enum", "protocol", "actor", "typealias", "associatedtype", "macro",
  ]
  private static let keywords = typeKeywords.union(["func", "var", "let", "init", "subscript", "case", "extension"])
  private static let modifierWords: Set = [
    "public", "open", "package", "internal", "fileprivate", "private", "static", "class", "final", "indirect",
    "override", "convenience", "required", "mutating", "nonmutating", "consuming", "borrowing", "lazy", "weak",
    "unowned", "nonisolated", "isolated", "dynamic", "optional", "prefix", "postfix", "infix", "distributed",
  ]

  /// Reads a line without comments; nil if it declares nothing.
  init?(_ line: String) {
    guard line.contains(where: { !$0.isWhitespace }) else { return nil }
    var words = Self.words(of: line)[...]
    var modifiers: [String] = []
    while let word = words.first {
      // `class` is a modifier before another keyword, and a keyword before a name.
      let isKeyword = Self.keywords.contains(word)
      if isKeyword, word != "class" || !Self.isDeclarator(words.dropFirst().first) { break }
      guard Self.modifierWords.contains(word) || word.hasPrefix("@") else { return nil }
      modifiers.append(word)
      words.removeFirst()
    }
    guard let keyword = words.first else { return nil }
    self.keyword = keyword
    self.modifiers = modifiers
    switch keyword {
    case "init": name = "init(\(Self.firstLabel(in: line)))"
    case "subscript": name = keyword
    default: name = words.dropFirst().first ?? ""
    }
  }

  /// The first label between the parentheses of an initializer, with its colon.
  private static func firstLabel(in line: String) -> String {
    let parameters = line.split(separator: /\binit\b[^(]*\(/, maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
    let label = parameters.drop(while: \.isWhitespace).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return label.isEmpty ? "" : label + ":"
  }

  private static func isDeclarator(_ word: String?) -> Bool {
    word.map { keywords.contains($0) || modifierWords.contains($0) } ?? false
  }

  /// The words of a line up to the declared name. Attributes are words, without their arguments; so are
  /// modifiers such as `private(set)`.
  private static func words(of line: String) -> [String] {
    var words: [String] = []
    var word = ""
    var depth = 0
    for character in line {
      if character == "(" {
        // Arguments of an attribute or a modifier. Text after a name is irrelevant, except for operators.
        depth += 1
      }
      let isInside = depth > 0
      if character == ")" { depth -= 1 }
      let isOperator = words.last == "func" && !(word.first.map { $0.isLetter || $0 == "_" } ?? false)
      if isInside || character.isWhitespace || "<:{=".contains(character) && !isOperator {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else if character != "`" {
        word.append(character)
      }
    }
    if !word.isEmpty { words.append(word) }
    return words.map { $0.hasSuffix("?") || $0.hasSuffix("!") ? String($0.dropLast()) : $0 }
  }
}
