// Small operations on the text of SQL.

extension StringProtocol where SubSequence == Substring {
  /// The text without the blanks and semicolons around it.
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
  /// The text as an SQL identifier: between double quotes, inner double quotes doubled.
  ///
  /// ```swift
  /// "player".quotedDatabaseIdentifier    // "player", quotes included
  /// ```
  ///
  /// - precondition: The text has no NUL character, which no SQL text can carry.
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
  /// The text of one statement as it can stand between parentheses: without the semicolon at its end and what
  /// follows it, and with a line feed behind a comment. Several statements are left as they are, for SQLite to refuse.
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
  /// The text with its letters from A to Z in lower case. SQLite finds two names equal when these are.
  var asciiLowercased: String {
    guard utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else { return self }
    return String(
      decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
