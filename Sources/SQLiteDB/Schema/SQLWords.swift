import Tidemark

/// The tokens of a statement: words, names with their quotes, texts, signs; no comments.
struct SQLWords {
  /// A token, and how many parentheses it is in; a parenthesis is not in itself.
  struct SQLToken {
    let text: Substring
    let depth: Int

    /// Whether it is this word, without quotes.
    func isWord(_ word: String) -> Bool { text.uppercased() == word }

    /// The name that it is, without its quotes; nil for a text, a number, or a sign.
    var name: String? {
      guard let first = text.first, let last = text.last, text.count > 1 || first.isLetter || first == "_" else {
        return nil
      }
      switch first {
      case "\"", "`": return String(text.dropFirst().dropLast()).replacing("\(first)\(first)", with: "\(first)")
      case "[": return String(text.dropFirst().dropLast())
      case "'": return nil
      default: return first.isLetter || first == "_" || !first.isASCII || last.isLetter ? String(text) : nil
      }
    }

    /// Whether it is a name that SQLite finds equal to this one.
    func isName(_ name: String) -> Bool { self.name.map { $0.lowercased() == name.lowercased() } ?? false }
  }

  let tokens: [SQLToken]

  init(_ sql: String) {
    var depth = 0
    tokens = Database.tokens(of: sql).map { text in
      if text == ")" { depth -= 1 }
      defer { if text == "(" { depth += 1 } }
      return SQLToken(text: text, depth: depth)
    }
  }

  /// Whether a word is among them, in whatever parentheses.
  func contains(_ word: String) -> Bool { tokens.contains { $0.isWord(word) } }

  /// What comes after a word that is in no parentheses.
  static func text(after word: String, in sql: String) -> String? {
    guard let found = SQLWords(sql).tokens.first(where: { $0.depth == 0 && $0.isWord(word) }) else { return nil }
    return String(sql[found.text.endIndex...].drop(while: \.isWhitespace))
  }
}
