/// A decision that nobody finds is taken a second time.
enum Decisions {
  static let folder = "Documentation/Decisions"

  /// Pages of decisions to which the page of the architecture has no link.
  static func unlinked(from architecture: SourceFile, pages: [String]) -> [Finding] {
    let text = architecture.lines.joined(separator: "\n")
    return pages.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".md") && !text.contains("(\($0))") }
      .map { architecture.finding("There is no link to (\($0))", line: 1) }
  }
}
