// Small operations on the text of SQL.

extension StringProtocol where SubSequence == Substring {
  /// The text without leading and trailing whitespace and semicolons.
  var trimmedSQLStatement: String {
    func isBlank(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }
    let bytes = Substring(self).utf8
    guard let start = bytes.firstIndex(where: { !isBlank($0) }) else { return "" }
    var end = bytes.endIndex
    while start < end, isBlank(bytes[bytes.index(before: end)]) { end = bytes.index(before: end) }
    if start == bytes.startIndex, end == bytes.endIndex { return String(self) }
    return String(self[start..<end])
  }
}

extension String {
  /// The text as an SQL identifier: in double quotes, with inner double quotes doubled.
  ///
  /// ```swift
  /// "player".quotedDatabaseIdentifier    // "player", quotes included
  /// ```
  ///
  /// - Precondition: The text contains no NUL character, which SQL cannot represent.
  public var quotedDatabaseIdentifier: String {
    precondition(!utf8.contains(0), "An SQL identifier cannot contain a NUL character")
    guard utf8.contains(UInt8(ascii: "\"")) else { return "\"\(self)\"" }
    var quoted = "\""
    for character in unicodeScalars {
      if character == "\"" { quoted.unicodeScalars.append(character) }
      quoted.unicodeScalars.append(character)
    }
    return quoted + "\""
  }
}

extension String {
  /// The text of one statement in a form that can be put in parentheses: without its final semicolon and the text after
  /// it, and with a line feed after a comment. Several statements are left unchanged, so that SQLite rejects them.
  var subqueryText: String {
    var tokens = SQLTokenizer(self)
    var end: String.Index?
    while let token = tokens.next() {
      if token == .semicolon {
        end = end ?? tokens.range.lowerBound
      } else if end != nil {
        return self
      }
    }
    let text = end.map { String(self[..<$0]) } ?? self
    return text.utf8.contains(UInt8(ascii: "-")) ? text + "\n" : text
  }
}

extension String {
  /// The text with ASCII letters in lower case. SQLite considers names equal if these texts are equal.
  var asciiLowercased: String {
    guard utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return self }
    return String(
      decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}

extension StringProtocol {
  /// The text with ASCII letters in upper case, for comparisons with keywords: other letters do not occur in them.
  var asciiUppercased: String {
    String(unsafeUninitializedCapacity: utf8.count) { buffer in
      var count = 0
      for byte in utf8 {
        buffer[count] = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
        count += 1
      }
      return count
    }
  }
}

extension String {
  /// The text as an SQL literal, as in `'it''s'`. It must not contain a NUL character.
  ///
  /// Bytes are compared: Swift combines a quote and a following accent to one character, and SQLite does not.
  var textLiteral: String {
    let quote = UInt8(ascii: "'")
    guard utf8.contains(quote) else { return "'\(self)'" }
    return "'\(String(decoding: utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }, as: UTF8.self))'"
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII letter or digit.
  var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
