import Tidemark

/// The tokens of a statement, without comments: keywords, quoted and unquoted names, strings and symbols.
struct SQLWords {
  /// A token, with the number of parentheses that enclose it. A parenthesis does not enclose itself.
  struct SQLToken {
    let text: Substring
    let depth: Int

    /// Returns whether the token is a keyword, without quotes.
    func isWord(_ word: String) -> Bool { text.uppercased() == word }

    /// The name without quotes; nil for a string, a number or a symbol.
    var name: String? {
      guard let first = text.first, let last = text.last, text.count > 1 || first.isLetter || first == "_" else {
        return nil
      }
      switch text.unicodeScalars.first {
      case "\""?: return text.unquoted("\"")
      case "`"?: return text.unquoted("`")
      case "["?: return String(text.unicodeScalars.dropFirst().dropLast())
      case "'"?: return nil
      default: return first.isLetter || first == "_" || !first.isASCII || last.isLetter ? String(text) : nil
      }
    }

    /// Returns whether the token is a name that SQLite considers equal to another one.
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

  /// Returns whether the statement contains a keyword, in parentheses or not.
  func contains(_ word: String) -> Bool { tokens.contains { $0.isWord(word) } }

  /// Returns the text after a keyword outside parentheses.
  static func text(after word: String, in sql: String) -> String? {
    guard let found = SQLWords(sql).tokens.first(where: { $0.depth == 0 && $0.isWord(word) }) else { return nil }
    return String(sql[found.text.endIndex...].drop(while: \.isWhitespace))
  }
}
