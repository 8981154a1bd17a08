/// The words of a statement that are in no name, text or comment, and where they are.
struct SQLWords {
  private(set) var words: [(text: Substring, isNested: Bool)] = []

  init(_ sql: String) {
    var rest = sql[...]
    var depth = 0
    while let character = rest.first {
      switch character {
      case "'", "\"", "`": skip(&rest, to: character)
      case "[": skip(&rest, to: "]")
      case "-" where rest.hasPrefix("--"): skip(&rest, to: "\n")
      case "/" where rest.hasPrefix("/*"):
        rest = rest.firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
      case "(", ")":
        depth += character == "(" ? 1 : -1
        rest = rest.dropFirst()
      case _ where Self.isPartOfWord(character):
        let word = rest.prefix(while: Self.isPartOfWord)
        words.append((word, depth > 0))
        rest = rest[word.endIndex...]
      default: rest = rest.dropFirst()
      }
    }
  }

  private func skip(_ rest: inout Substring, to end: Character) {
    rest = rest.dropFirst().drop { $0 != end }.dropFirst()
  }

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  /// Whether a word is among them, at whatever depth.
  func contains(_ word: String) -> Bool { words.contains { $0.text.uppercased() == word } }

  /// What comes after a word that is in no parentheses.
  static func text(after word: String, in sql: String) -> String? {
    guard let found = SQLWords(sql).words.first(where: { !$0.isNested && $0.text.uppercased() == word }) else {
      return nil
    }
    return String(sql[found.text.endIndex...].drop(while: \.isWhitespace))
  }
}
