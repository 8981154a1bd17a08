/// A Swift source by lines, with everything but code removed.
///
/// It is not a parser: it recognises comments and quotes, so that words in them are not taken for code. Blanks
/// replace the removed text, so that lines and columns stay as they are in the file.
struct SwiftText: Sendable {
  /// The lines without comments, and without the text inside quotes. Interpolations are code, and kept.
  let code: [String]

  /// The lines without comments only.
  let uncommented: [String]

  init(_ text: String) {
    var scanner = Scanner(bytes: Array(text.utf8))
    scanner.scanCode(inInterpolation: false)
    code = Self.lines(scanner.code)
    uncommented = Self.lines(scanner.uncommented)
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

/// Goes once through a source and blanks comments and quotes in the two copies of it.
private struct Scanner {
  /// The only bytes at which a token may begin or end, in code and in a string. The others are skipped quickly.
  private static let openers = Array("/\"#()".utf8)
  private static let stringMarks = Array("\"\\\n".utf8)

  private let bytes: [UInt8]
  private var position = 0
  private(set) var code: [UInt8]
  private(set) var uncommented: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
    code = bytes
    uncommented = bytes
  }

  /// Scans up to the end, or up to the parenthesis that closes the interpolation.
  mutating func scanCode(inInterpolation: Bool) {
    var depth = 0
    while position < bytes.count {
      if !Self.openers.contains(bytes[position]) {
        position += 1
      } else if starts(with: "//") {
        while position < bytes.count, !starts(with: "\n") { blankComment() }
      } else if starts(with: "/*") {
        scanBlockComment()
      } else if let poundCount = openingQuote() {
        scanString(poundCount: poundCount)
      } else if inInterpolation, starts(with: ")"), depth == 0 {
        return
      } else {
        if starts(with: "(") { depth += 1 }
        if starts(with: ")") { depth -= 1 }
        position += 1
      }
    }
  }

  private mutating func scanBlockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        blankComment(count: 2)
      } else if starts(with: "*/") {
        depth -= 1
        blankComment(count: 2)
      } else {
        blankComment()
      }
    } while depth > 0 && position < bytes.count
  }

  private mutating func scanString(poundCount: Int) {
    let pounds = String(repeating: "#", count: poundCount)
    position += poundCount
    let isMultiline = starts(with: "\"\"\"")
    let quote = isMultiline ? "\"\"\"" : "\""
    position += quote.utf8.count
    while position < bytes.count {
      if !Self.stringMarks.contains(bytes[position]) {
        blankQuoted(count: 1)
      } else if starts(with: quote + pounds) {
        position += quote.utf8.count + poundCount
        return
      } else if starts(with: "\n"), !isMultiline {
        // Not a string: for example, a quote in a regular expression.
        return
      } else if starts(with: "\\" + pounds + "(") {
        position += poundCount + 2
        scanCode(inInterpolation: true)
        position += 1
      } else if starts(with: "\\" + pounds) {
        blankQuoted(count: poundCount + 2)
      } else {
        blankQuoted(count: 1)
      }
    }
  }

  private func starts(with prefix: String) -> Bool {
    bytes[position...].starts(with: prefix.utf8)
  }

  /// The number of `#` before a quote at this position; nil if there is none.
  private func openingQuote() -> Int? {
    var index = position
    while index < bytes.count, bytes[index] == UInt8(ascii: "#") { index += 1 }
    return index < bytes.count && bytes[index] == UInt8(ascii: "\"") ? index - position : nil
  }

  private mutating func blankComment(count: Int = 1) {
    for _ in 0..<count where position < bytes.count {
      blank(&code)
      blank(&uncommented)
      position += 1
    }
  }

  private mutating func blankQuoted(count: Int) {
    for _ in 0..<count where position < bytes.count {
      blank(&code)
      position += 1
    }
  }

  private func blank(_ copy: inout [UInt8]) {
    if copy[position] != UInt8(ascii: "\n") { copy[position] = UInt8(ascii: " ") }
  }
}
