/// Splits SQL into words, parameters, semicolons, and other tokens.
///
/// It follows SQLite's own rules for quotes and comments: `'text'`, `"name"`, `` `name` ``,
/// `[name]`, `-- comment`, `/* comment */`. It never fails: invalid text becomes `.other`,
/// and SQLite reports the error when it compiles the text.
struct SQLTokenizer: Sequence, IteratorProtocol {
  enum Token: Equatable {
    case word
    case quoted
    case parameter
    case semicolon
    case other
  }

  private let bytes: Substring.UTF8View
  private var position: Substring.UTF8View.Index

  /// The range of the last token.
  private(set) var range: Range<String.Index>

  init(_ sql: Substring) {
    bytes = sql.utf8
    position = bytes.startIndex
    range = position..<position
  }

  init(_ sql: String) { self.init(sql[...]) }

  mutating func next() -> Token? {
    skipBlanksAndComments()
    let start = position
    guard let byte = take() else { return nil }
    defer { range = start..<position }
    switch byte {
    case UInt8(ascii: ";"):
      return .semicolon
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      skipQuoted(by: byte)
      return .quoted
    case UInt8(ascii: "["):
      skip { $0 != UInt8(ascii: "]") }
      take()
      return .quoted
    case UInt8(ascii: "?"):
      skip(while: Self.isDigit)
      return .parameter
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
      // SQLite itself uses # with a number, and does not accept it from programs.
      let isRegister = byte == UInt8(ascii: "#") && peek().map(Self.isDigit) == true
      return takeParameterName() && !isRegister ? .parameter : .other
    case _ where Self.isWord(byte):
      skip(while: Self.isWord)
      return .word
    default:
      return .other
    }
  }

  // MARK: Reading bytes

  private func peek() -> UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  @discardableResult
  private mutating func take() -> UInt8? {
    guard let byte = peek() else { return nil }
    bytes.formIndex(after: &position)
    return byte
  }

  private mutating func skip(while condition: (UInt8) -> Bool) {
    while let byte = peek(), condition(byte) { take() }
  }

  /// Reads the name after the prefix of a parameter: a word, which may contain `::`, and a part in
  /// parentheses at its end. Returns whether there is a name.
  private mutating func takeParameterName() -> Bool {
    var isNamed = false
    while let byte = peek() {
      if Self.isWord(byte) {
        isNamed = true
        take()
      } else if byte == UInt8(ascii: "("), isNamed {
        skip { $0 != UInt8(ascii: ")") && !Self.isBlank($0) && $0 != 0x0B }
        guard peek() == UInt8(ascii: ")") else { return false }
        take()
        return true
      } else if byte == UInt8(ascii: ":") {
        let start = position
        if !takesPair(UInt8(ascii: ":")) {
          position = start
          break
        }
      } else {
        break
      }
    }
    return isNamed
  }

  private mutating func skipQuoted(by quote: UInt8) {
    while let byte = take() {
      guard byte == quote else { continue }
      // A doubled quote stands for a quote.
      if peek() != quote { return }
      take()
    }
  }

  private mutating func skipBlanksAndComments() {
    while let byte = peek() {
      if Self.isBlank(byte) {
        // A vertical tab is whitespace only after other whitespace.
        skip { Self.isBlank($0) || $0 == 0x0B }
      } else if byte == UInt8(ascii: "-"), takesPair(UInt8(ascii: "-")) {
        skip { $0 != UInt8(ascii: "\n") }
      } else if byte == UInt8(ascii: "/"), takesPair(UInt8(ascii: "*")) {
        skipBlockComment()
      } else if byte != 0xEF || !takesByteOrderMark() {
        return
      }
    }
  }

  /// Reads two bytes if the second one has the given value. The first one is known.
  private mutating func takesPair(_ second: UInt8) -> Bool {
    let start = position
    take()
    if peek() == second {
      take()
      return true
    }
    position = start
    return false
  }

  /// Reads a byte order mark, which SQLite treats as whitespace at the start of a token.
  private mutating func takesByteOrderMark() -> Bool {
    let rest = bytes[position...]
    guard rest.starts(with: [0xEF, 0xBB, 0xBF]) else { return false }
    bytes.formIndex(&position, offsetBy: 3)
    return true
  }

  private mutating func skipBlockComment() {
    while let byte = take() {
      if byte == UInt8(ascii: "*"), peek() == UInt8(ascii: "/") {
        take()
        return
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Whether SQLite accepts this byte in an identifier.
  private static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
      || byte == UInt8(ascii: "$")
  }
}

extension SQLTokenizer {
  /// Whether the text contains only whitespace, comments and semicolons.
  static func isBlank(_ sql: Substring) -> Bool {
    SQLTokenizer(sql).allSatisfy { $0 == .semicolon }
  }
}
