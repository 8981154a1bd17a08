extension String {
  /// Returns the text in quotes. Quotes in the text are doubled.
  func quote(_ mark: Character = "\"") -> String {
    // Compares bytes, as Swift combines a quote and a following accent to one character, and SQLite does not.
    let byte = mark.asciiValue ?? UInt8(ascii: "\"")
    guard utf8.contains(byte) else { return "\(mark)\(self)\(mark)" }
    let bytes = utf8.flatMap { $0 == byte ? [byte, byte] : [$0] }
    return "\(mark)\(String(decoding: bytes, as: UTF8.self))\(mark)"
  }
}

extension StringProtocol {
  /// Returns the text between quotes, with doubled quotes replaced by single ones; nil if it is not one quoted text.
  ///
  /// Unicode scalars are compared: Swift combines a quote and a following accent to one character.
  func unquoted(_ mark: Unicode.Scalar) -> String? {
    let scalars = unicodeScalars
    guard scalars.count > 1, scalars.first == mark, scalars.last == mark else { return nil }
    var content = String.UnicodeScalarView()
    var isAfterQuote = false
    for scalar in scalars.dropFirst().dropLast() {
      if scalar == mark, !isAfterQuote {
        isAfterQuote = true
        continue
      }
      // A quote that is not doubled ends the text.
      if scalar != mark, isAfterQuote { return nil }
      isAfterQuote = false
      content.append(scalar)
    }
    return isAfterQuote ? nil : String(content)
  }
}

/// Readable SQL text, for descriptions and schema statements.
enum SQLText {
  /// Returns SQL with literals instead of arguments.
  ///
  /// Question marks in strings, names and comments are not parameters.
  static func expanded(_ template: String, _ bindings: [(any Binding)?]) -> String {
    if bindings.isEmpty { return template }
    var result = ""
    var rest = template.utf8[...]
    var nextBinding = 0
    var literalStart = rest.startIndex
    while let byte = rest.first {
      let start = rest.startIndex
      switch byte {
      case UInt8(ascii: "?"):
        rest = rest.dropFirst()
        let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        rest = rest.dropFirst(digits.count)
        let index = Int(String(Substring(digits))).map { $0 - 1 } ?? nextBinding
        guard bindings.indices.contains(index) else { continue }
        // A question mark without a number follows the largest number so far.
        nextBinding = max(nextBinding, index + 1)
        result += template[literalStart..<start] + literal(bindings[index])
        literalStart = rest.startIndex
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(&rest, to: byte)
      case UInt8(ascii: "["): skip(&rest, to: UInt8(ascii: "]"))
      case UInt8(ascii: "-") where rest.dropFirst().first == byte: skip(&rest, to: UInt8(ascii: "\n"))
      case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"): skipComment(&rest)
      default: rest = rest.dropFirst()
      }
    }
    return result + template[literalStart...]
  }

  private static func skip(_ rest: inout Substring.UTF8View, to end: UInt8) {
    rest = rest.dropFirst().drop { $0 != end }.dropFirst()
  }

  private static func skipComment(_ rest: inout Substring.UTF8View) {
    rest = rest.dropFirst(2)
    while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
    rest = rest.dropFirst(2)
  }

  /// Returns a value as an SQL literal.
  static func literal(_ binding: (any Binding)?) -> String {
    guard let binding else { return "NULL" }
    switch binding._databaseValue.storage {
    case .null: return "NULL"
    case .int64(let integer): return "\(integer)"
    case .double(let double): return literal(double)
    case .string(let text): return literal(text)
    case .blob(let data): return Blob(bytes: [UInt8](data)).description
    }
  }

  // SQL has no literals for these values. A number that is too large is infinite. NaN is NULL.
  private static func literal(_ double: Double) -> String {
    if double.isNaN { return "NULL" }
    if double.isInfinite { return double > 0 ? "9e999" : "-9e999" }
    return "\(double)"
  }

  // SQLite stops reading at a NUL character.
  private static func literal(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text.quote("'") }
    return "CAST(\(Blob(bytes: Array(text.utf8))) AS TEXT)"
  }

  /// Returns whether a single pair of parentheses encloses the SQL.
  static func isEnclosed(_ sql: String) -> Bool {
    var rest = sql.utf8[...]
    guard rest.first == UInt8(ascii: "("), rest.last == UInt8(ascii: ")") else { return false }
    var depth = 0
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0, rest.count > 1 { return false }
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        skip(&rest, to: byte)
        continue
      case UInt8(ascii: "["):
        skip(&rest, to: UInt8(ascii: "]"))
        continue
      default: break
      }
      rest = rest.dropFirst()
    }
    return depth == 0
  }

  /// Returns the SQL in parentheses, unless they are already there.
  static func enclosed(_ sql: String) -> String { isEnclosed(sql) ? sql : "(\(sql))" }
}
