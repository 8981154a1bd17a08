/// A folder of pages and its README, which must link all of them, so that they can be found.
struct PageList {
  var folder: String

  /// The page with the links.
  var path: String { folder + "/README.md" }

  /// The pages to which the README has no link. Folders inside this one have lists of their own.
  func unlinked(from list: SourceFile, pages: [String]) -> [Finding] {
    let text = list.lines.joined(separator: "\n")
    return pages.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".md") && $0 != path }
      .map { String($0.dropFirst(folder.count + 1)) }
      .filter { !$0.contains("/") && !text.contains("(\($0))") && !text.contains("(\($0)#") }
      .map { list.finding("There is no link to (\($0))", line: 1) }
  }
}
