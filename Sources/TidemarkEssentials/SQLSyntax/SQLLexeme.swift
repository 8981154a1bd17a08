/// A token of SQL text, as in SQLite's own tokenizer.
struct SQLLexeme: Equatable {
  enum Kind: Equatable {
    /// A keyword or a name.
    case word
    /// A name between backticks or brackets.
    case name
    /// A token in double quotes: a name, or a string literal if the name does not exist.
    case doubleQuoted
    case text
    case blob
    case number
    case parameter
    case symbol
  }

  var kind: Kind

  /// The text as written; without quotes for quoted tokens.
  var text: String

  /// A word in upper case, for comparisons with keywords; empty for other tokens.
  var keyword = ""

  /// Its place in the text, with quotes.
  var range: Range<String.Index>

  /// The tokens of a text, or nil if SQLite would reject it.
  static func all(in sql: String) -> [SQLLexeme]? {
    var reader = LexemeReader(sql)
    return reader.lexemes()
  }
}

/// Joins the parts of numbers, blobs, and operators of several characters.
private struct LexemeReader {
  private let sql: String
  private var pieces: [(token: SQLTokenizer.Token, range: Range<String.Index>)] = []
  private var position = 0

  init(_ sql: String) {
    self.sql = sql
    var tokenizer = SQLTokenizer(sql)
    while let token = tokenizer.next() { pieces.append((token, tokenizer.range)) }
  }

  mutating func lexemes() -> [SQLLexeme]? {
    var result: [SQLLexeme] = []
    while position < pieces.count {
      let (token, range) = pieces[position]
      position += 1
      let text = sql[range]
      switch token {
      case .word:
        guard let lexeme = word(text, range) else { return nil }
        result.append(lexeme)
      case .quoted:
        guard let lexeme = Self.quoted(text, range) else { return nil }
        result.append(lexeme)
      case .parameter:
        result.append(SQLLexeme(kind: .parameter, text: String(text), range: range))
      case .semicolon:
        result.append(SQLLexeme(kind: .symbol, text: ";", range: range))
      case .other:
        result.append(symbol(text, range))
      }
    }
    return result
  }

  private mutating func word(_ text: Substring, _ range: Range<String.Index>) -> SQLLexeme? {
    if Self.beginsWithDigit(text) { return number(from: range) }
    if text == "x" || text == "X", let next = adjacent(to: range), sql[next].first == "'" {
      position += 1
      guard let blob = Self.quoted(sql[next], next), blob.text.count % 2 == 0, blob.text.allSatisfy(\.isHexDigit) else {
        return nil
      }
      return SQLLexeme(kind: .blob, text: blob.text, range: range.lowerBound..<next.upperBound)
    }
    return SQLLexeme(kind: .word, text: String(text), keyword: text.asciiUppercased, range: range)
  }

  private static func beginsWithDigit(_ text: Substring) -> Bool {
    text.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  /// Reads a number after its first part.
  private mutating func number(from range: Range<String.Index>) -> SQLLexeme {
    var range = range
    func extend(if isPart: (Substring) -> Bool) -> Bool {
      guard let next = adjacent(to: range), isPart(sql[next]) else { return false }
      range = range.lowerBound..<next.upperBound
      position += 1
      return true
    }
    let isHexadecimal = sql[range].lowercased().hasPrefix("0x")
    if !isHexadecimal {
      if sql[range] == "." || extend(if: { $0 == "." }) {
        _ = extend(if: { Self.beginsWithDigit($0) || $0.lowercased().hasPrefix("e") })
      }
      if let last = sql[range].last, last == "e" || last == "E", extend(if: { $0 == "+" || $0 == "-" }) {
        _ = extend(if: Self.beginsWithDigit)
      }
    }
    return SQLLexeme(kind: .number, text: String(sql[range]), range: range)
  }

  private static let pairs: Set<Substring> = ["->", "->>", "<=", "<>", "<<", ">=", ">>", "!=", "==", "||"]

  private mutating func symbol(_ text: Substring, _ range: Range<String.Index>) -> SQLLexeme {
    if text == ".", let next = adjacent(to: range), Self.beginsWithDigit(sql[next]) { return number(from: range) }
    var range = range
    while let next = adjacent(to: range), pieces[position].token == .other,
      Self.pairs.contains(sql[range.lowerBound..<next.upperBound])
    {
      range = range.lowerBound..<next.upperBound
      position += 1
    }
    return SQLLexeme(kind: .symbol, text: String(sql[range]), range: range)
  }

  /// The range of the next part, if it is adjacent.
  private func adjacent(to range: Range<String.Index>) -> Range<String.Index>? {
    guard position < pieces.count, pieces[position].range.lowerBound == range.upperBound else { return nil }
    return pieces[position].range
  }

  private static func quoted(_ text: Substring, _ range: Range<String.Index>) -> SQLLexeme? {
    guard text.utf8.count >= 2, let quote = text.unicodeScalars.first, let end = text.unicodeScalars.last else {
      return nil
    }
    guard end == (quote == "[" ? "]" : quote) else { return nil }
    let content = text.unicodeScalars.dropFirst().dropLast()
    if quote == "[" { return SQLLexeme(kind: .name, text: String(content), range: range) }
    var unquoted = String.UnicodeScalarView()
    var isSecond = false
    for scalar in content {
      isSecond = scalar == quote && !isSecond
      // The first one of two quotes is kept.
      if scalar != quote || isSecond { unquoted.append(scalar) }
    }
    let kind: SQLLexeme.Kind = quote == "'" ? .text : quote == "\"" ? .doubleQuoted : .name
    return SQLLexeme(kind: kind, text: String(unquoted), range: range)
  }
}
