/// Code in the documentation is quoted from a test or from the demo, so that it compiles and does what the page says.
enum QuotedCode {
  /// A block of Swift in a Markdown page.
  struct Block {
    let page: String
    let line: Int
    let code: [String]

    /// The reason that the page gives for a block that is not quoted; nil if it gives none.
    let excuse: String?
  }

  private static let excuseStart = "<!-- not compiled:"

  /// The Swift blocks of a page. `<!-- not compiled: reason -->` directly above a block exempts it.
  static func blocks(of page: SourceFile) -> [Block] {
    var blocks: [Block] = []
    var opening: (line: Int, indentation: Int, isSwift: Bool)?
    var body: [String] = []
    for (index, line) in page.lines.enumerated() {
      let text = line.drop(while: \.isWhitespace)
      guard text.hasPrefix("```") else {
        body.append(line)
        continue
      }
      if let opened = opening {
        if opened.isSwift {
          let block = Block(
            page: page.path, line: opened.line + 1, code: essence(SwiftText(body.joined(separator: "\n"))),
            excuse: excuse(above: opened.line, in: page.lines))
          blocks.append(block)
        }
        opening = nil
      } else {
        let language = text.drop(while: { $0 == "`" }).split(whereSeparator: \.isWhitespace).first?.lowercased()
        opening = (index, line.count - text.count, language == "swift")
        body = []
      }
    }
    return blocks
  }

  /// Blocks that occur in none of the sources, and exemptions without a reason.
  static func unfounded(in pages: [SourceFile], sources: [SourceFile]) -> [Finding] {
    let known = sources.map { "\n" + essence($0.swift).joined(separator: "\n") + "\n" }
    return pages.flatMap { page in
      blocks(of: page).compactMap { block -> Finding? in
        if let excuse = block.excuse {
          return excuse.isEmpty ? page.finding("Say why this block is not compiled", line: block.line) : nil
        }
        if block.code.isEmpty { return nil }
        let wanted = "\n" + block.code.joined(separator: "\n") + "\n"
        if known.contains(where: { $0.contains(wanted) }) { return nil }
        let missing = block.code.first { line in !known.contains { $0.contains("\n" + line + "\n") } }
        let hint = missing.map { "no file has the line: \($0)" } ?? "its lines exist, but nowhere together"
        return page.finding("This block is in no test and not in the demo; \(hint)", line: block.line)
      }
    }
  }

  /// The lines that must be equal in both places: without indentation, comments, blank lines and imports.
  private static func essence(_ text: SwiftText) -> [String] {
    text.uncommented.compactMap { line in
      let words = line.split(whereSeparator: \.isWhitespace)
      return words.isEmpty || words.contains("import") ? nil : words.joined(separator: " ")
    }
  }

  private static func excuse(above line: Int, in lines: [String]) -> String? {
    guard let above = lines[..<line].last(where: { $0.contains { !$0.isWhitespace } }) else { return nil }
    let text = above.drop(while: \.isWhitespace)
    guard text.hasPrefix(excuseStart) else { return nil }
    let reason = text.dropFirst(excuseStart.count).split(separator: "-->", omittingEmptySubsequences: false)[0]
    return reason.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
