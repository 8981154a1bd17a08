/// Every decision page is linked, so that it can be found.
enum Decisions {
  static let folder = "Documentation/Decisions"

  /// The page with the links.
  static let list = folder + "/README.md"

  /// Decision pages to which the list has no link.
  static func unlinked(from list: SourceFile, pages: [String]) -> [Finding] {
    let text = list.lines.joined(separator: "\n")
    return pages.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".md") && $0 != Self.list }
      .map { String($0.dropFirst(folder.count + 1)) }
      .filter { !text.contains("(\($0))") }
      .map { list.finding("There is no link to (\($0))", line: 1) }
  }
}
