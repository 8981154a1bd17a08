/// Every decision page is linked, so that it can be found.
enum Decisions {
  static let folder = "Documentation/Decisions"

  /// Decision pages to which the architecture page has no link.
  static func unlinked(from architecture: SourceFile, pages: [String]) -> [Finding] {
    let text = architecture.lines.joined(separator: "\n")
    return pages.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".md") && !text.contains("(\($0))") }
      .map { architecture.finding("There is no link to (\($0))", line: 1) }
  }
}
