/// A function of SQLite that a formula may contain, with one argument.
enum RowFunction: String, Sendable, CaseIterable {
  case lower
  case upper
  case length
  case abs

  /// The result for the value of a column.
  func outcome(_ value: DatabaseValue) -> RowFormula.Outcome {
    switch (self, value.storage) {
    case (_, .null): return .null
    case (.lower, .int64(let integer)), (.upper, .int64(let integer)):
      return .text(DatabaseValue(.string(String(integer))))
    case (.lower, .string(let text)): return changingCase(of: text)
    case (.upper, .string(let text)): return changingCase(of: text)
    case (.length, .int64(let integer)): return .integer(Int64(String(integer).utf8.count))
    case (.length, .string(let text)):
      return text.isExact ? .integer(Int64(text.unicodeScalars.count)) : .unknown
    case (.length, .blob(let data)): return .integer(Int64(data.count))
    case (.abs, .int64(let integer)): return integer == .min ? .unknown : .integer(Swift.abs(integer))
    // The text of a number depends on the version of SQLite.
    case (_, .double), (.abs, .string), (_, .blob): return .unknown
    }
  }

  /// Only ASCII letters have two cases in SQLite.
  private func changingCase(of text: String) -> RowFormula.Outcome {
    guard text.isExact else { return .unknown }
    if self == .lower { return .text(DatabaseValue(.string(text.asciiLowercased))) }
    let bytes = text.utf8.map { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
    }
    return .text(DatabaseValue(.string(String(decoding: bytes, as: UTF8.self))))
  }
}

extension String {
  /// Whether the text has the bytes that SQLite has, and no character that ends a text in C.
  var isExact: Bool {
    !utf8.contains(0) && !unicodeScalars.contains("\u{FFFD}")
  }

  /// Whether SQLite converts the text to a number if a column prefers numbers.
  var isNumber: Bool {
    func isSpace(_ byte: UInt8) -> Bool { byte == 32 || 9...13 ~= byte }
    func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }
    var bytes = utf8.drop(while: isSpace)
    func skipSign() { if let first = bytes.first, first == 43 || first == 45 { bytes.removeFirst() } }
    func skipDigits() -> Bool {
      let rest = bytes.drop(while: isDigit)
      defer { bytes = rest }
      return rest.startIndex != bytes.startIndex
    }
    skipSign()
    var hasDigits = skipDigits()
    if bytes.first == UInt8(ascii: ".") {
      bytes.removeFirst()
      hasDigits = skipDigits() || hasDigits
    }
    guard hasDigits else { return false }
    if let first = bytes.first, first | 32 == UInt8(ascii: "e") {
      bytes.removeFirst()
      skipSign()
      guard skipDigits() else { return false }
    }
    return bytes.allSatisfy(isSpace)
  }
}
