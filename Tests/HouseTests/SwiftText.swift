/// A Swift source, line by line, seen without what is not code.
///
/// It is no parser: it knows comments and quotes, which is enough to not take a word in one of them for code. Blanks
/// stand where something was left out, so that lines and columns stay what they are in the file.
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

/// Goes once through a source and blanks what it finds in the two copies of it.
private struct Scanner {
  /// The only bytes at which something may begin or end, in code and in a string. The others are passed over quickly.
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
        // Not a string after all: a quote in a regular expression, say.
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

  /// The number of `#` before the quote that stands here; nil when none does.
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
