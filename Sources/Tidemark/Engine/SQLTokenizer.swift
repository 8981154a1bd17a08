/// Cuts SQL text into what matters to us: words, parameters, semicolons, and the rest.
///
/// It follows SQLite's own rules for what hides a character: `'text'`, `"name"`, `` `name` ``,
/// `[name]`, `-- comment`, `/* comment */`. It never fails: what SQLite would refuse becomes `.other`,
/// and SQLite says so when the text is compiled.
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

  /// Where the last token begins and ends.
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
      guard let next = peek(), Self.isWord(next) else { return .other }
      skipParameterName()
      return byte == UInt8(ascii: "#") ? .other : .parameter
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

  /// A name may have parts, and end with parentheses, as variables of Tcl do: `$library::books(title)`.
  private mutating func skipParameterName() {
    skip(while: Self.isWord)
    while peek() == UInt8(ascii: ":") {
      let start = position
      take()
      guard peek() == UInt8(ascii: ":") else { return position = start }
      take()
      skip(while: Self.isWord)
    }
    if peek() == UInt8(ascii: "(") { skipParentheses() }
  }

  private mutating func skipParentheses() {
    let start = position
    skip { $0 != UInt8(ascii: ")") && !Self.isBlank($0) }
    // Without an end, or with a blank inside, it is no part of the name.
    if peek() == UInt8(ascii: ")") { take() } else { position = start }
  }

  private mutating func skipQuoted(by quote: UInt8) {
    while let byte = take() {
      guard byte == quote else { continue }
      // A doubled quote stands for itself.
      if peek() != quote { return }
      take()
    }
  }

  private mutating func skipBlanksAndComments() {
    while let byte = peek() {
      let start = position
      if Self.isBlank(byte) {
        take()
      } else if byte == UInt8(ascii: "-"), takesPair(UInt8(ascii: "-")) {
        skip { $0 != UInt8(ascii: "\n") }
      } else if byte == UInt8(ascii: "/"), takesPair(UInt8(ascii: "*")) {
        skipBlockComment()
      } else {
        position = start
        return
      }
    }
  }

  private mutating func takesPair(_ second: UInt8) -> Bool {
    take()
    guard peek() == second else { return false }
    take()
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

  /// Whether SQLite takes this byte for a part of an identifier.
  private static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
      || byte == UInt8(ascii: "$")
  }
}

extension SQLTokenizer {
  /// Whether the text has nothing but blanks, comments and semicolons.
  static func isBlank(_ sql: Substring) -> Bool {
    SQLTokenizer(sql).allSatisfy { $0 == .semicolon }
  }
}
