/// Names in the code spans of documents exist, so that a document does not outlive a renamed type or method.
enum CodeSpans {
  /// Names in camel case that are not names of the repository: the common part of several names, and a system library.
  static let otherNames: Set<String> = ["AndFetch", "libswiftSynchronization"]

  /// Names in camel case, in the code spans of pages, that occur neither in a source nor in a path.
  static func unknownNames(in pages: [SourceFile], sources: [SourceFile]) -> [Finding] {
    let known = Set((sources.flatMap(lines) + (sources + pages).map(\.path)).flatMap(names)).union(otherNames)
    return pages.flatMap { page in
      spans(of: page).flatMap { line, span in
        names(in: span).filter { isCamelCase($0) && !known.contains($0) }
          .map { page.finding("No source has the name \($0)", line: line) }
      }
    }
  }

  /// The text between backquotes, outside of code blocks, with the number of its line.
  static func spans(of page: SourceFile) -> [(line: Int, text: Substring)] {
    var isInBlock = false
    return page.lines.enumerated().flatMap { index, line -> [(line: Int, text: Substring)] in
      if line.drop(while: \.isWhitespace).hasPrefix("```") {
        isInBlock.toggle()
        return []
      }
      if isInBlock { return [] }
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      return parts.indices.filter { !$0.isMultiple(of: 2) }.map { (index + 1, parts[$0]) }
    }
  }

  /// The lines of a source; for Swift, without comments.
  private static func lines(of source: SourceFile) -> [String] {
    source.path.hasSuffix(".swift") ? source.swift.uncommented : source.lines
  }

  private static func names(in text: some StringProtocol) -> [String] {
    Substring(text).utf8.split { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): false
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): false
      default: true
      }
    }.map { String(Substring($0)) }
  }

  /// Whether an uppercase letter follows a lowercase one.
  private static func isCamelCase(_ name: String) -> Bool {
    zip(name.utf8, name.utf8.dropFirst()).contains { first, second in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(second)
    }
  }
}
